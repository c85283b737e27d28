// The scanner. Its functions are named after the alternatives of the expression.
#include "text/pretokenizer.h"

#include <array>
#include <cstdint>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace tamis {

const std::string_view kQwenSplitPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

namespace {

enum Kind : std::uint8_t { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3, kNewline = 4, kMultiByte = 5 };

constexpr std::array<std::uint8_t, 256> MakeKinds() {
  std::array<std::uint8_t, 256> kinds = {};
  for (std::size_t b = 0; b < 256; ++b) {
    const bool letter = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
    if (b >= 0x80) kinds[b] = kMultiByte;
    if (letter) kinds[b] = kLetter;
    if (b >= '0' && b <= '9') kinds[b] = kNumber;
    if (b == ' ' || (b >= 9 && b <= 13)) kinds[b] = kSpace;
    if (b == '\n' || b == '\r') kinds[b] = kNewline;
  }
  return kinds;
}

constexpr std::array<std::uint8_t, 256> kKinds = MakeKinds();

struct Char {
  std::uint8_t kind;
  std::uint8_t length;
};

inline std::uint8_t AsciiKind(const char* p) { return kKinds[static_cast<unsigned char>(*p)]; }

inline Char CharAt(const char* p) {
  const std::uint8_t kind = AsciiKind(p);
  if (kind != kMultiByte) return {kind, 1};
  const DecodedChar c = DecodeValidUtf8(p);
  return {static_cast<std::uint8_t>(kProperties.At(c.code_point) & kClassMask), c.length};
}

bool IsLetterAt(const char* p, const char* end) { return p < end && CharAt(p).kind == kLetter; }

// \p{L}*
const char* LettersEnd(const char* p, const char* end) {
  while (p < end) {
    if (AsciiKind(p) == kLetter) {
      ++p;
      continue;
    }
    const Char c = CharAt(p);
    if (c.kind != kLetter) return p;
    p += c.length;
  }
  return p;
}

// [^\s\p{L}\p{N}]*[\r\n]*
const char* OthersEnd(const char* p, const char* end) {
  while (p < end) {
    const Char c = CharAt(p);
    if (c.kind != kOther) break;
    p += c.length;
  }
  while (p < end && AsciiKind(p) == kNewline) ++p;
  return p;
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d), or null. Ignoring case, U+017F (long s, C5 BF) is an s too.
const char* ContractionEnd(const char* p, const char* end) {
  if (end - p < 2) return nullptr;
  const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  const char first = lower(p[1]);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return p + 2;
  if (end - p < 3) return nullptr;
  const char second = lower(p[2]);
  if ((second == 'e' && (first == 'r' || first == 'v')) || (first == 'l' && second == 'l')) return p + 3;
  return p[1] == '\xC5' && p[2] == '\xBF' ? p + 3 : nullptr;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
const char* SpacesEnd(const char* p, const char* end) {
  const char* const begin = p;
  const char* after_newline = nullptr;
  const char* last = p;  // where the latest white space starts
  while (p < end) {
    const Char c = CharAt(p);
    if (c.kind != kSpace && c.kind != kNewline) break;
    last = p;
    p += c.length;
    if (c.kind == kNewline) after_newline = p;
  }
  if (after_newline != nullptr) return after_newline;
  if (p == end || last == begin) return p;
  return last;
}

}  // namespace

const char* QwenPieceEnd(const char* p, const char* end) {
  const Char c = CharAt(p);
  const char* const after = p + c.length;
  switch (c.kind) {
    case kLetter: return LettersEnd(after, end);
    case kNumber: return after;
    case kNewline: return SpacesEnd(p, end);
    case kSpace:
      if (IsLetterAt(after, end)) return LettersEnd(after, end);
      if (*p == ' ' && after < end && CharAt(after).kind == kOther) return OthersEnd(after, end);
      return SpacesEnd(p, end);
    default:
      if (*p == '\'') {
        if (const char* contraction = ContractionEnd(p, end); contraction != nullptr) return contraction;
      }
      if (IsLetterAt(after, end)) return LettersEnd(after, end);
      return OthersEnd(p, end);
  }
}

}  // namespace tamis
