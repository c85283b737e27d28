#include "model/mapped_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace tamis {
namespace {

Status SystemError(const std::string& path) {
  const int error = errno;
  if (error == ENOENT || error == ENOTDIR) return NotFound(fmt::format("{}: no such file", path));
  return DataLoss(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK: a pipe of that name must not make the program wait for a writer.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info{};
  if (file.fd < 0 || fstat(file.fd, &info) != 0) return SystemError(path);
  if (!S_ISREG(info.st_mode)) return DataLoss(fmt::format("{}: not a regular file", path));
  const std::size_t size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}, path, false));
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return SystemError(path);
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(data), size}, path, true));
}

std::shared_ptr<const MappedFile> MappedFile::FromMemory(std::span<const std::byte> bytes, std::string name) {
  return std::shared_ptr<const MappedFile>(new MappedFile(bytes, std::move(name), false));
}

MappedFile::~MappedFile() {
  if (mapped_) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::Release(std::size_t offset, std::size_t size) const {
  if (!mapped_) return;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto base = reinterpret_cast<std::uintptr_t>(bytes_.data());
  const std::uintptr_t begin = (base + offset + page - 1) / page * page;
  const std::uintptr_t end = (base + offset + size) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

Result<std::string> ReadTextFile(const std::string& path, std::size_t size_max) {
  TAMIS_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  if (bytes.size() > size_max) {
    return ResourceExhausted(fmt::format("{}: {} bytes; at most {} are read", path, bytes.size(), size_max));
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace tamis
