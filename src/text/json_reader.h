// JsonReader: a forward-only reader for the large parts of tokenizer.json.
//
// A vocabulary of 150,000 entries read into a document tree takes longer than everything else at start. This reader
// hands out views of the text instead. Small parts are cut out with SkipValue() and given to a full JSON library.
// Every method returns false after the first fault, which status() then describes with its byte offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis {

class JsonReader {
 public:
  // `text` must outlive the reader. `where` names the file in messages.
  JsonReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  std::size_t position() const { return at_; }

  // The next character that is not white space; 0 at the end.
  char Peek();
  bool AtEnd() { return Peek() == 0 && at_ == text_.size(); }

  // Takes `c`, which must come next. `what` says what was expected.
  bool Take(char c, std::string_view what);

  // A string with its escapes resolved: a view of the text, or of *scratch where there were escapes.
  bool ReadString(std::string_view* value, std::string* scratch);

  // A whole number that fits 64 bits.
  bool ReadInteger(std::int64_t* value);

  // Skips a value of any kind and gives its text. Brackets are counted, not checked further.
  bool SkipValue(std::string_view* value);

  // member(key) is called for each member with the reader at its value, which it must take; element() likewise.
  template <typename Function>
  bool ForEachMember(std::string* scratch, Function&& member) {
    if (!Take('{', "an object")) return false;
    if (Peek() == '}') return Take('}', "");
    while (true) {
      std::string_view key;
      Peek();
      if (!ReadString(&key, scratch) || !Take(':', "':' after a name") || !member(key) || !ok()) return false;
      if (Peek() != ',') return Take('}', "',' or '}' in an object");
      ++at_;
    }
  }
  template <typename Function>
  bool ForEachElement(Function&& element) {
    if (!Take('[', "an array")) return false;
    if (Peek() == ']') return Take(']', "");
    while (true) {
      Peek();
      if (!element() || !ok()) return false;
      if (Peek() != ',') return Take(']', "',' or ']' in an array");
      ++at_;
    }
  }

  // Records a fault at the current position; returns false.
  bool Fail(std::string_view problem);
  bool Fail(Status status);

 private:
  bool ReadEscaped(std::size_t begin, std::string* scratch);
  bool ReadEscape(std::string* scratch);
  bool ReadHex4(std::uint32_t* value);

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
  Status status_;
};

}  // namespace tamis
