// Online softmax of one row, for the AVX2 attention files.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/row_avx2.h"
#include "kernels/vector_math_avx2.h"

namespace tamis::kernels {
namespace {

constexpr int kPageVectors = kPanelColumns / 8;

// What a row has seen so far.
struct SoftmaxState {
  alignas(32) float sum[8];  // of probabilities relative to exp(max), lane by lane
  float max;

  void Start() {
    _mm256_store_ps(sum, _mm256_setzero_ps());
    max = -1e30f;  // not infinite: its difference to itself is 0
  }

  // Turns the scores x * scale of a page into probabilities, in place. Only the first `keys` are visible (none, if it
  // is not positive): the others become 0. Returns what sums over earlier pages must be multiplied by.
  float Add(float* x, float scale, int keys) {
    __m256 page_max = _mm256_set1_ps(std::numeric_limits<float>::lowest());
    for (int v = 0; 8 * v < keys; ++v) {  // max returns its second operand if one is NaN
      const __m256 value =
          _mm256_blendv_ps(page_max, _mm256_load_ps(x + 8 * v), _mm256_castsi256_ps(FirstLanes(keys - 8 * v)));
      page_max = _mm256_max_ps(value, page_max);
    }
    const __m128 a = _mm_max_ps(_mm256_castps256_ps128(page_max), _mm256_extractf128_ps(page_max, 1));
    const __m128 b = _mm_max_ps(a, _mm_movehl_ps(a, a));
    const float new_max = std::max(max, _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b))) * scale);
    const float rescale = _mm256_cvtss_f32(ExpPs256(_mm256_set1_ps(max - new_max)));
    max = new_max;
    const __m256 scales = _mm256_set1_ps(scale);
    __m256 page_sum = _mm256_setzero_ps();
    for (int v = 0; v < kPageVectors; ++v) {
      __m256 p = _mm256_setzero_ps();
      if (8 * v < keys) {
        const __m256 score = _mm256_mul_ps(_mm256_load_ps(x + 8 * v), scales);
        p = _mm256_and_ps(ExpPs256(_mm256_sub_ps(score, _mm256_set1_ps(max))),
                          _mm256_castsi256_ps(FirstLanes(keys - 8 * v)));
      }
      page_sum = _mm256_add_ps(page_sum, p);
      _mm256_store_ps(x + 8 * v, p);
    }
    _mm256_store_ps(sum, _mm256_fmadd_ps(_mm256_load_ps(sum), _mm256_set1_ps(rescale), page_sum));
    return rescale;
  }

  float Denominator() const { return SumLanes(_mm256_load_ps(sum)); }
};

// out = sums * factor.
inline void WriteScaled(const float* sums, int n, float factor, float* out) {
  const __m256 f = _mm256_set1_ps(factor);
  for (int i = 0; i < n; i += 8) StoreFirst(out + i, n - i, _mm256_mul_ps(LoadFirst(sums + i, n - i), f));
}

}  // namespace
}  // namespace tamis::kernels
