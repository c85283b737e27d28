#include "line_reader.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "text/utf8.h"

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
  struct stat info{};
  if (fstat(fileno(file), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return DataLoss(fmt::format("{}: is a folder; a file is expected", path));
    if (S_ISREG(info.st_mode)) reader.file_bytes_ = static_cast<std::size_t>(info.st_size);
  }
  return reader;
}

LineReader::LineReader(LineReader&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      name_(std::move(other.name_)),
      line_number_(other.line_number_),
      bytes_read_(other.bytes_read_),
      file_bytes_(other.file_bytes_),
      buffer_(std::exchange(other.buffer_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      warning_(std::move(other.warning_)) {}

LineReader::~LineReader() {
  std::free(buffer_);
  if (file_ != nullptr && file_ != stdin) std::fclose(file_);
}

Result<bool> LineReader::NextWithEnd(std::string* line) {
  errno = 0;
  const ssize_t length = getline(&buffer_, &capacity_, file_);
  if (length < 0) {
    const int error = errno;
    if (std::ferror(file_) == 0 && error != ENOMEM) return false;
    return DataLoss(fmt::format("{}: cannot be read after line {}: {}", name_, line_number_, std::strerror(error)));
  }
  std::string_view text(buffer_, static_cast<std::size_t>(length));
  bytes_read_ += text.size();
  if (line_number_ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ++line_number_;
  if (CountBadUtf8(text) == 0) {
    line->assign(text);
    return true;
  }
  *line = RepairUtf8(text);
  if (!warning_)
    warning_ = fmt::format("{}: bytes that are not UTF-8 were read as U+FFFD (the first ones of the file)", where());
  return true;
}

Result<bool> LineReader::Next(std::string* line) {
  TAMIS_ASSIGN_OR_RETURN(const bool more, NextWithEnd(line));
  if (!more) return false;
  if (line->ends_with('\n')) line->pop_back();
  if (line->ends_with('\r')) line->pop_back();
  return true;
}

Result<bool> LineReader::NextNotBlank(std::string* line) {
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, Next(line));
    if (!more || !IsBlank(*line)) return more;
  }
}

std::string LineReader::where() const { return fmt::format("{}:{}", name_, line_number_); }

std::optional<double> LineReader::share_read() const {
  if (file_bytes_ == 0) return std::nullopt;
  return static_cast<double>(bytes_read_) / static_cast<double>(file_bytes_);
}

Result<WholeText> ReadWhole(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  WholeText out;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.NextWithEnd(&line));
    if (!more) break;
    out.text += line;
  }
  out.warning = reader.warning();
  return out;
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace tamis::app
