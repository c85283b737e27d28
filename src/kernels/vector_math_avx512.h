// exp and SiLU on 16 floats, for the AVX-512 files only.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

namespace tamis::kernels {
namespace {

// e^x with a relative error below 2e-7 where the result is a normal number; 0 below about -103.97, +inf above about
// 88.72, NaN for NaN. x = n ln2 + r with |r| <= ln2/2; e^r by a polynomial (minimax, relative error 4e-9); scalef
// applies 2^n and handles overflow and denormal results.
[[maybe_unused]] inline __m512 ExpPs512(__m512 x) {
  // The constant comes first: max and min return their second operand if one is NaN.
  x = _mm512_min_ps(_mm512_set1_ps(89.0f), _mm512_max_ps(_mm512_set1_ps(-104.0f), x));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p+0f)),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e400p-1f), x);  // ln2 in two parts: n * the first is exact
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20f), r);
  __m512 p = _mm512_set1_ps(0x1.6b6de6p-10f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.123008p-7f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.55568ap-5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.5554a2p-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, n);
}

// x / (1 + e^-x). Finite for every finite x; tends to -0 on the negative side.
[[maybe_unused]] inline __m512 SiluPs512(__m512 x) {
  const __m512 e = ExpPs512(_mm512_sub_ps(_mm512_setzero_ps(), x));
  return _mm512_div_ps(x, _mm512_add_ps(_mm512_set1_ps(1.0f), e));
}

}  // namespace
}  // namespace tamis::kernels
