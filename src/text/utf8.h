// UTF-8 as it comes from outside: decoding that never fails.
//
// Bytes that are not UTF-8 have a defined meaning: one U+FFFD for each maximal bad subpart (the rule of the Unicode
// standard, of browsers and of Python's errors="replace"). Bad are also surrogates, overlong forms and values above
// U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamis {

inline constexpr std::uint32_t kReplacementCharacter = 0xFFFD;

struct DecodedChar {
  std::uint32_t code_point;  // U+FFFD where the bytes are bad
  std::uint8_t length;  // bytes taken, 1..4
  bool bad;
};

// Decodes the character at text[at]. REQUIRES: at < text.size().
DecodedChar DecodeUtf8(std::string_view text, std::size_t at);

// The same for text known to be UTF-8: no checks. `p` points at a character's first byte.
inline DecodedChar DecodeValidUtf8(const char* p) {
  const auto b = [p](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  const std::uint32_t lead = b(0);
  if (lead < 0x80) return {lead, 1, false};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (b(1) & 0x3F), 2, false};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (b(1) & 0x3F) << 6 | (b(2) & 0x3F), 3, false};
  return {(lead & 0x07) << 18 | (b(1) & 0x3F) << 12 | (b(2) & 0x3F) << 6 | (b(3) & 0x3F), 4, false};
}

// REQUIRES: code_point <= 0x10FFFF.
void AppendUtf8(std::uint32_t code_point, std::string* out);

// How many U+FFFD the bad parts of `text` amount to: 0 for proper UTF-8. Callers warn when it is not 0.
std::size_t CountBadUtf8(std::string_view text);

// `text` with each bad part replaced by U+FFFD.
std::string RepairUtf8(std::string_view text);

// Bytes of the ASCII run that starts at text[at].
std::size_t AsciiRun(std::string_view text, std::size_t at);

}  // namespace tamis
