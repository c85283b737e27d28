// What the AVX-512 VNNI and the AMX form of int8 attention share: all but the two integer products.
//
// The (row, head) pairs of a call go through the pages 16 at a time, in steps of one page: scores, softmax, products
// with the values, each for all 16. The products are issued a phase ahead of where their results are used, so that
// their latency, long on AMX, is hidden behind the softmax. What is beyond the last visible key of the 16 is not
// computed; what is beyond a pair's own last key is masked to exact zeros, so that no result depends on neighbours.
//
// In an anonymous namespace: each file that includes this gets its own copy, compiled with its own flags.
#pragma once

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/softmax_avx512.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

constexpr int kBlockPairs = 16;
constexpr int kGroupBytes = kPanelColumns * kKeyGroup;
constexpr int kPanelBytes = kPanelColumns * kPanelColumns;
constexpr float kLog2E = 0x1.715476p+0f;

// What a step hands on; two of them alternate.
struct Step {
  alignas(64) std::int32_t scores[kBlockPairs][kPanelColumns];
  alignas(64) float rescale[kBlockPairs];  // of the sums over earlier pages
  alignas(64) float scale[kBlockPairs];  // of the bytes in Block::p
  PageS8 page;
  int page_begin;  // position of its first key
  int keys;  // visible to any of the pairs
};

struct Block {
  Step step[2];
  alignas(64) std::uint8_t p[kBlockPairs][kPanelColumns];  // probabilities times value scales
  SoftmaxState softmax[kBlockPairs / kTile];
  const std::uint8_t* q[kBlockPairs];  // with 128 added
  int position[kBlockPairs];
  float* out[kBlockPairs];
  int pairs;
  int d;  // head_dim_padded
  float* sums;  // [kBlockPairs][d]
  void* scratch;  // what is left: 8 * kBlockPairs * d bytes
};

// Bytes of probabilities times the value scales of kRows pairs from `first` on, and their scales.
template <int kRows, int kCount>
[[gnu::always_inline]] inline void QuantizeProbabilities(int first, const __mmask16 (&visible)[kRows][kCount],
                                                         __m512 (&p)[kRows][kCount], Step* step, Block* block) {
  __m512i max[kTile];
  Unroll<kTile>([&]<int r>() TAMIS_INLINE { max[r] = _mm512_setzero_si512(); });
  Unroll<kCount>([&]<int v>() TAMIS_INLINE {
    const __m512 v_scale = _mm512_loadu_ps(step->page.v_scale + 16 * v);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      p[r][v] = _mm512_maskz_mul_ps(visible[r][v], p[r][v], v_scale);
      max[r] = _mm512_max_epu32(max[r], _mm512_castps_si512(p[r][v]));
    });
  });
  const CodeScales scales = ScalesOfMax(MaxBitsOfRows(max));
  _mm_store_ps(step->scale + first, scales.scale);
  const RowFactors factor(scales.factor);
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    __m512i code[kVectors];
    Unroll<kVectors>([&]<int v>() TAMIS_INLINE {
      if constexpr (v < kCount) {
        code[v] = RoundScaled(p[r][v], factor[r]);
      } else {
        code[v] = _mm512_setzero_si512();
      }
    });
    _mm512_store_si512(block->p[first + r], PackUnsignedBytes(code[0], code[1], code[2], code[3]));
  });
}

// Scores to bytes for kRows pairs from `first` on and the first 16 * kCount keys of a page. kMasked: some of these keys
// are beyond the position of a pair.
template <int kRows, int kCount, bool kMasked>
[[gnu::noinline]] void Normalise(int first, Step* step, Block* block) {
  __m512 x[kRows][kCount];
  __mmask16 visible[kRows][kCount];
  Unroll<kCount>([&]<int v>() TAMIS_INLINE {
    const __m512 k_scale = _mm512_loadu_ps(step->page.k_scale + 16 * v);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m512i score = _mm512_load_si512(step->scores[first + r] + 16 * v);
      x[r][v] = _mm512_mul_ps(_mm512_cvtepi32_ps(score), k_scale);
    });
  });
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    const int keys = block->position[first + r] - step->page_begin + 1;
    Unroll<kCount>([&]<int v>()
                       TAMIS_INLINE { visible[r][v] = kMasked ? FirstLanes(keys - 16 * v) : __mmask16{0xffff}; });
  });
  _mm_store_ps(step->rescale + first, block->softmax[first / kTile].Add<true>(visible, x));
  QuantizeProbabilities<kRows, kCount>(first, visible, x, step, block);
}

template <int kRows>
void NormaliseTile(int first, Step* step, Block* block) {
  const int keys = block->position[first + kRows - 1] - step->page_begin + 1;
  if (block->position[first] - step->page_begin + 1 >= kPanelColumns) {
    Normalise<kRows, 4, false>(first, step, block);
  } else if (keys > 48) {
    Normalise<kRows, 4, true>(first, step, block);
  } else if (keys > 32) {
    Normalise<kRows, 3, true>(first, step, block);
  } else if (keys > 16) {
    Normalise<kRows, 2, true>(first, step, block);
  } else {  // perhaps none: then the page changes nothing
    Normalise<kRows, 1, true>(first, step, block);
  }
}

// The products are short of data from L2, the softmax is not: a quarter of the page's values for each four pairs.
void PrefetchValues(int first, const Step& step, const Block& block) {
  const int bytes = kPanelColumns * block.d / (kBlockPairs / kTile);
  const std::int8_t* values = step.page.values + first / kTile * bytes;
  for (int i = 0; i < bytes; i += 64) _mm_prefetch(values + i, _MM_HINT_T0);
}

void NormaliseAll(Step* step, Block* block) {
  int first = 0;
  for (; first + kTile <= block->pairs; first += kTile) {
    PrefetchValues(first, *step, *block);
    NormaliseTile<4>(first, step, block);
  }
  switch (block->pairs - first) {
    case 1: return NormaliseTile<1>(first, step, block);
    case 2: return NormaliseTile<2>(first, step, block);
    case 3: return NormaliseTile<3>(first, step, block);
    default: return;
  }
}

// 16 elements of a pair's sums: sums * rescale + scale * product.
[[gnu::always_inline]] inline void AddProduct(__m512i product, __m512 rescale, __m512 scale, float* sums) {
  const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(product), scale);
  _mm512_store_ps(sums, _mm512_fmadd_ps(_mm512_load_ps(sums), rescale, scaled));
}

// Pair m of the call is head m % group of row m / group.
void StartBlock(const AttentionArgs& args, int first_pair, Block* block) {
  block->pairs = std::min(kBlockPairs, args.rows * args.group - first_pair);
  block->d = args.head_dim_padded;
  block->sums = static_cast<float*>(args.scratch);
  block->scratch = block->sums + kBlockPairs * block->d;
  std::memset(block->sums, 0, static_cast<std::size_t>(block->pairs) * block->d * sizeof(float));
  for (SoftmaxState& state : block->softmax) state.Start();
  for (int i = 0; i < block->pairs; ++i) {
    const std::size_t row = static_cast<std::size_t>((first_pair + i) / args.group);
    const std::size_t head = static_cast<std::size_t>((first_pair + i) % args.group);
    block->q[i] = static_cast<const std::uint8_t*>(args.q) + row * args.q_row_stride + head * args.q_head_stride;
    block->position[i] = args.first_position + static_cast<int>(row);
    block->out[i] = args.out + row * args.out_row_stride + head * static_cast<std::size_t>(args.head_dim);
    block->softmax[i / kTile].scale[i % kTile] = args.q_scale[row * args.q_scale_stride + head] * kLog2E;
  }
}

// ViewPageS8() in place: the struct that a call returns is written in small parts and read back in large ones, which
// the processor cannot forward (7 % of the AMX form's time).
inline void FindParts(const void* page, int d, PageS8* parts) {
  auto* bytes = static_cast<std::int8_t*>(const_cast<void*>(page));
  parts->keys = bytes;
  parts->values = bytes + kPanelColumns * d;
  parts->k_scale = reinterpret_cast<float*>(bytes + 2 * kPanelColumns * d);
  parts->v_scale = parts->k_scale + kPanelColumns;
  parts->k_sum = reinterpret_cast<std::int32_t*>(parts->v_scale + kPanelColumns);
}

void StartStep(const AttentionArgs& args, const Block& block, int page_begin, Step* step) {
  FindParts(args.pages[page_begin / kPanelColumns], block.d, &step->page);
  step->page_begin = page_begin;
  step->keys = std::min(kPanelColumns, block.position[block.pairs - 1] - page_begin + 1);
}

// Products has
//   void Start(Block*)               before the first page,
//   void Score(Step*, Block*)        scores = queries times the page's visible keys, exact,
//   void Multiply(const Step&, Block*)  begins the products of the pairs' bytes with the values,
//   void Add(const Step&, Block*)    has AddProduct() done for all of them; its scores may be the next but one step's.
template <typename Products>
void AttendWith(const AttentionArgs& args) {
  Block block;
  Products products;
  for (int first_pair = 0; first_pair < args.rows * args.group; first_pair += kBlockPairs) {
    StartBlock(args, first_pair, &block);
    products.Start(&block);
    const int last_position = block.position[block.pairs - 1];
    Step* step = &block.step[0];
    Step* other = &block.step[1];
    StartStep(args, block, 0, step);
    products.Score(step, &block);
    for (int begin = 0; begin <= last_position; begin += kPanelColumns) {
      if (begin + kPanelColumns <= last_position) {
        StartStep(args, block, begin + kPanelColumns, other);
        products.Score(other, &block);
      }
      NormaliseAll(step, &block);
      if (begin > 0) products.Add(*other, &block);
      products.Multiply(*step, &block);
      std::swap(step, other);
    }
    products.Add(*other, &block);
    for (int i = 0; i < block.pairs; ++i) {
      const float factor = 1.0f / block.softmax[i / kTile].Denominator(i % kTile);
      WriteScaled(block.sums + i * block.d, args.head_dim, factor, block.out[i]);
    }
  }
}

}  // namespace
}  // namespace tamis::kernels
