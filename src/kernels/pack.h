// Packing weights into the panels that the matrix products read (kernels.h says how they lie).
#pragma once

#include <cstdint>

#include "kernels/kernels.h"

namespace tamis::kernels {

// Quantises the weights of one output column (k floats) symmetrically, scale = max|w| / 127, and writes them into the
// panel; also writes the column's scale and sum. A column of zeros has scale 0. `layout` gives the sizes.
// REQUIRES: 0 <= column < layout.n; data, scale and column_sum have the padded sizes; weights are finite.
// Different columns may be packed by different threads at once.
void PackColumnS8(const float* weights, const PackedS8& layout, int column, std::int8_t* data, float* scale,
                  std::int32_t* column_sum);

// The same without quantisation.
void PackColumnF32(const float* weights, const PackedF32& layout, int column, float* data);

}  // namespace tamis::kernels
