// Norms, quantisation and transforms of one row on AVX2.
#include "kernels/hadamard_avx2.h"
#include "kernels/kernels.h"
#include "kernels/row_avx2.h"
#include "kernels/tables.h"

namespace tamis::kernels::avx2 {

void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale) {
  const float factor = RootOfMean(Dot(x, x, static_cast<std::size_t>(n)), n, eps);
  *scale = WriteCodes(x, n, n_padded, MaxAbs(x, n), out) * factor;
}

void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out) {
  const __m256 factor = _mm256_set1_ps(RootOfMean(Dot(x, x, static_cast<std::size_t>(n)), n, eps));
  for (int i = 0; i < n; i += 8) {
    const __m256 y = _mm256_mul_ps(LoadFirst(x + i, n - i), factor);
    StoreFirst(out + i, n - i, _mm256_mul_ps(y, LoadFirst(weight + i, n - i)));
  }
}

void Quantize(const float* x, int n, int n_padded, void* out, float* scale) {
  *scale = WriteCodes(x, n, n_padded, MaxAbs(x, n), out);
}

void Hadamard(float* x, int n, int block) {
  TransformRow(x, n, block);
  const __m256 norm = _mm256_set1_ps(HadamardNorm(block));
  for (int i = 0; i < n; i += 8) StoreFirst(x + i, n - i, _mm256_mul_ps(LoadFirst(x + i, n - i), norm));
}

void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale) {
  TransformRow(x, n, block);
  *scale = WriteCodes(x, n, n_padded, MaxAbs(x, n), out) * HadamardNorm(block);
}

void Butterfly(float* a, float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) {
    const int count = n - i >= 8 ? 8 : static_cast<int>(n - i);
    const __m256 x = LoadFirst(a + i, count);
    const __m256 y = LoadFirst(b + i, count);
    StoreFirst(a + i, count, _mm256_add_ps(x, y));
    StoreFirst(b + i, count, _mm256_sub_ps(x, y));
  }
}

float DotF32(const float* a, const float* b, std::size_t n) { return Dot(a, b, n); }

}  // namespace tamis::kernels::avx2
