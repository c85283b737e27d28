// Fast Walsh-Hadamard transform for the AVX2 files, without the normalisation: distances 1 to 4 within a register, 8 to
// 32 between eight registers, then passes over memory for up to three distances each. The order is the reference's.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

#include "kernels/row_avx2.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

inline __m256 ButterflyLanes1(__m256 x) {
  const __m256 signs = _mm256_setr_ps(1, -1, 1, -1, 1, -1, 1, -1);
  return _mm256_fmadd_ps(_mm256_movehdup_ps(x), signs, _mm256_moveldup_ps(x));
}
inline __m256 ButterflyLanes2(__m256 x) {
  const __m256 signs = _mm256_setr_ps(1, 1, -1, -1, 1, 1, -1, -1);
  return _mm256_fmadd_ps(x, signs, _mm256_permute_ps(x, 0x4e));
}
inline __m256 ButterflyLanes4(__m256 x) {
  const __m256 signs = _mm256_setr_ps(1, 1, 1, 1, -1, -1, -1, -1);
  return _mm256_fmadd_ps(x, signs, _mm256_permute2f128_ps(x, x, 1));
}

template <int kDistance, int kRegisters>
[[gnu::always_inline]] inline void ButterflyRegisters(__m256 (&v)[kRegisters]) {
  if constexpr (kDistance < kRegisters) {
    Unroll<kRegisters / 2>([&]<int i>() TAMIS_INLINE {
      constexpr int j = i / kDistance * 2 * kDistance + i % kDistance;
      const __m256 a = v[j];
      v[j] = _mm256_add_ps(a, v[j + kDistance]);
      v[j + kDistance] = _mm256_sub_ps(a, v[j + kDistance]);
    });
    ButterflyRegisters<2 * kDistance>(v);
  }
}

// Blocks of 8 * kRegisters floats: every distance.
template <int kRegisters>
inline void TransformBlocks(float* x, int n) {
  for (float* end = x + n; x < end; x += 8 * kRegisters) {
    __m256 v[kRegisters];
    Unroll<kRegisters>([&]<int i>() TAMIS_INLINE {
      v[i] = ButterflyLanes4(ButterflyLanes2(ButterflyLanes1(_mm256_loadu_ps(x + 8 * i))));
    });
    ButterflyRegisters<1>(v);
    Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { _mm256_storeu_ps(x + 8 * i, v[i]); });
  }
}

// Distances `distance` ... distance * kRegisters / 2.
template <int kRegisters>
inline void TransformStrided(float* x, int n, int distance) {
  for (int begin = 0; begin < n; begin += kRegisters * distance) {
    for (float *p = x + begin, *end = p + distance; p < end; p += 8) {
      __m256 v[kRegisters];
      Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { v[i] = _mm256_loadu_ps(p + i * distance); });
      ButterflyRegisters<1>(v);
      Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { _mm256_storeu_ps(p + i * distance, v[i]); });
    }
  }
}

// Blocks below 8, several of them in a register.
inline void TransformSmallBlocks(float* x, int n, int block) {
  for (int i = 0; i < n; i += 8) {
    __m256 v = LoadFirst(x + i, n - i);
    if (block > 1) v = ButterflyLanes1(v);
    if (block > 2) v = ButterflyLanes2(v);
    StoreFirst(x + i, n - i, v);
  }
}

inline void TransformRow(float* x, int n, int block) {
  if (block < 8) return TransformSmallBlocks(x, n, block);
  switch (block) {
    case 8: TransformBlocks<1>(x, n); break;
    case 16: TransformBlocks<2>(x, n); break;
    case 32: TransformBlocks<4>(x, n); break;
    default: TransformBlocks<8>(x, n); break;
  }
  int distance = 64;
  for (; distance * 8 <= block; distance *= 8) TransformStrided<8>(x, n, distance);
  if (distance * 4 == block) TransformStrided<4>(x, n, distance);
  if (distance * 2 == block) TransformStrided<2>(x, n, distance);
}

inline float HadamardNorm(int block) { return 1.0f / std::sqrt(static_cast<float>(block)); }

}  // namespace
}  // namespace tamis::kernels
