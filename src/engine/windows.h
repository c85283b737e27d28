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

namespace tamis {

struct WindowLimits {
  int window_tokens = 0;   // REQUIRES: > 0
  int overlap_tokens = 0;  // what neighbours should share; at most half a window is honoured. REQUIRES: >= 0
};

// How many tokens a slice of the document has by itself.
using CountTokens = std::function<std::size_t(std::string_view)>;

// `token_ends[i]` is the byte where token i of the whole text ends; it does not decrease.
//
// The windows cover the text from its first byte to its last, in order, each starting after the one before it and at
// or before that one's end. No window starts or ends inside a UTF-8 character, nor, but for a single character of more
// tokens, has more than window_tokens by itself: a slice that was cut inside a word can be a token or two longer than
// its share of the whole text, and is shortened until it fits. Time is linear in the text.
std::vector<ByteRange> CutWindows(std::string_view text, std::span<const std::size_t> token_ends,
                                  const WindowLimits& limits, const CountTokens& count);

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
