// exp and SiLU on 8 floats, for the AVX2 files only.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <immintrin.h>

namespace tamis::kernels {
namespace {

// e^x with a relative error below 2e-7 where the result is a normal number; 0 below about -103.97, +inf above about
// 88.72, NaN for NaN. The same steps as ExpPs512, but 2^n is applied in two halves, so that each is a normal number.
[[maybe_unused]] inline __m256 ExpPs256(__m256 x) {
  // The constant comes first: max and min return their second operand if one is NaN.
  x = _mm256_min_ps(_mm256_set1_ps(89.0f), _mm256_max_ps(_mm256_set1_ps(-104.0f), x));
  const __m256 n =
      _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(0x1.715476p+0f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62e400p-1f), x);  // ln2 in two parts: n * the first is exact
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.7f7d1cp-20f), r);
  __m256 p = _mm256_set1_ps(0x1.6b6de6p-10f);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.123008p-7f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.55568ap-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.5554a2p-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0.5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  const __m256i whole = _mm256_cvtps_epi32(n);
  const __m256i half = _mm256_srai_epi32(whole, 1);
  const __m256i bias = _mm256_set1_epi32(127);
  const __m256 low = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
  const __m256 high = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, half), bias), 23));
  return _mm256_mul_ps(_mm256_mul_ps(p, low), high);
}

// x / (1 + e^-x). Finite for every finite x; tends to -0 on the negative side.
[[maybe_unused]] inline __m256 SiluPs256(__m256 x) {
  const __m256 e = ExpPs256(_mm256_sub_ps(_mm256_setzero_ps(), x));
  return _mm256_div_ps(x, _mm256_add_ps(_mm256_set1_ps(1.0f), e));
}

}  // namespace
}  // namespace tamis::kernels
