// The integer products of int8 attention on AMX: 16 pairs by 16 keys, or by 16 dimensions, are one tile.
//
// Pages are panels (kernels.h), so 16 rows of a panel's 64 columns, a quarter of its lines, are a tile as they lie. The
// results are the VNNI form's bit for bit.
#include "kernels/attention_s8_avx512.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

constexpr int kDepth = 64;  // bytes of a tile row

// The operand of LDTILECFG (Intel SDM, "Intel AMX"): eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t column_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Tiles 0-3: sums of 16 columns each. 4: 16 pairs by 64 bytes of depth. 5: a tile of the panel.
class Products {
 public:
  Products() {
    static const TileConfig kConfig;
    _tile_loadconfig(&kConfig);
  }
  ~Products() { _tile_release(); }

  void Start(Block* block) {
    products_ = static_cast<std::int32_t*>(block->scratch);
    q_ = reinterpret_cast<std::uint8_t*>(products_ + kBlockPairs * block->d);
    // Rows of the tile that no pair fills stay as they are: their products are never read.
    for (int i = 0; i < block->pairs; ++i) {
      for (int j = 0; j < block->d; j += 64) {
        _mm512_store_si512(q_ + i * block->d + j, _mm512_loadu_si512(block->q[i] + j));
      }
    }
  }

  void Score(Step* step, Block* block) {
    alignas(64) std::int32_t excess[kPanelColumns];
    for (int i = 0; i < kPanelColumns; i += 16) {
      // Queries are stored with 128 added.
      const __m512i sums = _mm512_slli_epi32(_mm512_loadu_si512(step->page.k_sum + i), 7);
      _mm512_store_si512(excess + i, _mm512_sub_epi32(_mm512_setzero_si512(), sums));
    }
    // A stride of 0: the same start for every pair.
    _tile_loadd(0, excess, 0);
    _tile_loadd(1, excess + 16, 0);
    _tile_loadd(2, excess + 32, 0);
    _tile_loadd(3, excess + 48, 0);
    const std::int8_t* panel = step->page.keys;
    for (int i = 0; i < block->d; i += kDepth, panel += kPanelBytes) {
      _tile_loadd(4, q_ + i, block->d);
      MultiplyPanel(panel, (step->keys + 15) / 16);
    }
    Store(step->scores[0], kPanelColumns);
  }

  void Multiply(const Step& step, Block* block) {
    _tile_loadd(4, block->p, kPanelColumns);
    for (int column = 0; column < block->d; column += kPanelColumns) {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
      MultiplyPanel(step.page.values + column / kPanelColumns * kPanelBytes, 4);
      Store(products_ + column, block->d);
    }
  }

  void Add(const Step& step, Block* block) {
    for (int i = 0; i < block->pairs; ++i) {
      const __m512 rescale = _mm512_set1_ps(step.rescale[i]);
      const __m512 scale = _mm512_set1_ps(step.scale[i]);
      const std::int32_t* row = products_ + i * block->d;
      float* sums = block->sums + i * block->d;
      for (int column = 0; column < block->d; column += kPanelColumns) {
        Unroll<kVectors>([&]<int v>() TAMIS_INLINE {
          const int c = column + 16 * v;
          AddProduct(_mm512_load_si512(row + c), rescale, scale, sums + c);
        });
      }
    }
  }

 private:
  // Adds the product of tile 4 and the first 16 * tiles columns of a panel.
  static void MultiplyPanel(const std::int8_t* panel, int tiles) {
    _tile_loadd(5, panel, kGroupBytes);
    _tile_dpbusd(0, 4, 5);
    if (tiles == 1) return;
    _tile_loadd(6, panel + kDepth, kGroupBytes);
    _tile_dpbusd(1, 4, 6);
    if (tiles == 2) return;
    _tile_loadd(7, panel + 2 * kDepth, kGroupBytes);
    _tile_dpbusd(2, 4, 7);
    if (tiles == 3) return;
    _tile_loadd(5, panel + 3 * kDepth, kGroupBytes);
    _tile_dpbusd(3, 4, 5);
  }

  static void Store(std::int32_t* sums, int stride) {
    const int stride_bytes = stride * 4;
    _tile_stored(0, sums, stride_bytes);
    _tile_stored(1, sums + 16, stride_bytes);
    _tile_stored(2, sums + 32, stride_bytes);
    _tile_stored(3, sums + 48, stride_bytes);
  }

  std::int32_t* products_ = nullptr;  // [16][d] bytes times values
  std::uint8_t* q_ = nullptr;  // [16][d]
};

}  // namespace

namespace amx {

void AttentionS8(const AttentionArgs& args) { AttendWith<Products>(args); }

}  // namespace amx
}  // namespace tamis::kernels
