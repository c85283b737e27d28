// fp32 attention on AVX2: both products of a page are one register tile of up to 6 rows by 16 columns, and 12 (row,
// head) pairs go through the pages together.
#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/softmax_avx2.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

constexpr int kBlockPairs = 12;
constexpr int kTileRows = 6;
constexpr int kStrip = 16;  // columns of a tile

struct Block {
  SoftmaxState softmax[kBlockPairs];
  int position[kBlockPairs];
  float rescale[kBlockPairs];
  float* out[kBlockPairs];
  float* p;     // [kBlockPairs][64] scores, then probabilities
  float* sums;  // [kBlockPairs][head_dim_padded]
  float* q;     // [kBlockPairs][head_dim]
};

// A strip of a page: `depth` rows of up to 16 columns.
struct Strip {
  const float* data;
  int stride;
  int depth;
  int columns;
};

// acc = a [kRows][depth] times the strip, in order of depth. Columns that are missing give 0.
template <int kRows>
[[gnu::always_inline]] inline void Multiply(const float* a, int a_stride, const Strip& strip, __m256 (&acc)[kRows][2]) {
  Unroll<kRows>([&]<int r>() TAMIS_INLINE { acc[r][0] = acc[r][1] = _mm256_setzero_ps(); });
  const __m256i lanes0 = FirstLanes(strip.columns);
  const __m256i lanes1 = FirstLanes(strip.columns - 8);
  const float* b = strip.data;
  for (int i = 0; i < strip.depth; ++i, b += strip.stride) {
    const __m256 b0 = _mm256_maskload_ps(b, lanes0);
    const __m256 b1 = _mm256_maskload_ps(b + 8, lanes1);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m256 value = _mm256_broadcast_ss(a + r * a_stride + i);
      acc[r][0] = _mm256_fmadd_ps(value, b0, acc[r][0]);
      acc[r][1] = _mm256_fmadd_ps(value, b1, acc[r][1]);
    });
  }
}

// Scores of kRows queries against a strip of keys.
template <int kRows>
void Score(const float* q, int d, const Strip& keys, float* scores) {
  __m256 acc[kRows][2];
  Multiply<kRows>(q, d, keys, acc);
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    _mm256_store_ps(scores + r * kPanelColumns, acc[r][0]);
    _mm256_store_ps(scores + r * kPanelColumns + 8, acc[r][1]);
  });
}

// sums = sums * rescale + p times a strip of values. Rows of sums are padded.
template <int kRows>
void AddValues(const float* p, const float* rescale, const Strip& values, int stride, float* sums) {
  __m256 acc[kRows][2];
  Multiply<kRows>(p, kPanelColumns, values, acc);
  Unroll<kRows * 2>([&]<int i>() TAMIS_INLINE {
    constexpr int r = i / 2;
    float* sum = sums + r * stride + 8 * (i % 2);
    _mm256_store_ps(sum, _mm256_fmadd_ps(_mm256_load_ps(sum), _mm256_set1_ps(rescale[r]), acc[r][i % 2]));
  });
}

// Calls f.operator()<rows>(first) for tiles of up to six pairs.
template <typename F>
void ForEachTile(int pairs, F f) {
  int first = 0;
  for (; first + kTileRows <= pairs; first += kTileRows) f.template operator()<6>(first);
  switch (pairs - first) {
    case 1: return f.template operator()<1>(first);
    case 2: return f.template operator()<2>(first);
    case 3: return f.template operator()<3>(first);
    case 4: return f.template operator()<4>(first);
    case 5: return f.template operator()<5>(first);
    default: return;
  }
}

void AttendPage(const AttentionArgs& args, const float* page, int page_begin, int pairs, Block* block) {
  const int d = args.head_dim;
  const int keys = std::min(kPanelColumns, block->position[pairs - 1] - page_begin + 1);
  for (int column = 0; column < keys; column += kStrip) {
    const Strip strip = {page + column, kPanelColumns, d, kStrip};
    ForEachTile(pairs, [&]<int kRows>(int first) {
      Score<kRows>(block->q + first * d, d, strip, block->p + first * kPanelColumns + column);
    });
  }
  for (int i = 0; i < pairs; ++i) {
    const int visible = std::min(kPanelColumns, block->position[i] - page_begin + 1);
    block->rescale[i] = block->softmax[i].Add(block->p + i * kPanelColumns, 1.0f, visible);
  }
  const float* values = page + kPanelColumns * d;
  const int stride = args.head_dim_padded;
  for (int column = 0; column < d; column += kStrip) {
    const Strip strip = {values + column, d, keys, d - column};
    ForEachTile(pairs, [&]<int kRows>(int first) {
      AddValues<kRows>(block->p + first * kPanelColumns, block->rescale + first, strip, stride,
                       block->sums + first * stride + column);
    });
  }
}

// Pair m of the call is head m % group of row m / group.
void StartBlock(const AttentionArgs& args, int first_pair, int pairs, Block* block) {
  const int d = args.head_dim;
  block->p = static_cast<float*>(args.scratch);
  block->sums = block->p + kBlockPairs * kPanelColumns;
  block->q = block->sums + kBlockPairs * args.head_dim_padded;
  std::memset(block->sums, 0, static_cast<std::size_t>(pairs) * args.head_dim_padded * sizeof(float));
  for (int i = 0; i < pairs; ++i) {
    const std::size_t row = static_cast<std::size_t>((first_pair + i) / args.group);
    const std::size_t head = static_cast<std::size_t>((first_pair + i) % args.group);
    std::memcpy(block->q + i * d,
                static_cast<const char*>(args.q) + row * args.q_row_stride + head * args.q_head_stride,
                static_cast<std::size_t>(d) * sizeof(float));
    block->softmax[i].Start();
    block->position[i] = args.first_position + static_cast<int>(row);
    block->out[i] = args.out + row * args.out_row_stride + head * static_cast<std::size_t>(d);
  }
}

}  // namespace

namespace avx2 {

void AttentionF32(const AttentionArgs& args) {
  const int all_pairs = args.rows * args.group;
  for (int first_pair = 0; first_pair < all_pairs; first_pair += kBlockPairs) {
    const int pairs = std::min(kBlockPairs, all_pairs - first_pair);
    Block block;
    StartBlock(args, first_pair, pairs, &block);
    const int last_position = block.position[pairs - 1];
    for (int begin = 0; begin <= last_position; begin += kPanelColumns) {
      AttendPage(args, static_cast<const float*>(args.pages[begin / kPanelColumns]), begin, pairs, &block);
    }
    for (int i = 0; i < pairs; ++i) {
      WriteScaled(block.sums + i * args.head_dim_padded, args.head_dim, 1.0f / block.softmax[i].Denominator(),
                  block.out[i]);
    }
  }
}

}  // namespace avx2
}  // namespace tamis::kernels
