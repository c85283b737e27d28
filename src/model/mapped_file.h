// Read-only bytes of a file, mapped into memory, or bytes that are in memory anyway (the built-in model).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tamis/status.h"

namespace tamis {

// The bytes stay valid and at their place as long as the object lives. Thread-safe.
class MappedFile {
 public:
  // Errors: NotFound (no such file), DataLoss (not a regular file, or unreadable); both name the path and the reason.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  // `bytes` must outlive the object.
  static std::shared_ptr<const MappedFile> FromMemory(std::span<const std::byte> bytes, std::string name);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  // Gives the whole pages inside [offset, offset + size) back to the system; they are read again if touched.
  void Release(std::size_t offset, std::size_t size) const;

 private:
  MappedFile(std::span<const std::byte> bytes, std::string name, bool mapped)
      : bytes_(bytes), name_(std::move(name)), mapped_(mapped) {}

  std::span<const std::byte> bytes_;
  std::string name_;
  bool mapped_;
};

// Reads a small text file whole. Errors as MappedFile::Open, and ResourceExhausted beyond `size_max` bytes.
Result<std::string> ReadTextFile(const std::string& path, std::size_t size_max);

}  // namespace tamis
