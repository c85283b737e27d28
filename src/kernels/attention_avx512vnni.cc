// Int8 attention on AVX-512 VNNI.
//
// The (row, head) pairs of a call are taken 16 at a time through all pages, so that a page is read from L2 once for 16
// of them, and within a page four at a time: their scores against 64 keys are 16 accumulators that stay in registers
// up to the probabilities. What is beyond the last visible key of the four is not computed; what is beyond a pair's own
// last key is masked to exact zeros, so the result does not depend on its neighbours.
#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/softmax_avx512.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

constexpr int kBlockPairs = 16;  // pairs that go through the pages together
constexpr int kGroupBytes = kPanelColumns * kKeyGroup;
constexpr int kPanelBytes = kPanelColumns * kPanelColumns;
constexpr float kLog2E = 0x1.715476p+0f;

// What a block of pairs carries from page to page.
struct Block {
  SoftmaxState softmax[kBlockPairs / kTile];
  alignas(64) std::uint8_t p[kTile][kPanelColumns];
  const std::uint8_t* q[kBlockPairs];
  int position[kBlockPairs];
  float* out[kBlockPairs];
  float* sums;  // [kBlockPairs][head_dim_padded]
};

inline __m512i BroadcastGroup(const std::uint8_t* p) {
  std::int32_t value;
  std::memcpy(&value, p, sizeof(value));
  return _mm512_set1_epi32(value);
}

// Scores of kRows queries against 16 * kKeyVectors keys, as integers.
template <int kRows, int kKeyVectors>
inline void ScoreTile(const std::uint8_t* const* q, const PageS8& page, int d, __m512i (&acc)[kTile][kVectors]) {
#pragma GCC unroll 4
  for (int v = 0; v < kKeyVectors; ++v) {
    // Queries are stored with 128 added.
    const __m512i excess = _mm512_slli_epi32(_mm512_loadu_si512(page.k_sum + 16 * v), 7);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) acc[r][v] = _mm512_sub_epi32(_mm512_setzero_si512(), excess);
  }
  const std::int8_t* keys = page.keys;
  for (int i = 0; i < d; i += kKeyGroup, keys += kGroupBytes) {
    __m512i k[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kKeyVectors; ++v) k[v] = _mm512_loadu_si512(keys + 64 * v);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const __m512i group = BroadcastGroup(q[r] + i);
#pragma GCC unroll 4
      for (int v = 0; v < kKeyVectors; ++v) acc[r][v] = _mm512_dpbusd_epi32(acc[r][v], group, k[v]);
    }
  }
}

// Bytes of probabilities times the value scales, row by row; returns the rows' scales.
template <int kRows, int kKeyVectors>
inline __m128 QuantizeProbabilities(const PageS8& page, const __mmask16 (&visible)[kTile][kVectors],
                                    __m512 (&p)[kTile][kVectors], Block* block) {
  __m512i max[kTile];
#pragma GCC unroll 4
  for (int r = 0; r < kTile; ++r) {
    max[r] = _mm512_setzero_si512();
    if (r >= kRows) continue;
#pragma GCC unroll 4
    for (int v = 0; v < kKeyVectors; ++v) {
      p[r][v] = _mm512_maskz_mul_ps(visible[r][v], p[r][v], _mm512_loadu_ps(page.v_scale + 16 * v));
      max[r] = _mm512_max_epu32(max[r], _mm512_castps_si512(p[r][v]));
    }
  }
  const CodeScales scales = ScalesOfMax(MaxBitsOfRows(max));
  const RowFactors factor(scales.factor);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    __m512i code[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      code[v] = v < kKeyVectors ? RoundScaled(p[r][v], factor[r]) : _mm512_setzero_si512();
    }
    _mm512_store_si512(block->p[r], PackUnsignedBytes(code[0], code[1], code[2], code[3]));
  }
  return scales.scale;
}

struct PageFactors {
  __m128 rescale;  // of the sums over earlier pages
  __m128 scale;    // of the bytes of this page
};

// Scores of kRows pairs from `first` on against the first 16 * kKeyVectors keys of a page, left in the block as bytes of
// probabilities. kMasked: some of these keys are beyond the position of a pair.
template <int kRows, int kKeyVectors, bool kMasked>
PageFactors AttendKeys(const PageS8& page, int page_begin, int d, int first, Block* block) {
  __m512i acc[kTile][kVectors];
  ScoreTile<kRows, kKeyVectors>(block->q + first, page, d, acc);
  __mmask16 visible[kTile][kVectors];
  __m512 x[kTile][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const int keys = block->position[first + r] - page_begin + 1;
#pragma GCC unroll 4
    for (int v = 0; v < kKeyVectors; ++v) {
      visible[r][v] = kMasked ? FirstLanes(keys - 16 * v) : __mmask16{0xffff};
      x[r][v] = _mm512_mul_ps(_mm512_cvtepi32_ps(acc[r][v]), _mm512_loadu_ps(page.k_scale + 16 * v));
    }
  }
  PageFactors factors;
  factors.rescale = block->softmax[first / kTile].Add<kRows, kKeyVectors, true>(visible, x);
  factors.scale = QuantizeProbabilities<kRows, kKeyVectors>(page, visible, x, block);
  return factors;
}

// sums = sums * rescale + scale * (bytes times values) for kRows pairs.
template <int kRows>
void AddValues(const PageS8& page, int groups, int d, const PageFactors& factors, const Block& block, float* sums) {
  const RowFactors rescale(factors.rescale);
  const RowFactors scale(factors.scale);
  for (int column = 0; column < d; column += kPanelColumns) {
    __m512i acc[kRows][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[r][v] = _mm512_setzero_si512();
    }
    const std::int8_t* values = page.values + column / kPanelColumns * kPanelBytes;
    for (int g = 0; g < groups; ++g, values += kGroupBytes) {
      __m512i value[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) value[v] = _mm512_loadu_si512(values + 64 * v);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const __m512i p = BroadcastGroup(block.p[r] + kKeyGroup * g);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) acc[r][v] = _mm512_dpbusd_epi32(acc[r][v], p, value[v]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      float* row = sums + r * d + column;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(acc[r][v]), scale[r]);
        _mm512_storeu_ps(row + 16 * v, _mm512_fmadd_ps(_mm512_loadu_ps(row + 16 * v), rescale[r], product));
      }
    }
  }
}

template <int kRows>
void AttendPage(const PageS8& page, int page_begin, int d, int first, Block* block) {
  const int keys = std::min(kPanelColumns, block->position[first + kRows - 1] - page_begin + 1);
  if (keys <= 0) return;
  PageFactors factors;
  if (block->position[first] - page_begin + 1 >= kPanelColumns) {
    factors = AttendKeys<kRows, 4, false>(page, page_begin, d, first, block);
  } else if (keys > 48) {
    factors = AttendKeys<kRows, 4, true>(page, page_begin, d, first, block);
  } else if (keys > 32) {
    factors = AttendKeys<kRows, 3, true>(page, page_begin, d, first, block);
  } else if (keys > 16) {
    factors = AttendKeys<kRows, 2, true>(page, page_begin, d, first, block);
  } else {
    factors = AttendKeys<kRows, 1, true>(page, page_begin, d, first, block);
  }
  AddValues<kRows>(page, (keys + kKeyGroup - 1) / kKeyGroup, d, factors, *block, block->sums + first * d);
}

void AttendPage(const PageS8& page, int page_begin, int d, int pairs, Block* block) {
  for (int first = 0; first < pairs; first += kTile) {
    switch (pairs - first) {
      case 1: AttendPage<1>(page, page_begin, d, first, block); break;
      case 2: AttendPage<2>(page, page_begin, d, first, block); break;
      case 3: AttendPage<3>(page, page_begin, d, first, block); break;
      default: AttendPage<4>(page, page_begin, d, first, block); break;
    }
  }
}

// Pair m of the call is head m % group of row m / group.
void StartBlock(const AttentionArgs& args, int first_pair, int pairs, Block* block) {
  block->sums = static_cast<float*>(args.scratch);
  std::memset(block->sums, 0, static_cast<std::size_t>(pairs) * args.head_dim_padded * sizeof(float));
  for (SoftmaxState& state : block->softmax) state.Start();
  for (int i = 0; i < pairs; ++i) {
    const std::size_t row = static_cast<std::size_t>((first_pair + i) / args.group);
    const std::size_t head = static_cast<std::size_t>((first_pair + i) % args.group);
    block->q[i] = static_cast<const std::uint8_t*>(args.q) + row * args.q_row_stride + head * args.q_head_stride;
    block->position[i] = args.first_position + static_cast<int>(row);
    block->out[i] = args.out + row * args.out_row_stride + head * static_cast<std::size_t>(args.head_dim);
    block->softmax[i / kTile].scale[i % kTile] = args.q_scale[row * args.q_scale_stride + head] * kLog2E;
  }
}

}  // namespace

namespace avx512vnni {

void AttentionS8(const AttentionArgs& args) {
  const int d = args.head_dim_padded;
  const int all_pairs = args.rows * args.group;
  for (int first_pair = 0; first_pair < all_pairs; first_pair += kBlockPairs) {
    const int pairs = std::min(kBlockPairs, all_pairs - first_pair);
    Block block;
    StartBlock(args, first_pair, pairs, &block);
    const int last_position = block.position[pairs - 1];
    for (int begin = 0; begin <= last_position; begin += kPanelColumns) {
      const PageS8 page = ViewPageS8(const_cast<void*>(args.pages[begin / kPanelColumns]), d);
      AttendPage(page, begin, d, pairs, &block);
    }
    for (int i = 0; i < pairs; ++i) {
      const float factor = 1.0f / block.softmax[i / kTile].Denominator(i % kTile);
      WriteScaled(block.sums + i * d, args.head_dim, factor, block.out[i]);
    }
  }
}

}  // namespace avx512vnni
}  // namespace tamis::kernels
