// fp32 matrix product on AVX2, 6 rows by 16 columns at a time: 12 accumulators, 2 panel loads and a broadcast.
#include <immintrin.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"
#include "kernels/vector_math_avx2.h"

namespace tamis::kernels::avx2 {
namespace {

constexpr int kLanes = 8;
constexpr int kTileRows = 6;
constexpr int kTileColumns = 2 * kLanes;
constexpr int kTilesPerPanel = kPanelColumns / kTileColumns;

struct alignas(32) Sums {
  float value[kTileRows][kPanelColumns];
};

template <int M>
void MultiplyTile(const float* a, std::size_t lda, const float* b, int depth, float (*sums)[kPanelColumns],
                  int column) {
  __m256 acc[M][2];
  Unroll<M>([&]<int m>() TAMIS_INLINE {
    acc[m][0] = _mm256_setzero_ps();
    acc[m][1] = _mm256_setzero_ps();
  });
  for (int k = 0; k < depth; ++k, b += kPanelColumns) {
    const __m256 b0 = _mm256_loadu_ps(b);
    const __m256 b1 = _mm256_loadu_ps(b + kLanes);
    Unroll<M>([&]<int m>() TAMIS_INLINE {
      const __m256 x = _mm256_broadcast_ss(a + static_cast<std::size_t>(m) * lda + static_cast<std::size_t>(k));
      acc[m][0] = _mm256_fmadd_ps(x, b0, acc[m][0]);
      acc[m][1] = _mm256_fmadd_ps(x, b1, acc[m][1]);
    });
  }
  Unroll<M>([&]<int m>() TAMIS_INLINE {
    _mm256_store_ps(sums[m] + column, acc[m][0]);
    _mm256_store_ps(sums[m] + column + kLanes, acc[m][1]);
  });
}

void MultiplyRows(int rows, const float* a, std::size_t lda, const float* b, int depth, Sums& sums, int column) {
  switch (rows) {
    case 1: return MultiplyTile<1>(a, lda, b, depth, sums.value, column);
    case 2: return MultiplyTile<2>(a, lda, b, depth, sums.value, column);
    case 3: return MultiplyTile<3>(a, lda, b, depth, sums.value, column);
    case 4: return MultiplyTile<4>(a, lda, b, depth, sums.value, column);
    case 5: return MultiplyTile<5>(a, lda, b, depth, sums.value, column);
    default: return MultiplyTile<6>(a, lda, b, depth, sums.value, column);
  }
}

// 16 columns of one row, or (kSiluMul) 16 gates and 16 ups.
void Finish(const GemmF32Args& args, const float* sums, int column, float* c) {
  const int n = args.b->n;
  const bool pair = args.output == GemmOutput::kSiluMul;
  for (int j = 0; j < 2; ++j) {
    const __m256 y = _mm256_load_ps(sums + j * kLanes);
    const int first = (pair ? column + kTileColumns : column) + j * kLanes;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(n - first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    if (pair) {
      const __m256 up = _mm256_load_ps(sums + kTileColumns + j * kLanes);
      _mm256_maskstore_ps(c + column / 2 + j * kLanes, mask, _mm256_mul_ps(SiluPs256(y), up));
      continue;
    }
    const __m256 old = args.output == GemmOutput::kAdd ? _mm256_maskload_ps(c + first, mask) : _mm256_setzero_ps();
    _mm256_maskstore_ps(c + first, mask, args.output == GemmOutput::kAdd ? _mm256_add_ps(old, y) : y);
  }
}

// One operation of the peak loop; as assembly because equal intrinsics on equal values would be merged into one.
[[gnu::always_inline]] inline void KeepMultiplying(__m256& acc, __m256 a) {
  __asm__ volatile("vfmadd231ps %1, %1, %0" : "+x"(acc) : "x"(a));
}

}  // namespace

void GemmF32(const GemmF32Args& args) {
  const PackedF32& b = *args.b;
  const int step = args.output == GemmOutput::kSiluMul ? 2 : 1;
  Sums sums;
  for (int tile = args.panel_begin * kTilesPerPanel; tile < args.panel_end * kTilesPerPanel; tile += step) {
    const float* weights =
        b.data + static_cast<std::size_t>(tile / kTilesPerPanel) * static_cast<std::size_t>(b.k) * kPanelColumns +
        tile % kTilesPerPanel * kTileColumns;
    for (int row = 0; row < args.rows; row += kTileRows) {
      const int rows = std::min(kTileRows, args.rows - row);
      for (int i = 0; i < step; ++i) {
        MultiplyRows(rows, args.a + static_cast<std::size_t>(row) * args.lda, args.lda, weights + i * kTileColumns, b.k,
                     sums, i * kTileColumns);
      }
      for (int m = 0; m < rows; ++m) {
        Finish(args, sums.value[m], tile * kTileColumns, args.c + static_cast<std::size_t>(row + m) * args.ldc);
      }
    }
  }
}

double PeakF32(std::int64_t iterations) {
  constexpr int kAccumulators = 12;
  __m256 acc[kAccumulators];
  const __m256 a = _mm256_set1_ps(0.5f);
  Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { acc[j] = _mm256_setzero_ps(); });
  for (std::int64_t i = 0; i < iterations; ++i) {
    Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { KeepMultiplying(acc[j], a); });
  }
  return 2.0 * kLanes * kAccumulators * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::avx2
