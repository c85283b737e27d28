// fp32 attention on AVX-512.
//
// As in the int8 form, 16 (row, head) pairs go through the pages together. Both products of a page, queries by keys and
// probabilities by values, are the same register tile: up to 8 rows by 32 columns, whose 32-column strip of the page
// stays in L1 for the second 8 rows.
#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/softmax_avx512.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

constexpr int kBlockPairs = 16;
constexpr int kTileRows = 8;
constexpr int kStrip = 32;  // columns of a tile

struct Block {
  SoftmaxState softmax[kBlockPairs / kTile];
  int position[kBlockPairs];
  float* out[kBlockPairs];
  float* q;  // [kBlockPairs][head_dim]
  float* sums;  // [kBlockPairs][head_dim]
  float* p;  // [kBlockPairs][64] scores, then probabilities
};

// A strip of a page: `depth` rows of up to 32 columns.
struct Strip {
  const float* data;
  int stride;
  int depth;
  __mmask16 lanes[2];
};

Strip MakeStrip(const float* data, int stride, int depth, int columns) {
  return {data, stride, depth, {FirstLanes(columns), FirstLanes(columns - 16)}};
}

// acc = a [kRows][depth] times the strip, in order of depth.
template <int kRows>
[[gnu::always_inline]] inline void Multiply(const float* a, int a_stride, const Strip& strip, __m512 (&acc)[kRows][2]) {
  Unroll<kRows>([&]<int r>() TAMIS_INLINE { acc[r][0] = acc[r][1] = _mm512_setzero_ps(); });
  const float* b = strip.data;
  const __mmask16 lanes0 = strip.lanes[0];
  const __mmask16 lanes1 = strip.lanes[1];
  for (int i = 0; i < strip.depth; ++i, b += strip.stride) {
    const __m512 b0 = _mm512_maskz_loadu_ps(lanes0, b);
    const __m512 b1 = _mm512_maskz_loadu_ps(lanes1, b + 16);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m512 value = _mm512_set1_ps(a[r * a_stride + i]);
      acc[r][0] = _mm512_fmadd_ps(value, b0, acc[r][0]);
      acc[r][1] = _mm512_fmadd_ps(value, b1, acc[r][1]);
    });
  }
}

// Scores of kRows queries against a strip of 32 keys.
template <int kRows>
void Score(const float* q, int d, const Strip& keys, float* scores) {
  __m512 acc[kRows][2];
  Multiply<kRows>(q, d, keys, acc);
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    _mm512_storeu_ps(scores + r * kPanelColumns, acc[r][0]);
    _mm512_storeu_ps(scores + r * kPanelColumns + 16, acc[r][1]);
  });
}

// sums = sums * rescale + p times a strip of values.
template <int kRows>
void AddValues(const float* p, const float* rescale, const Strip& values, int d, float* sums) {
  __m512 acc[kRows][2];
  Multiply<kRows>(p, kPanelColumns, values, acc);
  Unroll<kRows * 2>([&]<int i>() TAMIS_INLINE {
    constexpr int r = i / 2;
    constexpr int v = i % 2;
    float* sum = sums + r * d + 16 * v;
    const __m512 old = _mm512_maskz_loadu_ps(values.lanes[v], sum);
    _mm512_mask_storeu_ps(sum, values.lanes[v], _mm512_fmadd_ps(old, _mm512_set1_ps(rescale[r]), acc[r][v]));
  });
}

// Calls f.operator()<rows>() with rows in [1, 8] as a constant.
template <typename F>
void WithRows(int rows, F f) {
  switch (rows) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    case 4: return f.template operator()<4>();
    case 5: return f.template operator()<5>();
    case 6: return f.template operator()<6>();
    case 7: return f.template operator()<7>();
    default: return f.template operator()<8>();
  }
}

// Scores to probabilities for kRows pairs from `first` on; rescale[r] is what their earlier sums are multiplied by.
template <int kRows>
void Normalise(int page_begin, int first, Block* block, float* rescale) {
  __mmask16 visible[kRows][kVectors];
  __m512 x[kRows][kVectors];
  float* p = block->p + first * kPanelColumns;
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    const int keys = block->position[first + r] - page_begin + 1;
    Unroll<kVectors>([&]<int v>() TAMIS_INLINE {
      visible[r][v] = FirstLanes(keys - 16 * v);
      x[r][v] = _mm512_load_ps(p + r * kPanelColumns + 16 * v);
    });
  });
  _mm_storeu_ps(rescale, block->softmax[first / kTile].Add<false>(visible, x));
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    Unroll<kVectors>([&]<int v>() TAMIS_INLINE { _mm512_store_ps(p + r * kPanelColumns + 16 * v, x[r][v]); });
  });
}

void NormaliseAll(int page_begin, int pairs, Block* block, float* rescale) {
  for (int first = 0; first < pairs; first += kTile) {
    switch (pairs - first) {
      case 1: Normalise<1>(page_begin, first, block, rescale + first); break;
      case 2: Normalise<2>(page_begin, first, block, rescale + first); break;
      case 3: Normalise<3>(page_begin, first, block, rescale + first); break;
      default: Normalise<4>(page_begin, first, block, rescale + first); break;
    }
  }
}

void AttendPage(const float* page, int page_begin, int d, int pairs, Block* block) {
  const int keys = std::min(kPanelColumns, block->position[pairs - 1] - page_begin + 1);
  for (int column = 0; column < keys; column += kStrip) {
    const Strip strip = MakeStrip(page + column, kPanelColumns, d, kStrip);
    for (int first = 0; first < pairs; first += kTileRows) {
      WithRows(pairs - first, [&]<int kRows>() {
        Score<kRows>(block->q + first * d, d, strip, block->p + first * kPanelColumns + column);
      });
    }
  }
  float rescale[kBlockPairs];
  NormaliseAll(page_begin, pairs, block, rescale);
  const float* values = page + kPanelColumns * d;
  for (int column = 0; column < d; column += kStrip) {
    const Strip strip = MakeStrip(values + column, d, keys, d - column);
    for (int first = 0; first < pairs; first += kTileRows) {
      WithRows(pairs - first, [&]<int kRows>() {
        AddValues<kRows>(block->p + first * kPanelColumns, rescale + first, strip, d, block->sums + first * d + column);
      });
    }
  }
}

// Pair m of the call is head m % group of row m / group.
void StartBlock(const AttentionArgs& args, int first_pair, int pairs, Block* block) {
  const int d = args.head_dim;
  block->p = static_cast<float*>(args.scratch);
  block->q = block->p + kBlockPairs * kPanelColumns;
  block->sums = block->q + kBlockPairs * d;
  std::memset(block->p, 0, kBlockPairs * kPanelColumns * sizeof(float));
  std::memset(block->sums, 0, static_cast<std::size_t>(pairs) * d * sizeof(float));
  for (SoftmaxState& state : block->softmax) state.Start();
  for (int i = 0; i < pairs; ++i) {
    const std::size_t row = static_cast<std::size_t>((first_pair + i) / args.group);
    const std::size_t head = static_cast<std::size_t>((first_pair + i) % args.group);
    std::memcpy(block->q + i * d,
                static_cast<const char*>(args.q) + row * args.q_row_stride + head * args.q_head_stride,
                static_cast<std::size_t>(d) * sizeof(float));
    block->position[i] = args.first_position + static_cast<int>(row);
    block->out[i] = args.out + row * args.out_row_stride + head * static_cast<std::size_t>(d);
  }
}

}  // namespace

namespace avx512vnni {

void AttentionF32(const AttentionArgs& args) {
  const int d = args.head_dim;
  const int all_pairs = args.rows * args.group;
  for (int first_pair = 0; first_pair < all_pairs; first_pair += kBlockPairs) {
    const int pairs = std::min(kBlockPairs, all_pairs - first_pair);
    Block block;
    StartBlock(args, first_pair, pairs, &block);
    const int last_position = block.position[pairs - 1];
    for (int begin = 0; begin <= last_position; begin += kPanelColumns) {
      AttendPage(static_cast<const float*>(args.pages[begin / kPanelColumns]), begin, d, pairs, &block);
    }
    for (int i = 0; i < pairs; ++i) {
      const float factor = 1.0f / block.softmax[i / kTile].Denominator(i % kTile);
      WriteScaled(block.sums + i * d, d, factor, block.out[i]);
    }
  }
}

}  // namespace avx512vnni
}  // namespace tamis::kernels
