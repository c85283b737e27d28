#include "line_reader.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tamis::app {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<LineReader> LineReader::Open(const std::string& path) {
  if (path == "-") return LineReader(stdin, "standard input");
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    const int error = errno;
    if (error == ENOENT) return NotFound(fmt::format("{}: no such file", path));
    return DataLoss(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
  }
  LineReader reader(file, path);
  struct stat info {};
  if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) return DataLoss(fmt::format("{}: is a folder", path));
  return reader;
}

LineReader::LineReader(LineReader&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      name_(std::move(other.name_)),
      line_number_(other.line_number_),
      buffer_(std::exchange(other.buffer_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

LineReader::~LineReader() {
  std::free(buffer_);
  if (file_ != nullptr && file_ != stdin) std::fclose(file_);
}

Result<bool> LineReader::Next(std::string* line) {
  errno = 0;
  const ssize_t length = getline(&buffer_, &capacity_, file_);
  if (length < 0) {
    if (std::ferror(file_) != 0) return DataLoss(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
    return false;
  }
  std::string_view text(buffer_, static_cast<std::size_t>(length));
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (line_number_ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ++line_number_;
  line->assign(text);
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", name_, line_number_); }

Result<std::string> ReadWhole(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  std::string out;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) return out;
    out += line;
    out += '\n';
  }
}

}  // namespace tamis::app
