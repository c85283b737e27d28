#include "kernels/pack.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tamis::kernels {

void PackColumnS8(const float* weights, const PackedS8& layout, int column, std::int8_t* data, float* scale,
                  std::int32_t* column_sum) {
  float max = 0;
  for (int k = 0; k < layout.k; ++k) max = std::max(max, std::abs(weights[k]));
  const float inverse = max > 0 ? 127.0f / max : 0.0f;
  scale[column] = max / 127.0f;
  const std::size_t panel = static_cast<std::size_t>(column / kPanelColumns);
  std::int8_t* out = data + panel * static_cast<std::size_t>(layout.k_padded) * kPanelColumns +
                     static_cast<std::size_t>(column % kPanelColumns) * kKeyGroup;
  std::int32_t sum = 0;
  for (int k = 0; k < layout.k; k += kKeyGroup) {
    std::int8_t group[kKeyGroup] = {};
    for (int i = 0; i < std::min(kKeyGroup, layout.k - k); ++i) {
      // Adding 1.5 * 2^23 rounds to the nearest even whole number, which is left in the low bits.
      constexpr float kRound = 12582912.0f;
      const float rounded = weights[k + i] * inverse + kRound;
      std::int32_t bits = 0;
      std::memcpy(&bits, &rounded, sizeof bits);
      group[i] = static_cast<std::int8_t>(bits & 0xff);
      sum += group[i];
    }
    std::memcpy(out + static_cast<std::size_t>(k) * kPanelColumns, group, kKeyGroup);
  }
  column_sum[column] = sum;
}

void PackColumnF32(const float* weights, const PackedF32& layout, int column, float* data) {
  const std::size_t panel = static_cast<std::size_t>(column / kPanelColumns);
  float* out = data + panel * static_cast<std::size_t>(layout.k) * kPanelColumns + column % kPanelColumns;
  for (int k = 0; k < layout.k; ++k) out[static_cast<std::size_t>(k) * kPanelColumns] = weights[k];
}

}  // namespace tamis::kernels
