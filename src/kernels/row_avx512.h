// Loops over one row of floats for the AVX-512 files: sums of squares, largest magnitude, quantisation.
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

// The first `count` lanes, 0 <= count; all of them from 16 on.
inline __mmask16 FirstLanes(int count) {
  return count >= 16 ? __mmask16{0xffff} : static_cast<__mmask16>((1u << (count > 0 ? count : 0)) - 1u);
}

// Bit patterns of |x| compare as unsigned integers in the order of the numbers, with infinities and NaNs on top.
inline __m512i AbsBits(__m512 x) { return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)); }

inline float MaxLane(__m512i bits) {
  const std::uint32_t max = _mm512_reduce_max_epu32(bits);
  float value;
  std::memcpy(&value, &max, sizeof(value));
  return value;
}

// Folds 64 lanes in halves, as the reference does.
inline float FoldLanes(__m512 a0, __m512 a1, __m512 a2, __m512 a3) {
  const __m512 a = _mm512_add_ps(_mm512_add_ps(a0, a2), _mm512_add_ps(a1, a3));
  const __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  const __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  const __m128 d = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)));
}

inline float RootOfMean(float sum, int n, float eps) { return 1.0f / std::sqrt(sum / static_cast<float>(n) + eps); }

struct RowStats {
  float sum = 0;  // of squares
  float max = 0;  // of magnitudes
};

template <bool kSum>
inline RowStats ReadRow(const float* x, int n) {
  __m512 sum[4];
  __m512i max[4];
  for (int v = 0; v < 4; ++v) {
    sum[v] = _mm512_setzero_ps();
    max[v] = _mm512_setzero_si512();
  }
  const auto add = [&](__m512 value, int v) {
    if (kSum) sum[v] = _mm512_fmadd_ps(value, value, sum[v]);
    max[v] = _mm512_max_epu32(max[v], AbsBits(value));
  };
  int i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) add(_mm512_loadu_ps(x + i + 16 * v), v);
  }
  if (i < n) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const int begin = i + 16 * v;
      if (begin < n) add(_mm512_maskz_loadu_ps(FirstLanes(n - begin), x + begin), v);
    }
  }
  RowStats stats;
  if (kSum) stats.sum = FoldLanes(sum[0], sum[1], sum[2], sum[3]);
  stats.max = MaxLane(_mm512_max_epu32(_mm512_max_epu32(max[0], max[1]), _mm512_max_epu32(max[2], max[3])));
  return stats;
}

// 64 integers to 64 bytes in order; values fit.
inline __m512i PackBytes(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i mixed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
  return _mm512_permutexvar_epi32(order, mixed);
}

// The same for unsigned bytes; what does not fit is clamped.
inline __m512i PackUnsignedBytes(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i mixed = _mm512_packus_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
  return _mm512_permutexvar_epi32(order, mixed);
}

inline __m512i RoundScaled(__m512 x, __m512 factor) { return _mm512_cvtps_epi32(_mm512_mul_ps(x, factor)); }

// kBias is 0 or 128: the code of zero. 128 added to a byte is its top bit flipped.
template <int kBias>
inline __m512i AddBias(__m512i bytes) {
  return kBias == 0 ? bytes : _mm512_xor_si512(bytes, _mm512_set1_epi8(static_cast<char>(0x80)));
}

// True for a row that has codes other than zero; else `scale` is already its scale.
inline bool HasCodes(float max, float* scale) {
  if (max >= kTiny && max <= std::numeric_limits<float>::max()) return true;
  *scale = max < kTiny ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  return false;
}

// Writes the codes of a row whose largest magnitude is `max` and returns its scale.
template <int kBias>
inline float WriteCodes(const float* x, int n, int n_padded, float max, void* out) {
  auto* bytes = static_cast<std::uint8_t*>(out);
  float scale;
  if (!HasCodes(max, &scale)) {
    std::memset(bytes, kBias, static_cast<std::size_t>(n_padded));
    return scale;
  }
  const __m512 factor = _mm512_set1_ps(127.0f / max);
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512i packed =
        PackBytes(RoundScaled(_mm512_loadu_ps(x + i), factor), RoundScaled(_mm512_loadu_ps(x + i + 16), factor),
                  RoundScaled(_mm512_loadu_ps(x + i + 32), factor), RoundScaled(_mm512_loadu_ps(x + i + 48), factor));
    _mm512_storeu_si512(bytes + i, AddBias<kBias>(packed));
  }
  if (i < n) {
    __m512i part[4];
    for (int v = 0; v < 4; ++v) {
      const int begin = i + 16 * v;
      part[v] = begin < n ? RoundScaled(_mm512_maskz_loadu_ps(FirstLanes(n - begin), x + begin), factor)
                          : _mm512_setzero_si512();
    }
    _mm512_storeu_si512(bytes + i, AddBias<kBias>(PackBytes(part[0], part[1], part[2], part[3])));
    i += 64;
  }
  if (i < n_padded) std::memset(bytes + i, kBias, static_cast<std::size_t>(n_padded - i));
  return max / 127.0f;
}

}  // namespace
}  // namespace tamis::kernels
