// Reading text files line by line, or whole, from a path or standard input ("-").
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "tamis/status.h"

namespace tamis::app {

class LineReader {
 public:
  // Errors: NotFound or DataLoss naming the path.
  static Result<LineReader> Open(const std::string& path);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  ~LineReader();

  // The next line without its end (LF or CRLF); false at the end of the file. A byte order mark at the start of the
  // file is dropped. Errors: DataLoss if reading fails.
  Result<bool> Next(std::string* line);

  std::size_t line_number() const { return line_number_; }  // of the last line read, from 1
  // "path:12", for messages.
  std::string where() const;
  const std::string& name() const { return name_; }

 private:
  LineReader(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

  std::FILE* file_;
  std::string name_;
  std::size_t line_number_ = 0;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
};

// The whole of a file. Errors as LineReader::Open.
Result<std::string> ReadWhole(const std::string& path);

}  // namespace tamis::app
