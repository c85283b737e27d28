// Character classes and canonical composition data, as the reference tokenizers see them.
//
// The tables are generated (tools/unicode/generate.py) because system libraries differ between distributions, and an id
// must not depend on the machine it was computed on.
#pragma once

#include <cstdint>
#include <span>

namespace tamis {

inline constexpr std::uint32_t kCodePoints = 0x110000;

// The classes that the pre-tokeniser's regular expression names: \p{L}, \p{N}, \s. No code point is in two of them.
enum class CharClass : std::uint8_t { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3 };

struct CharProperty {
  CharClass char_class;
  bool starts_segment;  // normalisation never looks across the place before it, and leaves it alone by itself
};

// REQUIRES for all: code_point < kCodePoints.
CharProperty PropertyOf(std::uint32_t code_point);
std::uint8_t CombiningClass(std::uint32_t code_point);

// The full canonical decomposition; empty if the code point is its own (Hangul syllables are computed, not listed).
std::span<const std::uint32_t> Decomposition(std::uint32_t code_point);

// The code point that `first` and `second` compose to, or 0. Hangul is not included.
std::uint32_t Composition(std::uint32_t first, std::uint32_t second);

// The two tables behind PropertyOf, for loops that cannot afford a call: a code point's byte is
// blocks[index[cp / 128] * 128 + cp % 128]; its two low bits are the class, kContinuesSegmentBit the negated flag.
struct PropertyTable {
  const std::uint8_t* index;
  const std::uint8_t* blocks;
  std::uint8_t At(std::uint32_t cp) const { return blocks[index[cp / 128] * 128u + cp % 128]; }
};
extern const PropertyTable kProperties;
inline constexpr std::uint8_t kClassMask = 3;
inline constexpr std::uint8_t kContinuesSegmentBit = 4;

}  // namespace tamis
