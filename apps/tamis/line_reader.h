// Reading text files line by line, or whole, from a path or standard input ("-").
//
// What comes out is UTF-8: bytes that are not become U+FFFD, and the first place where that happened is remembered.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
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
  // The same with the line's end as it is in the file.
  Result<bool> NextWithEnd(std::string* line);
  // The next line that holds something other than white space.
  Result<bool> NextNotBlank(std::string* line);

  std::size_t line_number() const { return line_number_; }  // of the last line read, from 1
  // "path:12", for messages.
  std::string where() const;
  const std::string& name() const { return name_; }

  // How much of a regular file has been read, from 0 to 1; nothing for a pipe.
  std::optional<double> share_read() const;

  // Set if some line was not UTF-8: a sentence that names the first one.
  const std::optional<std::string>& warning() const { return warning_; }

 private:
  LineReader(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

  std::FILE* file_;
  std::string name_;
  std::size_t line_number_ = 0;
  std::size_t bytes_read_ = 0;
  std::size_t file_bytes_ = 0;  // 0: not a regular file
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::optional<std::string> warning_;
};

struct WholeText {
  std::string text;
  std::optional<std::string> warning;
};

// The whole of a file, line ends as they are. Errors as LineReader::Open.
Result<WholeText> ReadWhole(const std::string& path);

bool IsBlank(std::string_view text);

}  // namespace tamis::app
