// What a matrix product does with a finished tile of results, for the AVX-512 files only (see vector_math_avx512.h on
// the anonymous namespace).
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "kernels/kernels.h"
#include "kernels/vector_math_avx512.h"

namespace tamis::kernels {
namespace {

constexpr int kLanes = 16;

// Lanes of a group of 16 columns from `column` on that exist when there are n columns in all.
[[maybe_unused]] inline __mmask16 ColumnMask(int column, int n) {
  const int left = n - column;
  return left >= kLanes ? 0xffff : left <= 0 ? 0 : static_cast<__mmask16>((1u << left) - 1);
}

// Stores 16 results of columns [column, column + 16) of one row c, or adds them.
[[maybe_unused]] inline void StoreGroup(GemmOutput output, __m512 y, int column, int n, float* c) {
  const __mmask16 mask = ColumnMask(column, n);
  if (output == GemmOutput::kAdd) y = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, c + column), y);
  _mm512_mask_storeu_ps(c + column, mask, y);
}

// Stores silu(gate) * up of the pair of groups that starts at `column` (a multiple of 32).
[[maybe_unused]] inline void StoreSiluMul(__m512 gate, __m512 up, int column, int n, float* c) {
  const __mmask16 mask = ColumnMask(column + kLanes, n);
  _mm512_mask_storeu_ps(c + column / 2, mask, _mm512_mul_ps(SiluPs512(gate), up));
}

}  // namespace
}  // namespace tamis::kernels
