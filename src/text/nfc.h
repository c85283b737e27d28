// Normalisation form C over text of any quality, in time linear in its length.
//
// Text is cut into segments: a character that nothing before it can combine with, and what follows up to the next such
// character. Nearly every segment is one character long and is left as it is; only the others are decomposed, put in
// canonical order and composed again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

// Relates bytes of a normalised text to bytes of the text it came from.
class OffsetMap {
 public:
  void Clear() { changes_.clear(); }

  // Says that output [output_begin, output_end) came from input [input_begin, input_end). Changes come in order;
  // between them bytes correspond one to one.
  void Add(std::size_t output_begin, std::size_t output_end, std::size_t input_begin, std::size_t input_end);

  // The input byte where the part of the output that ends at `output_end` ends. Inside a changed part: where that part
  // ends, so that no character is cut.
  std::size_t InputEnd(std::size_t output_end) const;

 private:
  struct Change {
    std::size_t output_begin, output_end, input_begin, input_end;
  };
  std::vector<Change> changes_;
};

// Returns `text` with bad UTF-8 replaced (one U+FFFD for each maximal bad subpart), in form C where `compose` is true.
// The result is `text` itself where nothing changes, else a view of *buffer. `map` may be null.
std::string_view NormalizeText(std::string_view text, bool compose, std::string* buffer, OffsetMap* map);

}  // namespace tamis
