// Look-ups in the generated tables.
#include "text/unicode_tables.h"

#include <algorithm>
#include <iterator>

namespace tamis {
namespace {
#include "text/unicode_tables.inc"
}  // namespace

const PropertyTable kProperties = {kPropertyIndex, kPropertyBlocks};

CharProperty PropertyOf(std::uint32_t code_point) {
  const std::uint8_t value = kProperties.At(code_point);
  return {static_cast<CharClass>(value & kClassMask), (value & kContinuesSegmentBit) == 0};
}

std::uint8_t CombiningClass(std::uint32_t code_point) {
  return kCombiningClassBlocks[kCombiningClassIndex[code_point / 128] * 128u + code_point % 128];
}

std::span<const std::uint32_t> Decomposition(std::uint32_t code_point) {
  const auto* found = std::lower_bound(std::begin(kDecompositionKeys), std::end(kDecompositionKeys), code_point);
  if (found == std::end(kDecompositionKeys) || *found != code_point) return {};
  const std::uint16_t span = kDecompositionSpans[found - std::begin(kDecompositionKeys)];
  return {kDecompositionPool + span / 8, static_cast<std::size_t>(span % 8)};
}

std::uint32_t Composition(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t key = static_cast<std::uint64_t>(first) << 32 | second;
  const auto* found = std::lower_bound(std::begin(kCompositionKeys), std::end(kCompositionKeys), key);
  if (found == std::end(kCompositionKeys) || *found != key) return 0;
  return kCompositionValues[found - std::begin(kCompositionKeys)];
}

}  // namespace tamis
