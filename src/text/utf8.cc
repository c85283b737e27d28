// Decoding with the maximal-subpart rule: the second byte's allowed range depends on the first, the others are 80..BF.
#include "text/utf8.h"

#include <bit>
#include <cstring>

namespace tamis {
namespace {

constexpr DecodedChar Bad(std::uint8_t length) { return {kReplacementCharacter, length, true}; }

struct LeadByte {
  std::uint8_t length;      // 0: cannot start a character
  std::uint8_t second_min;
  std::uint8_t second_max;
};

constexpr LeadByte Classify(unsigned char lead) {
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

DecodedChar DecodeUtf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, false};
  const LeadByte kind = Classify(lead);
  if (kind.length == 0) return Bad(1);
  const std::size_t left = text.size() - at;
  if (left < 2 || byte(1) < kind.second_min || byte(1) > kind.second_max) return Bad(1);
  for (std::uint8_t i = 2; i < kind.length; ++i) {
    if (left <= i || (byte(i) & 0xC0) != 0x80) return Bad(i);
  }
  return DecodeValidUtf8(text.data() + at);
}

void AppendUtf8(std::uint32_t cp, std::string* out) {
  const auto tail = [cp](int shift) { return static_cast<char>(0x80 | (cp >> shift & 0x3F)); };
  if (cp < 0x80) {
    out->push_back(static_cast<char>(cp));
  } else if (cp < 0x800) {
    out->append({static_cast<char>(0xC0 | cp >> 6), tail(0)});
  } else if (cp < 0x10000) {
    out->append({static_cast<char>(0xE0 | cp >> 12), tail(6), tail(0)});
  } else {
    out->append({static_cast<char>(0xF0 | cp >> 18), tail(12), tail(6), tail(0)});
  }
}

std::size_t CountBadUtf8(std::string_view text) {
  std::size_t bad = 0;
  for (std::size_t at = AsciiRun(text, 0); at < text.size();) {
    const DecodedChar c = DecodeUtf8(text, at);
    bad += c.bad;
    at += c.length;
    at += AsciiRun(text, at);
  }
  return bad;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const DecodedChar c = DecodeUtf8(text, at);
    AppendUtf8(c.code_point, &out);
    at += c.length;
  }
  return out;
}

std::size_t AsciiRun(std::string_view text, std::size_t at) {
  std::size_t i = at;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    word &= 0x8080808080808080u;
    if (word != 0) return i + static_cast<std::size_t>(std::countr_zero(word)) / 8 - at;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i - at;
}

}  // namespace tamis
