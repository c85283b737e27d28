// The alphabet as two tables built at compile time.
#include "text/byte_level.h"

#include <array>

#include "text/utf8.h"

namespace tamis {
namespace {

constexpr std::uint32_t kAlphabetEnd = 0x100 + 68;
constexpr std::uint16_t kNoByte = 0xFFFF;

struct Alphabet {
  std::array<std::uint16_t, 256> char_of = {};
  std::array<std::uint16_t, kAlphabetEnd> byte_of = {};
};

constexpr Alphabet MakeAlphabet() {
  Alphabet a;
  a.byte_of.fill(kNoByte);
  std::uint16_t next = 0x100;
  for (std::uint16_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    a.char_of[b] = printable ? b : next++;
    a.byte_of[a.char_of[b]] = b;
  }
  return a;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

bool AppendByteLevelBytes(std::string_view text, std::string* bytes) {
  for (std::size_t at = 0; at < text.size();) {
    const DecodedChar c = DecodeUtf8(text, at);
    if (c.code_point >= kAlphabetEnd || kAlphabet.byte_of[c.code_point] == kNoByte) return false;
    bytes->push_back(static_cast<char>(kAlphabet.byte_of[c.code_point]));
    at += c.length;
  }
  return true;
}

std::string ByteLevelText(std::string_view bytes) {
  std::string text;
  for (const char b : bytes) AppendUtf8(kAlphabet.char_of[static_cast<unsigned char>(b)], &text);
  return text;
}

}  // namespace tamis
