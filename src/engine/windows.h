// Cuts a document that does not fit into overlapping windows, at ends of sentences where there are any.
//
// A function of the text and of how it encodes, so that tests need no model.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tamis/options.h"
#include "text/token_id.h"

namespace tamis {

struct WindowLimits {
  int window_tokens = 0;   // REQUIRES: > 0
  int overlap_tokens = 0;  // what neighbours should share; at most half a window is honoured. REQUIRES: >= 0
};

struct Window {
  ByteRange range;
  std::vector<TokenId> ids;  // of the slice by itself; window_tokens at most
};

// Encodes a slice of the document by itself.
using EncodeSlice = std::function<std::vector<TokenId>(std::string_view)>;

// `token_ends[i]` is the byte where token i of the whole text ends; it does not decrease.
//
// The windows cover the text from its first byte to its last, in order, each starting after the one before it and at
// or before that one's end. No window starts or ends inside a UTF-8 character. A slice that encodes to more tokens
// than the whole text's count promised is shortened until it fits; only a single character of more tokens than a window
// holds loses the rest of them. Time is linear in the text.
std::vector<Window> CutWindows(std::string_view text, std::span<const std::size_t> token_ends,
                               const WindowLimits& limits, const EncodeSlice& encode);

// How good a place for a cut is. Higher is better.
enum class CutQuality : int {
  kInsideCharacter,
  kCharacter,
  kWord,      // beside white space, or after a comma of Chinese
  kSentence,  // after the end of a sentence or line
};
// The quality of cutting between text[position - 1] and text[position].
CutQuality QualityOfCut(std::string_view text, std::size_t position);

}  // namespace tamis
