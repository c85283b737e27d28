// Online softmax of four rows at a time, for the AVX-512 attention files.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

#include "kernels/row_avx512.h"
#include "kernels/unroll.h"
#include "kernels/vector_math_avx512.h"

namespace tamis::kernels {
namespace {

constexpr int kTile = 4;     // rows
constexpr int kVectors = 4;  // registers of 16 keys: one page

// 2^x, exactly 1 for 0 and exactly 0 for very negative x, NaN for NaN; relative error 3e-6, for results that become
// bytes. The polynomial is minimax for the fraction in [0, 1), so that scalef, which takes the floor of x itself, does
// the rest.
inline __m512 Exp2ForBytes(__m512 x) {
  const __m512 r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  __m512 p = _mm512_set1_ps(0x1.b7f730p-7f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.abf868p-5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.ee2450p-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.62d6c6p-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, x);
}

// Lane r of the result: the operation over all lanes of x[r].
template <typename Op>
inline __m128i ReduceRows(const __m512i (&x)[kTile], Op op) {
  const __m512i ab = op(_mm512_unpacklo_epi32(x[0], x[1]), _mm512_unpackhi_epi32(x[0], x[1]));
  const __m512i cd = op(_mm512_unpacklo_epi32(x[2], x[3]), _mm512_unpackhi_epi32(x[2], x[3]));
  const __m512i abcd = op(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
  const __m512i halves = op(abcd, _mm512_shuffle_i64x2(abcd, abcd, 0x4e));
  return _mm512_castsi512_si128(op(halves, _mm512_shuffle_i64x2(halves, halves, 0xb1)));
}

inline __m128 MaxOfRows(const __m512 (&x)[kTile]) {
  const __m512i bits[kTile] = {_mm512_castps_si512(x[0]), _mm512_castps_si512(x[1]), _mm512_castps_si512(x[2]),
                               _mm512_castps_si512(x[3])};
  return _mm_castsi128_ps(ReduceRows(bits, [](__m512i a, __m512i b) {
    return _mm512_castps_si512(_mm512_max_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
  }));
}

// Of numbers that are not negative; a NaN counts as the largest.
inline __m128 MaxBitsOfRows(const __m512i (&x)[kTile]) {
  return _mm_castsi128_ps(ReduceRows(x, [](__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }));
}

template <int kRows, int kCount>
[[gnu::always_inline]] inline __m128 MaxOfVisible(const __mmask16 (&visible)[kRows][kCount],
                                                  const __m512 (&x)[kRows][kCount]) {
  __m512 max[kTile];
  Unroll<kTile>([&]<int r>() TAMIS_INLINE {
    max[r] = _mm512_set1_ps(std::numeric_limits<float>::lowest());
    if constexpr (r < kRows) {
      Unroll<kCount>([&]<int v>() TAMIS_INLINE {  // max returns its second operand if one is NaN
        max[r] = _mm512_mask_max_ps(max[r], visible[r][v], x[r][v], max[r]);
      });
    }
  });
  return MaxOfRows(max);
}

struct CodeScales {
  __m128 factor;  // 255 / max
  __m128 scale;   // max / 255
};

// A row without a maximum worth mentioning gets zeros; one with a NaN or an infinity gets a NaN as its scale.
inline CodeScales ScalesOfMax(__m128 max) {
  const __mmask8 has_codes = _mm_cmp_ps_mask(max, _mm_set1_ps(kTiny), _CMP_GE_OQ);
  const __mmask8 finite = _mm_cmp_ps_mask(max, _mm_set1_ps(std::numeric_limits<float>::max()), _CMP_LE_OQ);
  const __m128 steps = _mm_set1_ps(255.0f);
  CodeScales scales;
  scales.factor = _mm_maskz_div_ps(static_cast<__mmask8>(has_codes & finite), steps, max);
  scales.scale = _mm_maskz_div_ps(has_codes, max, steps);
  scales.scale = _mm_mask_blend_ps(finite, _mm_set1_ps(std::numeric_limits<float>::quiet_NaN()), scales.scale);
  return scales;
}

// Element r of an xmm register in all lanes: stored once, read by broadcasting loads, which need no shuffle.
struct RowFactors {
  explicit RowFactors(__m128 x) { _mm_store_ps(value, x); }
  __m512 operator[](int r) const { return _mm512_set1_ps(value[r]); }
  alignas(16) float value[kTile];
};

// What four rows have seen so far.
struct SoftmaxState {
  alignas(64) float sum[kTile][16];  // of probabilities relative to exp(max), lane by lane
  alignas(16) float max[kTile];
  alignas(16) float scale[kTile];  // int8: of the row's query, times log2(e)

  void Start() {
    for (int r = 0; r < kTile; ++r) {
      _mm512_store_ps(sum[r], _mm512_setzero_ps());
      max[r] = -1e30f;  // not infinite: its difference to itself is 0
      scale[r] = 0;
    }
  }

  // Turns scores into probabilities, 2^(score * scale - max) or e^(score - max), in place; lanes that are not visible
  // become 0. Returns what sums over earlier pages must be multiplied by.
  template <bool kInt8, int kRows, int kCount>
  [[gnu::always_inline]] inline __m128 Add(const __mmask16 (&visible)[kRows][kCount], __m512 (&x)[kRows][kCount]) {
    const __m128 old_max = _mm_load_ps(max);
    __m128 page_max = MaxOfVisible(visible, x);
    if constexpr (kInt8) page_max = _mm_mul_ps(page_max, _mm_load_ps(scale));
    const __m128 new_max = _mm_max_ps(page_max, old_max);
    _mm_store_ps(max, new_max);
    const __m512 change = _mm512_zextps128_ps512(_mm_sub_ps(old_max, new_max));
    const __m128 rescale = _mm512_castps512_ps128(kInt8 ? Exp2ForBytes(change) : ExpPs512(change));
    const RowFactors rescale_row(rescale);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m512 m = _mm512_set1_ps(max[r]);
      const __m512 s = _mm512_set1_ps(scale[r]);
      Unroll<kCount>([&]<int v>() TAMIS_INLINE {
        const __m512 p = kInt8 ? Exp2ForBytes(_mm512_fmsub_ps(x[r][v], s, m)) : ExpPs512(_mm512_sub_ps(x[r][v], m));
        x[r][v] = _mm512_maskz_mov_ps(visible[r][v], p);
      });
      // Pairs first: registers that are left out and registers of zeros give the same sum.
      __m512 page_sum = x[r][0];
      if constexpr (kCount > 1) page_sum = _mm512_add_ps(page_sum, x[r][1]);
      if constexpr (kCount == 3) page_sum = _mm512_add_ps(page_sum, x[r][2]);
      if constexpr (kCount == 4) page_sum = _mm512_add_ps(page_sum, _mm512_add_ps(x[r][2], x[r][3]));
      _mm512_store_ps(sum[r], _mm512_fmadd_ps(_mm512_load_ps(sum[r]), rescale_row[r], page_sum));
    });
    return rescale;
  }

  float Denominator(int r) const { return _mm512_reduce_add_ps(_mm512_load_ps(sum[r])); }
};

// out = sums * factor.
inline void WriteScaled(const float* sums, int n, float factor, float* out) {
  const __m512 f = _mm512_set1_ps(factor);
  int i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(out + i, _mm512_mul_ps(_mm512_loadu_ps(sums + i), f));
  if (i < n) {
    const __mmask16 lanes = FirstLanes(n - i);
    _mm512_mask_storeu_ps(out + i, lanes, _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, sums + i), f));
  }
}

}  // namespace
}  // namespace tamis::kernels
