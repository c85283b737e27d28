// Int8 matrix product on AMX tiles: blocks of 32 rows by 32 columns, as 2 x 2 tiles of 16 x 16 sums.
//
// A weight tile is 16 rows (of 4 k values) by 64 bytes (16 columns of 4), which is how panels lie; a tile of
// activations is 16 rows by 64 bytes of depth. For each 64 k values four products (16 cycles each) stand against four
// tile loads.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "kernels/epilogue_avx512.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels::amx {
namespace {

constexpr int kTile = 16;  // rows of a tile, and 32-bit columns
constexpr int kBlock = 2 * kTile;  // rows and columns of a block
constexpr int kDepth = 64;  // bytes of a tile row
constexpr int kWeightStride = kPanelColumns * kKeyGroup;
constexpr int kSumStride = kBlock * 4;

// The operand of LDTILECFG (Intel SDM, "Intel AMX").
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t column_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// Tiles 0-3: sums (upper left, upper right, lower left, lower right). 4, 5: activations. 6, 7: weights.
void Configure(int upper_rows, int lower_rows) {
  TileConfig config;
  const int rows[8] = {upper_rows, upper_rows, lower_rows, lower_rows, upper_rows, lower_rows, kTile, kTile};
  for (int i = 0; i < 8; ++i) {
    config.column_bytes[i] = rows[i] > 0 ? 64 : 0;
    config.rows[i] = static_cast<std::uint8_t>(rows[i]);
  }
  // GCC's intrinsic claims to read only the first 8 bytes: the barrier keeps the other stores.
  __asm__ volatile("" ::"r"(&config) : "memory");
  _tile_loadconfig(&config);
}

struct alignas(64) Sums {
  std::int32_t value[kBlock][kBlock];
};

// The weights of the next 32 columns, asked for while these are multiplied: tiles multiply faster than memory delivers.
// Each of `blocks` row blocks asks for its share.
struct Ahead {
  const std::int8_t* next = nullptr;
  int first = 0;  // of every `blocks` groups of k values
  int blocks = 1;

  void Step() {
    constexpr int kGroupsPerStep = kDepth / kKeyGroup;
    for (int g = first; g < kGroupsPerStep; g += blocks) {
      _mm_prefetch(reinterpret_cast<const char*>(next + g * kWeightStride), _MM_HINT_T1);
      _mm_prefetch(reinterpret_cast<const char*>(next + g * kWeightStride + 64), _MM_HINT_T1);
    }
    next += kGroupsPerStep * kWeightStride;
  }
};

void MultiplyBlock(const std::int8_t* a, std::size_t lda, const std::int8_t* b, int depth, Ahead ahead, Sums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::int8_t* lower = a + kTile * lda;
  for (int k = 0; k < depth; k += kDepth, b += kDepth * kPanelColumns) {
    ahead.Step();
    _tile_loadd(4, a + k, lda);
    _tile_loadd(6, b, kWeightStride);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, b + kDepth, kWeightStride);
    _tile_dpbssd(1, 4, 7);
    _tile_loadd(5, lower + k, lda);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  _tile_stored(0, sums.value[0], kSumStride);
  _tile_stored(1, sums.value[0] + kTile, kSumStride);
  _tile_stored(2, sums.value[kTile], kSumStride);
  _tile_stored(3, sums.value[kTile] + kTile, kSumStride);
}

// At most 16 rows: the lower tiles are not configured.
void MultiplyUpper(const std::int8_t* a, std::size_t lda, const std::int8_t* b, int depth, Ahead ahead, Sums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  for (int k = 0; k < depth; k += kDepth, b += kDepth * kPanelColumns) {
    ahead.Step();
    _tile_loadd(4, a + k, lda);
    _tile_loadd(6, b, kWeightStride);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, b + kDepth, kWeightStride);
    _tile_dpbssd(1, 4, 7);
  }
  _tile_stored(0, sums.value[0], kSumStride);
  _tile_stored(1, sums.value[0] + kTile, kSumStride);
}

// y = sum * (row scale * column scale), then stored as asked.
void Finish(const GemmS8Args& args, int row, int rows, int column, const Sums& sums) {
  const PackedS8& b = *args.b;
  const __m512 scale0 = _mm512_loadu_ps(b.scale + column);
  const __m512 scale1 = _mm512_loadu_ps(b.scale + column + kLanes);
  for (int m = 0; m < rows; ++m) {
    const __m512 row_scale = _mm512_set1_ps(args.a_scale[row + m]);
    float* c = args.c + static_cast<std::size_t>(row + m) * args.ldc;
    const __m512 y0 =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums.value[m])), _mm512_mul_ps(row_scale, scale0));
    const __m512 y1 =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums.value[m] + kLanes)), _mm512_mul_ps(row_scale, scale1));
    if (args.output == GemmOutput::kSiluMul) {
      StoreSiluMul(y0, y1, column, b.n, c);
    } else {
      StoreGroup(args.output, y0, column, b.n, c);
      StoreGroup(args.output, y1, column + kLanes, b.n, c);
    }
  }
}

// All columns asked for, for blocks of `rows` rows each from `row_begin` to `row_end`.
void MultiplyRows(const GemmS8Args& args, int row_begin, int row_end) {
  const PackedS8& b = *args.b;
  const int height = std::min(kBlock, row_end - row_begin);
  Configure(std::min(height, kTile), std::max(0, height - kTile));
  const int blocks = (row_end - row_begin + kBlock - 1) / kBlock;
  Sums sums;
  for (int half = 2 * args.panel_begin; half < 2 * args.panel_end; ++half) {
    const std::int8_t* weights =
        b.data + static_cast<std::size_t>(half / 2) * static_cast<std::size_t>(b.k_padded) * kPanelColumns +
        (half % 2) * kBlock * kKeyGroup;
    const std::int8_t* next =
        weights + kBlock * kKeyGroup +
        (half % 2) * (static_cast<std::ptrdiff_t>(b.k_padded) * kPanelColumns - kPanelColumns * kKeyGroup);
    for (int row = row_begin; row < row_end; row += kBlock) {
      const auto* a = static_cast<const std::int8_t*>(args.a) + static_cast<std::size_t>(row) * args.lda;
      const Ahead ahead{next, (row - row_begin) / kBlock, blocks};
      if (height > kTile) {
        MultiplyBlock(a, args.lda, weights, b.k_padded, ahead, sums);
      } else {
        MultiplyUpper(a, args.lda, weights, b.k_padded, ahead, sums);
      }
      Finish(args, row, height, half * kBlock, sums);
    }
  }
}

}  // namespace

void GemmS8(const GemmS8Args& args) {
  const int whole = args.rows / kBlock * kBlock;
  if (whole > 0) MultiplyRows(args, 0, whole);
  if (whole < args.rows) MultiplyRows(args, whole, args.rows);
  _tile_release();
}

double PeakS8(std::int64_t iterations) {
  Configure(kTile, kTile);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::int64_t i = 0; i < iterations; ++i) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  _tile_release();
  return 2.0 * 4 * kTile * kTile * kDepth * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::amx
