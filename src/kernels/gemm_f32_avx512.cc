// fp32 matrix product, 6 rows by 64 columns at a time: the same shape as the int8 kernel, with FMA.
//
// Depth is cut into blocks whose part of a panel (256 x 64 x 4 bytes = 64 KB) stays in the second-level cache;
// sums wait in memory between blocks, so the order of additions stays that of k.
#include <immintrin.h>

#include <algorithm>

#include "kernels/epilogue_avx512.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels::avx512vnni {
namespace {

constexpr int kTileRows = 6;
constexpr int kGroups = kPanelColumns / kLanes;
constexpr int kBlockRows = 48;
constexpr int kDepthBlock = 256;

struct alignas(64) Sums {
  float value[kBlockRows][kPanelColumns];
};

// The next block's weights, asked for in time; see gemm_s8_avx512vnni.cc.
struct Ahead {
  const char* next = nullptr;
  std::ptrdiff_t step = 0;  // bytes for each k
};

// Not inlined: see gemm_s8_avx512vnni.cc.
template <int M>
[[gnu::noinline]] void MultiplyTile(const float* a, std::size_t lda, const float* b, int depth, bool first, Ahead ahead,
                                    float (*sums)[kPanelColumns]) {
  __m512 acc[M][kGroups];
  if (first) {
    Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE { acc[i / kGroups][i % kGroups] = _mm512_setzero_ps(); });
  } else {
    Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE {
      acc[i / kGroups][i % kGroups] = _mm512_load_ps(sums[i / kGroups] + i % kGroups * kLanes);
    });
  }
  for (int k = 0; k < depth; ++k, b += kPanelColumns, ahead.next += ahead.step) {
    _mm_prefetch(ahead.next, _MM_HINT_T1);
    const __m512 b0 = _mm512_loadu_ps(b);
    const __m512 b1 = _mm512_loadu_ps(b + kLanes);
    const __m512 b2 = _mm512_loadu_ps(b + 2 * kLanes);
    const __m512 b3 = _mm512_loadu_ps(b + 3 * kLanes);
    Unroll<M>([&]<int m>() TAMIS_INLINE {
      const __m512 x = _mm512_set1_ps(a[static_cast<std::size_t>(m) * lda + static_cast<std::size_t>(k)]);
      acc[m][0] = _mm512_fmadd_ps(x, b0, acc[m][0]);
      acc[m][1] = _mm512_fmadd_ps(x, b1, acc[m][1]);
      acc[m][2] = _mm512_fmadd_ps(x, b2, acc[m][2]);
      acc[m][3] = _mm512_fmadd_ps(x, b3, acc[m][3]);
    });
  }
  Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE {
    _mm512_store_ps(sums[i / kGroups] + i % kGroups * kLanes, acc[i / kGroups][i % kGroups]);
  });
}

void MultiplyRows(int rows, const float* a, std::size_t lda, const float* b, int depth, bool first,
                  float (*sums)[kPanelColumns]) {
  const int tiles = (rows + kTileRows - 1) / kTileRows;
  const std::ptrdiff_t row_bytes = static_cast<std::ptrdiff_t>(kPanelColumns * sizeof(float));
  Ahead ahead{reinterpret_cast<const char*>(b) + depth * row_bytes, row_bytes / tiles};
  for (; rows >= kTileRows; rows -= kTileRows, a += kTileRows * lda, sums += kTileRows) {
    MultiplyTile<kTileRows>(a, lda, b, depth, first, ahead, sums);
    ahead.next += depth * row_bytes / tiles;
  }
  switch (rows) {
    case 1: return MultiplyTile<1>(a, lda, b, depth, first, ahead, sums);
    case 2: return MultiplyTile<2>(a, lda, b, depth, first, ahead, sums);
    case 3: return MultiplyTile<3>(a, lda, b, depth, first, ahead, sums);
    case 4: return MultiplyTile<4>(a, lda, b, depth, first, ahead, sums);
    case 5: return MultiplyTile<5>(a, lda, b, depth, first, ahead, sums);
    default: return;
  }
}

void Finish(const GemmF32Args& args, int row, int rows, int panel, const Sums& sums) {
  const int column = panel * kPanelColumns;
  for (int m = 0; m < rows; ++m) {
    float* c = args.c + static_cast<std::size_t>(row + m) * args.ldc;
    __m512 y[kGroups];
    for (int j = 0; j < kGroups; ++j) y[j] = _mm512_load_ps(sums.value[m] + j * kLanes);
    if (args.output == GemmOutput::kSiluMul) {
      StoreSiluMul(y[0], y[1], column, args.b->n, c);
      StoreSiluMul(y[2], y[3], column + 2 * kLanes, args.b->n, c);
    } else {
      for (int j = 0; j < kGroups; ++j) StoreGroup(args.output, y[j], column + j * kLanes, args.b->n, c);
    }
  }
}

// One operation of the peak loop; as assembly because equal intrinsics on equal values would be merged into one.
[[gnu::always_inline]] inline void KeepMultiplying(__m512& acc, __m512 a) {
  __asm__ volatile("vfmadd231ps %1, %1, %0" : "+v"(acc) : "v"(a));
}

}  // namespace

void GemmF32(const GemmF32Args& args) {
  const PackedF32& b = *args.b;
  Sums sums;
  for (int row = 0; row < args.rows; row += kBlockRows) {
    const int rows = std::min(kBlockRows, args.rows - row);
    const float* a = args.a + static_cast<std::size_t>(row) * args.lda;
    for (int panel = args.panel_begin; panel < args.panel_end; ++panel) {
      const float* weights = b.data + static_cast<std::size_t>(panel) * static_cast<std::size_t>(b.k) * kPanelColumns;
      for (int k = 0; k < b.k; k += kDepthBlock) {
        MultiplyRows(rows, a + k, args.lda, weights + static_cast<std::size_t>(k) * kPanelColumns,
                     std::min(kDepthBlock, b.k - k), k == 0, sums.value);
      }
      Finish(args, row, rows, panel, sums);
    }
  }
}

double PeakF32(std::int64_t iterations) {
  constexpr int kAccumulators = 24;
  __m512 acc[kAccumulators];
  const __m512 a = _mm512_set1_ps(0.5f);
  Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { acc[j] = _mm512_setzero_ps(); });
  for (std::int64_t i = 0; i < iterations; ++i) {
    Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { KeepMultiplying(acc[j], a); });
  }
  return 2.0 * kLanes * kAccumulators * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::avx512vnni
