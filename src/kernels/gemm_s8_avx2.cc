// Int8 matrix product on AVX2, 2 rows by 32 columns at a time.
//
// VPMADDUBSW multiplies unsigned by signed bytes and adds pairs in 16 bits with saturation. Here the unsigned side is
// |a| and the signed side is b with a's sign, both at most 127, so a pair is at most 2 * 127 * 127 = 32,258 and fits.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "kernels/kernels.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"
#include "kernels/vector_math_avx2.h"

namespace tamis::kernels::avx2 {
namespace {

constexpr int kLanes = 8;
constexpr int kTileRows = 2;
constexpr int kTileColumns = 32;
constexpr int kGroups = kTileColumns / kLanes;

// Sums of 32 columns for M rows.
template <int M>
void MultiplyTile(const std::int8_t* a, std::size_t lda, const std::int8_t* b, int depth, __m256i (*sums)[kGroups]) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i acc[M][kGroups];
  Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE { acc[i / kGroups][i % kGroups] = _mm256_setzero_si256(); });
  for (int k = 0; k < depth; k += kKeyGroup, b += kPanelColumns * kKeyGroup) {
    __m256i x[M];
    __m256i magnitude[M];
    Unroll<M>([&]<int m>() TAMIS_INLINE {
      std::int32_t four;
      std::memcpy(&four, a + static_cast<std::size_t>(m) * lda + static_cast<std::size_t>(k), sizeof four);
      x[m] = _mm256_set1_epi32(four);
      magnitude[m] = _mm256_abs_epi8(x[m]);
    });
    Unroll<kGroups>([&]<int j>() TAMIS_INLINE {
      const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + j * 32));
      Unroll<M>([&]<int m>() TAMIS_INLINE {
        const __m256i pairs = _mm256_maddubs_epi16(magnitude[m], _mm256_sign_epi8(w, x[m]));
        acc[m][j] = _mm256_add_epi32(acc[m][j], _mm256_madd_epi16(pairs, ones));
      });
    });
  }
  Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE { sums[i / kGroups][i % kGroups] = acc[i / kGroups][i % kGroups]; });
}

// Lane mask of the columns [column, column + 8) that exist.
__m256i ColumnMask(int column, int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n - column), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

void Store(GemmOutput output, __m256 y, int column, int n, float* c) {
  const __m256i mask = ColumnMask(column, n);
  if (output == GemmOutput::kAdd) y = _mm256_add_ps(_mm256_maskload_ps(c + column, mask), y);
  _mm256_maskstore_ps(c + column, mask, y);
}

// Columns [column, column + 32) of one row: 16 gates and 16 ups when the output is kSiluMul.
void Finish(const GemmS8Args& args, int row, int column, const __m256i (&sums)[kGroups]) {
  const PackedS8& b = *args.b;
  const __m256 row_scale = _mm256_set1_ps(args.a_scale[row]);
  float* c = args.c + static_cast<std::size_t>(row) * args.ldc;
  __m256 y[kGroups];
  for (int j = 0; j < kGroups; ++j) {
    const __m256 scale = _mm256_loadu_ps(b.scale + column + j * kLanes);
    y[j] = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[j]), _mm256_mul_ps(row_scale, scale));
  }
  if (args.output == GemmOutput::kSiluMul) {
    for (int j = 0; j < 2; ++j) {
      const __m256i mask = ColumnMask(column + 16 + j * kLanes, b.n);
      _mm256_maskstore_ps(c + column / 2 + j * kLanes, mask, _mm256_mul_ps(SiluPs256(y[j]), y[j + 2]));
    }
    return;
  }
  for (int j = 0; j < kGroups; ++j) Store(args.output, y[j], column + j * kLanes, b.n, c);
}

// One operation of the peak loop; as assembly because equal intrinsics on equal values would be merged into one.
[[gnu::always_inline]] inline void KeepMultiplying(__m256i& acc, __m256i a, __m256i ones) {
  __m256i pairs;
  __asm__ volatile("vpmaddubsw %2, %2, %1\n\tvpmaddwd %3, %1, %1\n\tvpaddd %1, %0, %0"
                   : "+x"(acc), "=&x"(pairs)
                   : "x"(a), "x"(ones));
}

}  // namespace

void GemmS8(const GemmS8Args& args) {
  const PackedS8& b = *args.b;
  for (int half = 2 * args.panel_begin; half < 2 * args.panel_end; ++half) {
    const std::int8_t* weights =
        b.data + static_cast<std::size_t>(half / 2) * static_cast<std::size_t>(b.k_padded) * kPanelColumns +
        (half % 2) * kTileColumns * kKeyGroup;
    for (int row = 0; row < args.rows; row += kTileRows) {
      const auto* a = static_cast<const std::int8_t*>(args.a) + static_cast<std::size_t>(row) * args.lda;
      __m256i acc[kTileRows][kGroups];
      if (args.rows - row >= kTileRows) {
        MultiplyTile<kTileRows>(a, args.lda, weights, b.k_padded, acc);
      } else {
        MultiplyTile<1>(a, args.lda, weights, b.k_padded, acc);
      }
      for (int m = 0; m < std::min(kTileRows, args.rows - row); ++m) Finish(args, row + m, half * kTileColumns, acc[m]);
    }
  }
}

double PeakS8(std::int64_t iterations) {
  constexpr int kAccumulators = 8;
  __m256i acc[kAccumulators];
  const __m256i a = _mm256_set1_epi8(3);
  const __m256i ones = _mm256_set1_epi16(1);
  Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { acc[j] = _mm256_setzero_si256(); });
  for (std::int64_t i = 0; i < iterations; ++i) {
    Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { KeepMultiplying(acc[j], a, ones); });
  }
  return 2.0 * 32 * kAccumulators * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::avx2
