// Where text is cut into the pieces that byte-pair merges never cross.
//
// A hand-written scanner for one regular expression, the one that published Qwen tokenizers carry:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// Every alternative is decided by looking ahead over text that becomes part of this piece or, for white space, of the
// next two: the scan is linear whatever the text.
#pragma once

#include <string_view>

namespace tamis {

// The expression above, as tokenizer.json spells it after JSON escapes are resolved.
extern const std::string_view kQwenSplitPattern;

// The end of the piece that starts at `at`. REQUIRES: at < end; [at, end) is UTF-8.
const char* QwenPieceEnd(const char* at, const char* end);

}  // namespace tamis
