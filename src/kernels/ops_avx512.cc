// Norms, quantisation and transforms of one row on AVX-512; the AMX table takes the forms without a bias.
#include "kernels/hadamard_avx512.h"
#include "kernels/kernels.h"
#include "kernels/row_avx512.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

template <int kBias>
void RmsNormQuantizeRow(const float* x, int n, int n_padded, float eps, void* out, float* scale) {
  const RowStats stats = ReadRow<true>(x, n);
  *scale = WriteCodes<kBias>(x, n, n_padded, stats.max, out) * RootOfMean(stats.sum, n, eps);
}

template <int kBias>
void QuantizeRow(const float* x, int n, int n_padded, void* out, float* scale) {
  *scale = WriteCodes<kBias>(x, n, n_padded, ReadRow<false>(x, n).max, out);
}

template <int kBias>
void HadamardQuantizeRow(float* x, int n, int n_padded, int block, void* out, float* scale) {
  const float max = TransformRow(x, n, block);
  *scale = WriteCodes<kBias>(x, n, n_padded, max, out) * HadamardNorm(block);
}

}  // namespace

namespace avx512vnni {

void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale) {
  RmsNormQuantizeRow<128>(x, n, n_padded, eps, out, scale);
}

void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out) {
  const __m512 factor = _mm512_set1_ps(RootOfMean(ReadRow<true>(x, n).sum, n, eps));
  for (int i = 0; i < n; i += 16) {
    const __mmask16 lanes = FirstLanes(n - i);
    const __m512 y = _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, x + i), factor);
    _mm512_mask_storeu_ps(out + i, lanes, _mm512_mul_ps(y, _mm512_maskz_loadu_ps(lanes, weight + i)));
  }
}

void Quantize(const float* x, int n, int n_padded, void* out, float* scale) {
  QuantizeRow<128>(x, n, n_padded, out, scale);
}

void Hadamard(float* x, int n, int block) {
  TransformRow(x, n, block);
  const __m512 norm = _mm512_set1_ps(HadamardNorm(block));
  for (int i = 0; i < n; i += 16) {
    const __mmask16 lanes = FirstLanes(n - i);
    _mm512_mask_storeu_ps(x + i, lanes, _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, x + i), norm));
  }
}

void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale) {
  HadamardQuantizeRow<128>(x, n, n_padded, block, out, scale);
}

void Butterfly(float* a, float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 16) {
    const __mmask16 lanes = FirstLanes(n - i >= 16 ? 16 : static_cast<int>(n - i));
    const __m512 x = _mm512_maskz_loadu_ps(lanes, a + i);
    const __m512 y = _mm512_maskz_loadu_ps(lanes, b + i);
    _mm512_mask_storeu_ps(a + i, lanes, _mm512_add_ps(x, y));
    _mm512_mask_storeu_ps(b + i, lanes, _mm512_sub_ps(x, y));
  }
}

float DotF32(const float* a, const float* b, std::size_t n) {
  __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      sum[v] = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16 * v), _mm512_loadu_ps(b + i + 16 * v), sum[v]);
    }
  }
  const int left = static_cast<int>(n - i);
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    if (16 * v >= left) continue;
    const __mmask16 lanes = FirstLanes(left - 16 * v);
    sum[v] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, a + i + 16 * v), _mm512_maskz_loadu_ps(lanes, b + i + 16 * v),
                             sum[v]);
  }
  return FoldLanes(sum[0], sum[1], sum[2], sum[3]);
}

}  // namespace avx512vnni

namespace amx {

void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale) {
  RmsNormQuantizeRow<0>(x, n, n_padded, eps, out, scale);
}

void Quantize(const float* x, int n, int n_padded, void* out, float* scale) {
  QuantizeRow<0>(x, n, n_padded, out, scale);
}

void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale) {
  HadamardQuantizeRow<0>(x, n, n_padded, block, out, scale);
}

}  // namespace amx
}  // namespace tamis::kernels
