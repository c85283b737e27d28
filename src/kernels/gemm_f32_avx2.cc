// fp32 matrix product on AVX2, 6 rows by 16 columns at a time: 12 accumulators, 2 panel loads and a broadcast.
//
// Depth is cut into blocks whose part of a panel (96 x 64 x 4 bytes = 24 KB) stays in a first-level cache of 32 KB
// while all rows pass over it (45 -> 75 % of the peak at 48 rows of the 0.6B shapes, 92 % with the next block asked for
// ahead); sums wait in memory between blocks, so the order of additions stays that of k.
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
constexpr int kBlockRows = 48;
constexpr int kDepthBlock = 96;

struct alignas(32) Sums {
  float value[kBlockRows][kPanelColumns];
};

// The next block's weights, asked for in time; see gemm_s8_avx512vnni.cc.
struct Ahead {
  const char* next = nullptr;
  std::ptrdiff_t step = 0;  // bytes for each k
};

// Adds the products of M rows, 16 columns and one depth block to sums (or starts them).
template <int M>
[[gnu::noinline]] void MultiplyTile(const float* a, std::size_t lda, const float* b, int depth, bool first, Ahead ahead,
                                    float (*sums)[kPanelColumns], int column) {
  __m256 acc[M][2];
  if (first) {
    Unroll<2 * M>([&]<int i>() TAMIS_INLINE { acc[i / 2][i % 2] = _mm256_setzero_ps(); });
  } else {
    Unroll<2 * M>([&]<int i>()
                      TAMIS_INLINE { acc[i / 2][i % 2] = _mm256_load_ps(sums[i / 2] + column + i % 2 * kLanes); });
  }
  for (int k = 0; k < depth; ++k, b += kPanelColumns, ahead.next += ahead.step) {
    _mm_prefetch(ahead.next, _MM_HINT_T1);
    const __m256 b0 = _mm256_loadu_ps(b);
    const __m256 b1 = _mm256_loadu_ps(b + kLanes);
    Unroll<M>([&]<int m>() TAMIS_INLINE {
      const __m256 x = _mm256_broadcast_ss(a + static_cast<std::size_t>(m) * lda + static_cast<std::size_t>(k));
      acc[m][0] = _mm256_fmadd_ps(x, b0, acc[m][0]);
      acc[m][1] = _mm256_fmadd_ps(x, b1, acc[m][1]);
    });
  }
  Unroll<2 * M>([&]<int i>()
                    TAMIS_INLINE { _mm256_store_ps(sums[i / 2] + column + i % 2 * kLanes, acc[i / 2][i % 2]); });
}

void MultiplyRows(int rows, const float* a, std::size_t lda, const float* b, int depth, bool first, Ahead ahead,
                  float (*sums)[kPanelColumns], int column) {
  switch (rows) {
    case 1: return MultiplyTile<1>(a, lda, b, depth, first, ahead, sums, column);
    case 2: return MultiplyTile<2>(a, lda, b, depth, first, ahead, sums, column);
    case 3: return MultiplyTile<3>(a, lda, b, depth, first, ahead, sums, column);
    case 4: return MultiplyTile<4>(a, lda, b, depth, first, ahead, sums, column);
    case 5: return MultiplyTile<5>(a, lda, b, depth, first, ahead, sums, column);
    default: return MultiplyTile<6>(a, lda, b, depth, first, ahead, sums, column);
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

// All panels asked for, for the rows [begin, end), at most kBlockRows.
void MultiplyBlock(const GemmF32Args& args, int begin, int end, Sums& sums) {
  constexpr std::ptrdiff_t kRowBytes = kPanelColumns * sizeof(float);
  const PackedF32& b = *args.b;
  const int tiles = (end - begin + kTileRows - 1) / kTileRows * kTilesPerPanel;
  const float* weights =
      b.data + static_cast<std::size_t>(args.panel_begin) * static_cast<std::size_t>(b.k) * kPanelColumns;
  for (int panel = args.panel_begin; panel < args.panel_end; ++panel) {
    for (int k = 0; k < b.k; k += kDepthBlock) {
      const int depth = std::min(kDepthBlock, b.k - k);
      Ahead ahead{reinterpret_cast<const char*>(weights) + depth * kRowBytes, kRowBytes / tiles};
      for (int row = begin; row < end; row += kTileRows) {
        const float* a = args.a + static_cast<std::size_t>(row) * args.lda + k;
        for (int i = 0; i < kPanelColumns; i += kTileColumns) {
          MultiplyRows(std::min(kTileRows, end - row), a, args.lda, weights + i, depth, k == 0, ahead,
                       sums.value + (row - begin), i);
          ahead.next += depth * kRowBytes / tiles;
        }
      }
      weights += static_cast<std::ptrdiff_t>(depth) * kPanelColumns;
    }
    const int step = args.output == GemmOutput::kSiluMul ? 2 : 1;
    for (int row = begin; row < end; ++row) {
      float* c = args.c + static_cast<std::size_t>(row) * args.ldc;
      for (int i = 0; i < kTilesPerPanel; i += step) {
        Finish(args, sums.value[row - begin] + i * kTileColumns, panel * kPanelColumns + i * kTileColumns, c);
      }
    }
  }
}

}  // namespace

void GemmF32(const GemmF32Args& args) {
  Sums sums;
  for (int row = 0; row < args.rows; row += kBlockRows) {
    MultiplyBlock(args, row, std::min(row + kBlockRows, args.rows), sums);
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
