// Loops over one row of floats for the AVX2 files: sums of squares, largest magnitude, quantisation.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tamis::kernels {
namespace {

constexpr float kTiny = 1e-30f;  // a row below this is a zero row (kernels.h)

// All ones in the first `count` lanes; any count.
[[maybe_unused]] inline __m256i FirstLanes(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

[[maybe_unused]] inline __m256 LoadFirst(const float* x, int count) {
  return count >= 8 ? _mm256_loadu_ps(x) : _mm256_maskload_ps(x, FirstLanes(count));
}

[[maybe_unused]] inline void StoreFirst(float* x, int count, __m256 value) {
  if (count >= 8) {
    _mm256_storeu_ps(x, value);
  } else {
    _mm256_maskstore_ps(x, FirstLanes(count), value);
  }
}

// Bit patterns of |x| compare as unsigned integers in the order of the numbers, with infinities and NaNs on top.
[[maybe_unused]] inline __m256i AbsBits(__m256 x) {
  return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
}

[[maybe_unused]] inline float MaxLane(__m256i bits) {
  const __m128i a = _mm_max_epu32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
  const __m128i b = _mm_max_epu32(a, _mm_shuffle_epi32(a, 0x4e));
  return _mm_cvtss_f32(_mm_castsi128_ps(_mm_max_epu32(b, _mm_shuffle_epi32(b, 0xb1))));
}

[[maybe_unused]] inline float SumLanes(__m256 x) {
  const __m128 a = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 b = _mm_add_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}

// Folds 64 lanes in halves, as the reference does.
[[maybe_unused]] inline float FoldLanes(const __m256 (&lanes)[8]) {
  const __m256 even = _mm256_add_ps(_mm256_add_ps(lanes[0], lanes[4]), _mm256_add_ps(lanes[2], lanes[6]));
  const __m256 odd = _mm256_add_ps(_mm256_add_ps(lanes[1], lanes[5]), _mm256_add_ps(lanes[3], lanes[7]));
  return SumLanes(_mm256_add_ps(even, odd));
}

[[maybe_unused]] inline float RootOfMean(float sum, int n, float eps) {
  return 1.0f / std::sqrt(sum / static_cast<float>(n) + eps);
}

// Sum of products in 64 lanes.
[[maybe_unused]] inline float Dot(const float* a, const float* b, std::size_t n) {
  __m256 sum[8];
  for (__m256& lanes : sum) lanes = _mm256_setzero_ps();
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      sum[v] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8 * v), _mm256_loadu_ps(b + i + 8 * v), sum[v]);
    }
  }
  const int left = static_cast<int>(n - i);
#pragma GCC unroll 8
  for (int v = 0; v < 8; ++v) {
    const int count = left - 8 * v;
    if (count > 0) sum[v] = _mm256_fmadd_ps(LoadFirst(a + i + 8 * v, count), LoadFirst(b + i + 8 * v, count), sum[v]);
  }
  return FoldLanes(sum);
}

[[maybe_unused]] inline float MaxAbs(const float* x, int n) {
  __m256i max[4];
  for (__m256i& lanes : max) lanes = _mm256_setzero_si256();
  int i = 0;
  for (; i + 32 <= n; i += 32) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) max[v] = _mm256_max_epu32(max[v], AbsBits(_mm256_loadu_ps(x + i + 8 * v)));
  }
  for (; i < n; i += 8) max[0] = _mm256_max_epu32(max[0], AbsBits(LoadFirst(x + i, n - i)));
  return MaxLane(_mm256_max_epu32(_mm256_max_epu32(max[0], max[1]), _mm256_max_epu32(max[2], max[3])));
}

[[maybe_unused]] inline __m256i RoundScaled(__m256 x, __m256 factor) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(x, factor));
}

// Writes the codes of a row whose largest magnitude is `max` and returns its scale.
[[maybe_unused]] inline float WriteCodes(const float* x, int n, int n_padded, float max, void* out) {
  auto* bytes = static_cast<std::int8_t*>(out);
  if (!(max >= kTiny && max <= std::numeric_limits<float>::max())) {
    std::memset(bytes, 0, static_cast<std::size_t>(n_padded));
    return max < kTiny ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  }
  const __m256 factor = _mm256_set1_ps(127.0f / max);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (int i = 0; i < n_padded; i += 32) {
    __m256i part[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const int left = n - i - 8 * v;
      part[v] = left > 0 ? RoundScaled(LoadFirst(x + i + 8 * v, left), factor) : _mm256_setzero_si256();
    }
    const __m256i mixed =
        _mm256_packs_epi16(_mm256_packs_epi32(part[0], part[1]), _mm256_packs_epi32(part[2], part[3]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i), _mm256_permutevar8x32_epi32(mixed, order));
  }
  return max / 127.0f;
}

}  // namespace
}  // namespace tamis::kernels
