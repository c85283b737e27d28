// The byte-level alphabet: tokenizer.json writes each byte of a token as one printable character.
//
// Printable Latin-1 bytes stand for themselves; the 68 others are U+0100 and up, in order of the byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamis {

// Appends the bytes that `text` (UTF-8) stands for. Returns false, with nothing promised about *bytes, if a character
// stands for no byte.
bool AppendByteLevelBytes(std::string_view text, std::string* bytes);

// The way back, for messages and listings.
std::string ByteLevelText(std::string_view bytes);

}  // namespace tamis
