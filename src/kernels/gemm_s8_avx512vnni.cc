// Int8 matrix product with VPDPBUSD: biased rows (u8) times weight panels (s8), 6 rows by 64 columns at a time.
//
// 24 accumulators, 4 panel loads and one broadcast fill 29 of the 32 registers. For each group of 4 k values the tile
// does 24 multiply-adds (12 cycles on two ports) for 10 loads. Depth is cut into blocks whose part of the panel
// (kDepthBlock x 64 bytes = 32 KB) stays in the first-level cache while all rows pass over it.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "kernels/epilogue_avx512.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels::avx512vnni {
namespace {

constexpr int kTileRows = 6;
constexpr int kGroups = kPanelColumns / kLanes;  // 16-column groups of a panel
constexpr int kBlockRows = 48;
constexpr int kDepthBlock = 512;

struct alignas(64) Sums {
  std::int32_t value[kBlockRows][kPanelColumns];
};

__m512i LoadInt(const void* p) { return _mm512_loadu_si512(p); }

// Weights that the next block will need, asked for while this one is multiplied: panels come from memory or a far
// cache, and the first tile of a block would wait for all of its own (74 -> 87 % of the peak at 48 rows of the 0.6B
// shapes).
struct Ahead {
  const char* next = nullptr;
  std::ptrdiff_t step = 0;  // bytes for each group of k values
};

// Adds the products of M rows and one depth block to sums (or starts them). Not inlined, and with the two beginnings
// apart: GCC 12 otherwise keeps the accumulators in memory (look for zmm and rsp in the disassembly).
template <int M>
[[gnu::noinline]] void MultiplyTile(const std::uint8_t* a, std::size_t lda, const std::int8_t* b, int depth, bool first,
                                    Ahead ahead, std::int32_t (*sums)[kPanelColumns]) {
  __m512i acc[M][kGroups];
  if (first) {
    Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE { acc[i / kGroups][i % kGroups] = _mm512_setzero_si512(); });
  } else {
    Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE {
      acc[i / kGroups][i % kGroups] = _mm512_load_si512(sums[i / kGroups] + i % kGroups * kLanes);
    });
  }
  for (int k = 0; k < depth; k += kKeyGroup, b += kPanelColumns * kKeyGroup, ahead.next += ahead.step) {
    _mm_prefetch(ahead.next, _MM_HINT_T1);
    const __m512i b0 = LoadInt(b);
    const __m512i b1 = LoadInt(b + 64);
    const __m512i b2 = LoadInt(b + 128);
    const __m512i b3 = LoadInt(b + 192);
    Unroll<M>([&]<int m>() TAMIS_INLINE {
      std::int32_t four;
      std::memcpy(&four, a + static_cast<std::size_t>(m) * lda + static_cast<std::size_t>(k), sizeof four);
      const __m512i x = _mm512_set1_epi32(four);
      acc[m][0] = _mm512_dpbusd_epi32(acc[m][0], x, b0);
      acc[m][1] = _mm512_dpbusd_epi32(acc[m][1], x, b1);
      acc[m][2] = _mm512_dpbusd_epi32(acc[m][2], x, b2);
      acc[m][3] = _mm512_dpbusd_epi32(acc[m][3], x, b3);
    });
  }
  Unroll<M * kGroups>([&]<int i>() TAMIS_INLINE {
    _mm512_store_si512(sums[i / kGroups] + i % kGroups * kLanes, acc[i / kGroups][i % kGroups]);
  });
}

void MultiplyRows(int rows, const std::uint8_t* a, std::size_t lda, const std::int8_t* b, int depth, bool first,
                  std::int32_t (*sums)[kPanelColumns]) {
  // The block after this one follows it in memory; each tile asks for its share of it.
  const int tiles = (rows + kTileRows - 1) / kTileRows;
  const std::ptrdiff_t block_bytes = static_cast<std::ptrdiff_t>(depth) * kPanelColumns;
  Ahead ahead{reinterpret_cast<const char*>(b) + block_bytes, kPanelColumns * kKeyGroup / tiles};
  for (; rows >= kTileRows; rows -= kTileRows, a += kTileRows * lda, sums += kTileRows) {
    MultiplyTile<kTileRows>(a, lda, b, depth, first, ahead, sums);
    ahead.next += block_bytes / tiles;
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

// y = (sum - 128 * column sum) * (row scale * column scale), then stored as asked.
void Finish(const GemmS8Args& args, int row, int rows, int panel, const Sums& sums) {
  const PackedS8& b = *args.b;
  const int column = panel * kPanelColumns;
  __m512i bias[kGroups];
  __m512 scale[kGroups];
  for (int j = 0; j < kGroups; ++j) {
    bias[j] = _mm512_slli_epi32(LoadInt(b.column_sum + column + j * kLanes), 7);
    scale[j] = _mm512_loadu_ps(b.scale + column + j * kLanes);
  }
  for (int m = 0; m < rows; ++m) {
    const __m512 row_scale = _mm512_set1_ps(args.a_scale[row + m]);
    float* c = args.c + static_cast<std::size_t>(row + m) * args.ldc;
    __m512 y[kGroups];
    for (int j = 0; j < kGroups; ++j) {
      const __m512i sum = _mm512_sub_epi32(_mm512_load_si512(sums.value[m] + j * kLanes), bias[j]);
      y[j] = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_mul_ps(row_scale, scale[j]));
    }
    if (args.output == GemmOutput::kSiluMul) {
      StoreSiluMul(y[0], y[1], column, b.n, c);
      StoreSiluMul(y[2], y[3], column + 2 * kLanes, b.n, c);
    } else {
      for (int j = 0; j < kGroups; ++j) StoreGroup(args.output, y[j], column + j * kLanes, b.n, c);
    }
  }
}

// One operation of the peak loop; as assembly because equal intrinsics on equal values would be merged into one.
[[gnu::always_inline]] inline void KeepMultiplying(__m512i& acc, __m512i a) {
  __asm__ volatile("vpdpbusd %1, %1, %0" : "+v"(acc) : "v"(a));
}

}  // namespace

void GemmS8(const GemmS8Args& args) {
  const PackedS8& b = *args.b;
  Sums sums;
  for (int row = 0; row < args.rows; row += kBlockRows) {
    const int rows = std::min(kBlockRows, args.rows - row);
    const auto* a = static_cast<const std::uint8_t*>(args.a) + static_cast<std::size_t>(row) * args.lda;
    for (int panel = args.panel_begin; panel < args.panel_end; ++panel) {
      const std::int8_t* weights =
          b.data + static_cast<std::size_t>(panel) * static_cast<std::size_t>(b.k_padded) * kPanelColumns;
      for (int k = 0; k < b.k_padded; k += kDepthBlock) {
        MultiplyRows(rows, a + k, args.lda, weights + static_cast<std::size_t>(k) * kPanelColumns,
                     std::min(kDepthBlock, b.k_padded - k), k == 0, sums.value);
      }
      Finish(args, row, rows, panel, sums);
    }
  }
}

double PeakS8(std::int64_t iterations) {
  constexpr int kAccumulators = 24;
  __m512i acc[kAccumulators];
  const __m512i a = _mm512_set1_epi8(3);
  Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { acc[j] = _mm512_setzero_si512(); });
  for (std::int64_t i = 0; i < iterations; ++i) {
    Unroll<kAccumulators>([&]<int j>() TAMIS_INLINE { KeepMultiplying(acc[j], a); });
  }
  return 2.0 * 64 * kAccumulators * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::avx512vnni
