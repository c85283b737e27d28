// Fast Walsh-Hadamard transform for the AVX-512 files, without the normalisation.
//
// Up to 256 floats go through all their butterflies in registers: distances 1 to 8 within a register (a shuffle and a
// fused multiply-add with +-1, which rounds as the plain sum does), 16 to 128 between sixteen registers. Larger blocks
// take one more pass over memory for up to four further distances. The order of distances is the reference's.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

#include "kernels/row_avx512.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

// +1 in lanes whose index lacks the bit `kDistance`, -1 in the others.
template <int kDistance>
inline __m512 Signs() {
  alignas(64) static constexpr auto kTable = [] {
    struct {
      float lane[16];
    } table{};
    for (int i = 0; i < 16; ++i) table.lane[i] = (i & kDistance) != 0 ? -1.0f : 1.0f;
    return table;
  }();
  return _mm512_load_ps(kTable.lane);
}

[[gnu::always_inline]] inline __m512 ButterflyLanes2(__m512 x) {
  return _mm512_fmadd_ps(x, Signs<2>(), _mm512_permute_ps(x, 0x4e));
}
[[gnu::always_inline]] inline __m512 ButterflyLanes4(__m512 x) {
  return _mm512_fmadd_ps(x, Signs<4>(), _mm512_shuffle_f32x4(x, x, 0xb1));
}
[[gnu::always_inline]] inline __m512 ButterflyLanes8(__m512 x) {
  return _mm512_fmadd_ps(x, Signs<8>(), _mm512_shuffle_f32x4(x, x, 0x4e));
}
[[gnu::always_inline]] inline __m512 ButterflyLanes1(__m512 x) {
  return _mm512_fmadd_ps(_mm512_movehdup_ps(x), Signs<1>(), _mm512_moveldup_ps(x));
}
[[gnu::always_inline]] inline __m512 ButterflyLanes(__m512 x) {
  return ButterflyLanes8(ButterflyLanes4(ButterflyLanes2(ButterflyLanes1(x))));
}

// All distances between kRegisters registers.
template <int kDistance, int kRegisters>
[[gnu::always_inline]] inline void ButterflyRegisters(__m512 (&v)[kRegisters]) {
  if constexpr (kDistance < kRegisters) {
    Unroll<kRegisters / 2>([&]<int i>() TAMIS_INLINE {
      constexpr int j = i / kDistance * 2 * kDistance + i % kDistance;
      const __m512 a = v[j];
      v[j] = _mm512_add_ps(a, v[j + kDistance]);
      v[j + kDistance] = _mm512_sub_ps(a, v[j + kDistance]);
    });
    ButterflyRegisters<2 * kDistance>(v);
  }
}

// Blocks of 16 * kRegisters floats: every distance.
template <int kRegisters>
inline void TransformBlocks(float* x, int n) {
  for (float* end = x + n; x < end; x += 16 * kRegisters) {
    __m512 v[kRegisters];
    Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { v[i] = ButterflyLanes(_mm512_loadu_ps(x + 16 * i)); });
    ButterflyRegisters<1>(v);
    Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { _mm512_storeu_ps(x + 16 * i, v[i]); });
  }
}

// Distances `distance` ... distance * kRegisters / 2; the largest magnitude of the results is taken on the way.
template <int kRegisters>
inline void TransformStrided(float* x, int n, int distance, __m512i* max) {
  __m512i max_bits = *max;
  for (int begin = 0; begin < n; begin += kRegisters * distance) {
    for (float *p = x + begin, *end = p + distance; p < end; p += 16) {
      __m512 v[kRegisters];
      Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { v[i] = _mm512_loadu_ps(p + i * distance); });
      ButterflyRegisters<1>(v);
      Unroll<kRegisters>([&]<int i>() TAMIS_INLINE {
        _mm512_storeu_ps(p + i * distance, v[i]);
        max_bits = _mm512_max_epu32(max_bits, AbsBits(v[i]));
      });
    }
  }
  *max = max_bits;
}

// Blocks below 16, several of them in a register.
inline void TransformSmallBlocks(float* x, int n, int block) {
  for (int i = 0; i < n; i += 16) {
    const __mmask16 lanes = FirstLanes(n - i);
    __m512 v = _mm512_maskz_loadu_ps(lanes, x + i);
    if (block > 1) v = ButterflyLanes1(v);
    if (block > 2) v = ButterflyLanes2(v);
    if (block > 4) v = ButterflyLanes4(v);
    _mm512_mask_storeu_ps(x + i, lanes, v);
  }
}

// Transforms every block of a row and returns the largest magnitude of the result.
inline float TransformRow(float* x, int n, int block) {
  switch (block) {
    case 16: TransformBlocks<1>(x, n); break;
    case 32: TransformBlocks<2>(x, n); break;
    case 64: TransformBlocks<4>(x, n); break;
    case 128: TransformBlocks<8>(x, n); break;
    default:
      if (block < 16) {
        TransformSmallBlocks(x, n, block);
      } else {
        TransformBlocks<16>(x, n);
      }
  }
  if (block <= 256) return ReadRow<false>(x, n).max;
  __m512i max = _mm512_setzero_si512();
  for (int distance = 256; distance < block;) {
    max = _mm512_setzero_si512();  // only the last pass counts
    const int left = block / distance;
    if (left >= 16) {
      TransformStrided<16>(x, n, distance, &max);
      distance *= 16;
    } else if (left == 8) {
      TransformStrided<8>(x, n, distance, &max);
      distance *= 8;
    } else if (left == 4) {
      TransformStrided<4>(x, n, distance, &max);
      distance *= 4;
    } else {
      TransformStrided<2>(x, n, distance, &max);
      distance *= 2;
    }
  }
  return MaxLane(max);
}

inline float HadamardNorm(int block) { return 1.0f / std::sqrt(static_cast<float>(block)); }

}  // namespace
}  // namespace tamis::kernels
