// Int8 attention on AVX2.
//
// AVX2 multiplies unsigned by signed bytes only with saturation at 16 bits, so both products are done in 16 bits: the
// page's bytes are split into even and odd ones by shifts, and queries and probabilities are held as 16-bit numbers in
// the matching order: those of a group of four as 0, 2, 1, 3. 16 (row, head) pairs go through the pages together.
#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/softmax_avx2.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

constexpr int kBlockPairs = 16;
constexpr int kTileRows = 4;
constexpr int kStrip = 16;  // columns of a register tile
constexpr int kGroupBytes = kPanelColumns * kKeyGroup;
constexpr int kPanelBytes = kPanelColumns * kPanelColumns;

struct Block {
  SoftmaxState softmax[kBlockPairs];
  float q_scale[kBlockPairs];
  int position[kBlockPairs];
  float* out[kBlockPairs];
  float* sums;           // [kBlockPairs][head_dim_padded]
  float* scores;         // [kBlockPairs][64]
  std::int16_t* q;       // [kBlockPairs][head_dim_padded]
  std::int16_t* p;       // [kBlockPairs][64]
  float rescale[kBlockPairs];
  float scale[kBlockPairs];  // of the bytes in p
};

inline __m256i BroadcastPair(const std::int16_t* p) {
  std::int32_t value;
  std::memcpy(&value, p, sizeof(value));
  return _mm256_set1_epi32(value);
}

// 16-bit numbers of four in the order 0, 2, 1, 3.
inline __m256i EvenOddOrder(__m256i x) {
  const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15,  //
                                         0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15);
  return _mm256_shuffle_epi8(x, order);
}

// acc = a [kRows][4 * groups] times 16 columns of a panel.
template <int kRows>
[[gnu::always_inline]] inline void Multiply(const std::int16_t* a, int a_stride, const std::int8_t* b, int groups,
                                            __m256i (&acc)[kRows][2]) {
  Unroll<kRows>([&]<int r>() TAMIS_INLINE { acc[r][0] = acc[r][1] = _mm256_setzero_si256(); });
  for (int g = 0; g < groups; ++g, a += kKeyGroup, b += kGroupBytes) {
    __m256i even[2];
    __m256i odd[2];
    Unroll<2>([&]<int v>() TAMIS_INLINE {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + 32 * v));
      even[v] = _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
      odd[v] = _mm256_srai_epi16(bytes, 8);
    });
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m256i a_even = BroadcastPair(a + r * a_stride);
      const __m256i a_odd = BroadcastPair(a + r * a_stride + 2);
      Unroll<2>([&]<int v>() TAMIS_INLINE {
        acc[r][v] = _mm256_add_epi32(acc[r][v], _mm256_madd_epi16(even[v], a_even));
        acc[r][v] = _mm256_add_epi32(acc[r][v], _mm256_madd_epi16(odd[v], a_odd));
      });
    });
  }
}

template <int kRows>
void Score(const PageS8& page, int key, int d, int first, Block* block) {
  __m256i acc[kRows][2];
  Multiply<kRows>(block->q + first * d, d, page.keys + key * kKeyGroup, d / kKeyGroup, acc);
  Unroll<2>([&]<int v>() TAMIS_INLINE {
    const __m256 key_scale = _mm256_loadu_ps(page.k_scale + key + 8 * v);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      _mm256_store_ps(block->scores + (first + r) * kPanelColumns + key + 8 * v,
                      _mm256_mul_ps(_mm256_cvtepi32_ps(acc[r][v]), key_scale));
    });
  });
}

template <int kRows>
void AddValues(const PageS8& page, int column, int groups, int d, int first, Block* block) {
  __m256i acc[kRows][2];
  const std::int8_t* values = page.values + column / kPanelColumns * kPanelBytes + column % kPanelColumns * kKeyGroup;
  Multiply<kRows>(block->p + first * kPanelColumns, kPanelColumns, values, groups, acc);
  Unroll<kRows>([&]<int r>() TAMIS_INLINE {
    const __m256 rescale = _mm256_set1_ps(block->rescale[first + r]);
    const __m256 scale = _mm256_set1_ps(block->scale[first + r]);
    Unroll<2>([&]<int v>() TAMIS_INLINE {
      float* sum = block->sums + (first + r) * d + column + 8 * v;
      const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(acc[r][v]), scale);
      _mm256_store_ps(sum, _mm256_fmadd_ps(_mm256_load_ps(sum), rescale, product));
    });
  });
}

// Bytes (as 16-bit numbers) of probabilities times the value scales; returns their scale.
float QuantizeProbabilities(const PageS8& page, float* p, int keys, std::int16_t* out) {
  __m256i max = _mm256_setzero_si256();
  for (int v = 0; v < kPageVectors; ++v) {
    // Masked once more: what is stale in the page need not be finite.
    const __m256 weighted =
        _mm256_and_ps(_mm256_mul_ps(_mm256_load_ps(p + 8 * v), _mm256_loadu_ps(page.v_scale + 8 * v)),
                      _mm256_castsi256_ps(FirstLanes(keys - 8 * v)));
    max = _mm256_max_epu32(max, _mm256_castps_si256(weighted));
    _mm256_store_ps(p + 8 * v, weighted);
  }
  const float max_value = MaxLane(max);
  const bool finite = max_value <= std::numeric_limits<float>::max();
  const bool has_codes = finite && max_value >= kTiny;
  const __m256 factor = _mm256_set1_ps(has_codes ? 255.0f / max_value : 0.0f);
  for (int v = 0; v < kPageVectors; v += 2) {
    const __m256i low = RoundScaled(_mm256_load_ps(p + 8 * v), factor);
    const __m256i high = RoundScaled(_mm256_load_ps(p + 8 * v + 8), factor);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + 8 * v), EvenOddOrder(packed));
  }
  if (!finite) return std::numeric_limits<float>::quiet_NaN();
  return has_codes ? max_value / 255.0f : 0.0f;
}

// Calls f.operator()<rows>(first) for tiles of up to four pairs.
template <typename F>
void ForEachTile(int pairs, F f) {
  int first = 0;
  for (; first + kTileRows <= pairs; first += kTileRows) f.template operator()<4>(first);
  switch (pairs - first) {
    case 1: return f.template operator()<1>(first);
    case 2: return f.template operator()<2>(first);
    case 3: return f.template operator()<3>(first);
    default: return;
  }
}

void AttendPage(const PageS8& page, int page_begin, int d, int pairs, Block* block) {
  const int keys = std::min(kPanelColumns, block->position[pairs - 1] - page_begin + 1);
  for (int key = 0; key < keys; key += kStrip) {
    ForEachTile(pairs, [&]<int kRows>(int first) { Score<kRows>(page, key, d, first, block); });
  }
  for (int i = 0; i < pairs; ++i) {
    const int visible = std::min(kPanelColumns, block->position[i] - page_begin + 1);
    float* p = block->scores + i * kPanelColumns;
    block->rescale[i] = block->softmax[i].Add(p, block->q_scale[i], visible);
    block->scale[i] = QuantizeProbabilities(page, p, visible, block->p + i * kPanelColumns);
  }
  for (int column = 0; column < d; column += kStrip) {
    ForEachTile(pairs, [&]<int kRows>(int first) {
      AddValues<kRows>(page, column, (keys + kKeyGroup - 1) / kKeyGroup, d, first, block);
    });
  }
}

void WidenQuery(const std::int8_t* q, int d, std::int16_t* out) {
  for (int i = 0; i < d; i += 16) {
    const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q + i)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + i), EvenOddOrder(wide));
  }
}

// Pair m of the call is head m % group of row m / group.
void StartBlock(const AttentionArgs& args, int first_pair, int pairs, Block* block) {
  const int d = args.head_dim_padded;
  block->sums = static_cast<float*>(args.scratch);
  block->scores = block->sums + kBlockPairs * d;
  block->q = reinterpret_cast<std::int16_t*>(block->scores + kBlockPairs * kPanelColumns);
  block->p = block->q + kBlockPairs * d;
  std::memset(block->sums, 0, static_cast<std::size_t>(pairs) * d * sizeof(float));
  for (int i = 0; i < pairs; ++i) {
    const std::size_t row = static_cast<std::size_t>((first_pair + i) / args.group);
    const std::size_t head = static_cast<std::size_t>((first_pair + i) % args.group);
    WidenQuery(static_cast<const std::int8_t*>(args.q) + row * args.q_row_stride + head * args.q_head_stride, d,
               block->q + i * d);
    block->softmax[i].Start();
    block->q_scale[i] = args.q_scale[row * args.q_scale_stride + head];
    block->position[i] = args.first_position + static_cast<int>(row);
    block->out[i] = args.out + row * args.out_row_stride + head * static_cast<std::size_t>(args.head_dim);
  }
}

}  // namespace

namespace avx2 {

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
      WriteScaled(block.sums + i * d, args.head_dim, 1.0f / block.softmax[i].Denominator(), block.out[i]);
    }
  }
}

}  // namespace avx2
}  // namespace tamis::kernels
