// The reader's scanning loops.
#include "text/json_reader.h"

#include <fmt/format.h>

#include "text/utf8.h"

namespace tamis {
namespace {

constexpr int kMaxDepth = 64;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

bool JsonReader::Fail(std::string_view problem) {
  return Fail(DataLoss(fmt::format("{}: at byte {}: {}", where_, at_, problem)));
}

bool JsonReader::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

char JsonReader::Peek() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::Take(char c, std::string_view what) {
  if (!ok()) return false;
  if (Peek() != c || at_ >= text_.size()) {
    if (at_ >= text_.size()) return Fail(fmt::format("the file ends where {} was expected", what));
    return Fail(fmt::format("found '{}', expected {}", text_[at_], what));
  }
  ++at_;
  return true;
}

bool JsonReader::ReadString(std::string_view* value, std::string* scratch) {
  if (!Take('"', "a string")) return false;
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"') {
      *value = text_.substr(begin, at_ - begin);
      ++at_;
      return true;
    }
    if (c == '\\') {
      if (!ReadEscaped(begin, scratch)) return false;
      *value = *scratch;
      return true;
    }
    if (c < 0x20) return Fail("a control character inside a string");
    ++at_;
  }
  return Fail("the file ends inside a string");
}

// The rest of a string that holds escapes; its first part starts at `begin`.
bool JsonReader::ReadEscaped(std::size_t begin, std::string* scratch) {
  scratch->assign(text_, begin, at_ - begin);
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (c == '\\') {
      if (!ReadEscape(scratch)) return false;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      return Fail("a control character inside a string");
    } else {
      scratch->push_back(c);
    }
  }
  return Fail("the file ends inside a string");
}

bool JsonReader::ReadEscape(std::string* scratch) {
  if (at_ >= text_.size()) return Fail("the file ends inside a string");
  const char c = text_[at_++];
  constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
  if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
    scratch->push_back(kValues[i]);
    return true;
  }
  if (c != 'u') return Fail(fmt::format("unknown escape '\\{}' in a string", c));
  std::uint32_t cp = 0;
  if (!ReadHex4(&cp)) return false;
  if (cp >= 0xDC00 && cp < 0xE000) return Fail("half a surrogate pair in a string");
  if (cp >= 0xD800 && cp < 0xDC00) {
    std::uint32_t low = 0;
    if (text_.substr(at_, 2) != "\\u") return Fail("half a surrogate pair in a string");
    at_ += 2;
    if (!ReadHex4(&low)) return false;
    if (low < 0xDC00 || low >= 0xE000) return Fail("half a surrogate pair in a string");
    cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
  }
  AppendUtf8(cp, scratch);
  return true;
}

bool JsonReader::ReadHex4(std::uint32_t* value) {
  if (text_.size() - at_ < 4) return Fail("the file ends inside a string");
  *value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = text_[at_++];
    const std::size_t digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? c + 32 : c);
    if (digit == std::string_view::npos) return Fail("an escape \\u without four hexadecimal digits");
    *value = *value * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

bool JsonReader::ReadInteger(std::int64_t* value) {
  if (!ok()) return false;
  const bool negative = Peek() == '-';
  if (negative) ++at_;
  const std::size_t begin = at_;
  std::int64_t magnitude = 0;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 18) {
    magnitude = magnitude * 10 + (text_[at_++] - '0');
  }
  const char next = at_ < text_.size() ? text_[at_] : '\0';
  if (at_ == begin || (next >= '0' && next <= '9') || next == '.' || next == 'e' || next == 'E') {
    return Fail("expected a whole number");
  }
  *value = negative ? -magnitude : magnitude;
  return true;
}

bool JsonReader::SkipValue(std::string_view* value) {
  if (!ok()) return false;
  Peek();
  const std::size_t begin = at_;
  int depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      if (at_ >= text_.size()) {
        at_ = text_.size();
        return Fail("the file ends inside a string");
      }
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return Fail(fmt::format("more than {} levels of nesting", kMaxDepth));
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
    ++at_;
    if (depth == 0 && (c == '"' || c == '}' || c == ']')) break;
  }
  if (depth > 0) return Fail("the file ends inside an object or array");
  *value = text_.substr(begin, at_ - begin);
  while (!value->empty() && IsSpace(value->back())) value->remove_suffix(1);
  if (value->empty()) return Fail("expected a value");
  return true;
}

}  // namespace tamis
