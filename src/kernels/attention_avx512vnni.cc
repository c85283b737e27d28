// The integer products of int8 attention on AVX-512 VNNI: four pairs by 64 keys, or by 64 dimensions, are 16
// accumulators.
#include "kernels/attention_s8_avx512.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

inline __m512i BroadcastGroup(const std::uint8_t* p) {
  std::int32_t value;
  std::memcpy(&value, p, sizeof(value));
  return _mm512_set1_epi32(value);
}

// acc += four products of a (unsigned) and b (signed) in each lane. The intrinsic says the same, but GCC 12 then copies
// every accumulator twice in each round of the loop.
[[gnu::always_inline]] inline void AddProducts(__m512i a, __m512i b, __m512i* acc) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(a), "vm"(b));
}

// acc[r][v] += 4 * groups bytes at a[r] times `groups` lines of a panel, of which the first kCount registers.
template <int kRows, int kCount>
[[gnu::always_inline]] inline void Multiply(const std::uint8_t* const (&a)[kRows], const std::int8_t* panel, int groups,
                                            __m512i (&acc)[kRows][kCount]) {
  for (int i = 0; i < kKeyGroup * groups; i += kKeyGroup, panel += kGroupBytes) {
    __m512i b[kCount];
    Unroll<kCount>([&]<int v>() TAMIS_INLINE { b[v] = _mm512_loadu_si512(panel + 64 * v); });
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m512i group = BroadcastGroup(a[r] + i);
      Unroll<kCount>([&]<int v>() TAMIS_INLINE { AddProducts(group, b[v], &acc[r][v]); });
    });
  }
}

template <int kRows, int kCount>
[[gnu::noinline]] void ScoreTile(int first, Step* step, Block* block) {
  const PageS8& page = step->page;
  __m512i acc[kRows][kCount];
  const std::uint8_t* q[kRows];
  Unroll<kRows>([&]<int r>() TAMIS_INLINE { q[r] = block->q[first + r]; });
  Unroll<kCount>([&]<int v>() TAMIS_INLINE {
    // Queries are stored with 128 added.
    const __m512i excess = _mm512_slli_epi32(_mm512_loadu_si512(page.k_sum + 16 * v), 7);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE { acc[r][v] = _mm512_sub_epi32(_mm512_setzero_si512(), excess); });
  });
  Multiply<kRows, kCount>(q, page.keys, block->d / kKeyGroup, acc);
  Unroll<kRows * kCount>([&]<int i>() TAMIS_INLINE {
    _mm512_store_si512(step->scores[first + i / kCount] + 16 * (i % kCount), acc[i / kCount][i % kCount]);
  });
}

template <int kRows>
void ScoreKeys(int first, Step* step, Block* block) {
  switch ((step->keys + 15) / 16) {
    case 1: return ScoreTile<kRows, 1>(first, step, block);
    case 2: return ScoreTile<kRows, 2>(first, step, block);
    case 3: return ScoreTile<kRows, 3>(first, step, block);
    default: return ScoreTile<kRows, 4>(first, step, block);
  }
}

template <int kRows>
[[gnu::noinline]] void AddValuesTile(const Step& step, int first, Block* block) {
  const PageS8& page = step.page;
  const int groups = (step.keys + kKeyGroup - 1) / kKeyGroup;
  const std::uint8_t* p[kRows];
  Unroll<kRows>([&]<int r>() TAMIS_INLINE { p[r] = block->p[first + r]; });
  for (int column = 0; column < block->d; column += kPanelColumns) {
    __m512i acc[kRows][kVectors];
    Unroll<kRows * kVectors>([&]<int i>() TAMIS_INLINE { acc[i / kVectors][i % kVectors] = _mm512_setzero_si512(); });
    Multiply<kRows, kVectors>(p, page.values + column / kPanelColumns * kPanelBytes, groups, acc);
    Unroll<kRows>([&]<int r>() TAMIS_INLINE {
      const __m512 rescale = _mm512_set1_ps(step.rescale[first + r]);
      const __m512 scale = _mm512_set1_ps(step.scale[first + r]);
      float* row = block->sums + (first + r) * block->d + column;
      Unroll<kVectors>([&]<int v>() TAMIS_INLINE { AddProduct(acc[r][v], rescale, scale, row + 16 * v); });
    });
  }
}

// Calls f.operator()<rows>(first) for tiles of up to four pairs.
template <typename F>
void ForEachTile(int pairs, F f) {
  int first = 0;
  for (; first + kTile <= pairs; first += kTile) f.template operator()<4>(first);
  switch (pairs - first) {
    case 1: return f.template operator()<1>(first);
    case 2: return f.template operator()<2>(first);
    case 3: return f.template operator()<3>(first);
    default: return;
  }
}

struct Products {
  void Start(Block*) {}
  void Score(Step* step, Block* block) {
    ForEachTile(block->pairs, [&]<int kRows>(int first) { ScoreKeys<kRows>(first, step, block); });
  }
  void Multiply(const Step& step, Block* block) {
    ForEachTile(block->pairs, [&]<int kRows>(int first) { AddValuesTile<kRows>(step, first, block); });
  }
  void Add(const Step&, Block*) {}
};

}  // namespace

namespace avx512vnni {

void AttentionS8(const AttentionArgs& args) { AttendWith<Products>(args); }

}  // namespace avx512vnni
}  // namespace tamis::kernels
