// From a row's raw projections to attention operands on AVX-512: norm, rotary embedding, transform, quantisation and
// the key's and value's place in their pages.
//
// Head sizes of 64, 128 and 256 stay in registers from the projection to the bytes; others pass through a small buffer.
#include "kernels/hadamard_avx512.h"
#include "kernels/kernels.h"
#include "kernels/row_avx512.h"
#include "kernels/tables.h"
#include "kernels/unroll.h"

namespace tamis::kernels {
namespace {

constexpr int kQueryBias = 128;  // attention multiplies unsigned queries by signed keys

// Pairs (a, b) turned by their angles.
struct Pair {
  __m512 a;
  __m512 b;
};
inline Pair Rotate(__m512 a, __m512 b, __m512 cos, __m512 sin) {
  return {_mm512_fmsub_ps(a, cos, _mm512_mul_ps(b, sin)), _mm512_fmadd_ps(b, cos, _mm512_mul_ps(a, sin))};
}

struct HeadCodes {
  alignas(64) std::uint8_t bytes[kHeadDimMax];
  float scale;
};

// One q or k head of 16 * kRegisters floats, four registers at least.
template <int kRegisters, int kBias>
void QuantizeHeadInRegisters(const HeadRowArgs& args, const float* x, const float* norm, std::uint8_t* bytes,
                             float* scale) {
  constexpr int kHalf = kRegisters / 2;
  __m512 v[kRegisters];
  __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
  Unroll<kRegisters>([&]<int i>() TAMIS_INLINE {
    const __m512 value = _mm512_loadu_ps(x + 16 * i);
    sum[i % 4] = _mm512_fmadd_ps(value, value, sum[i % 4]);
    v[i] = _mm512_mul_ps(value, _mm512_loadu_ps(norm + 16 * i));
  });
  Unroll<kHalf>([&]<int i>() TAMIS_INLINE {
    const Pair pair =
        Rotate(v[i], v[i + kHalf], _mm512_loadu_ps(args.rope_cos + 16 * i), _mm512_loadu_ps(args.rope_sin + 16 * i));
    v[i] = pair.a;
    v[i + kHalf] = pair.b;
  });
  Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { v[i] = ButterflyLanes(v[i]); });
  ButterflyRegisters<1>(v);
  __m512i max = AbsBits(v[0]);
  Unroll<kRegisters>([&]<int i>() TAMIS_INLINE { max = _mm512_max_epu32(max, AbsBits(v[i])); });
  const float max_value = MaxLane(max);
  const float rms_factor = RootOfMean(FoldLanes(sum[0], sum[1], sum[2], sum[3]), 16 * kRegisters, args.heads->eps);
  if (!HasCodes(max_value, scale)) {
    std::memset(bytes, kBias, 16 * kRegisters);
    return;
  }
  const __m512 factor = _mm512_set1_ps(127.0f / max_value);
  Unroll<kRegisters / 4>([&]<int j>() TAMIS_INLINE {
    constexpr int i = 4 * j;
    const __m512i packed = PackBytes(RoundScaled(v[i], factor), RoundScaled(v[i + 1], factor),
                                     RoundScaled(v[i + 2], factor), RoundScaled(v[i + 3], factor));
    _mm512_storeu_si512(bytes + 16 * i, AddBias<kBias>(packed));
  });
  *scale = max_value / 127.0f * HadamardNorm(16 * kRegisters) * rms_factor;
}

// y = norm weights times x, rotated. Returns the factor 1 / rms.
float NormAndRotate(const HeadRowArgs& args, const float* x, const float* norm, float* y) {
  const int d = args.heads->head_dim;
  const int half = d / 2;
  for (int i = 0; i < half; i += 16) {
    const __mmask16 lanes = FirstLanes(half - i);
    const auto load = [lanes](const float* p) { return _mm512_maskz_loadu_ps(lanes, p); };
    const __m512 a = _mm512_mul_ps(load(x + i), load(norm + i));
    const __m512 b = _mm512_mul_ps(load(x + half + i), load(norm + half + i));
    const Pair pair = Rotate(a, b, load(args.rope_cos + i), load(args.rope_sin + i));
    _mm512_mask_storeu_ps(y + i, lanes, pair.a);
    _mm512_mask_storeu_ps(y + half + i, lanes, pair.b);
  }
  return RootOfMean(ReadRow<true>(x, d).sum, d, args.heads->eps);
}

template <int kBias>
void QuantizeHead(const HeadRowArgs& args, const float* x, const float* norm, std::uint8_t* bytes, float* scale) {
  const HeadArgs& heads = *args.heads;
  if (heads.head_dim == heads.hadamard_block) {
    switch (heads.head_dim) {
      case 64: return QuantizeHeadInRegisters<4, kBias>(args, x, norm, bytes, scale);
      case 128: return QuantizeHeadInRegisters<8, kBias>(args, x, norm, bytes, scale);
      case 256: return QuantizeHeadInRegisters<16, kBias>(args, x, norm, bytes, scale);
      default: break;
    }
  }
  alignas(64) float y[kHeadDimMax];
  const float rms_factor = NormAndRotate(args, x, norm, y);
  const float max = TransformRow(y, heads.head_dim, heads.hadamard_block);
  *scale = WriteCodes<kBias>(y, heads.head_dim, heads.head_dim_padded, max, bytes) *
           HadamardNorm(heads.hadamard_block) * rms_factor;
}

// A key is a column of the page: one 32-bit lane in each group of four dimensions.
void StoreKey(const HeadCodes& key, int d, int slot, const PageS8& page) {
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < d; i += 64) {
    sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), _mm512_load_si512(key.bytes + i));
  }
  std::int8_t* column = page.keys + slot * kKeyGroup;
  for (int i = 0; i < d; i += kKeyGroup, column += kPanelColumns * kKeyGroup) {
    std::memcpy(column, key.bytes + i, kKeyGroup);
  }
  page.k_scale[slot] = key.scale;
  page.k_sum[slot] = _mm512_reduce_add_epi32(sum);
}

// A value is one byte of each 32-bit lane of its group of four keys. The masked stores leave the neighbours' bytes
// untouched in memory, as other threads may be writing them.
void StoreValue(const HeadCodes& value, int d, int slot, const PageS8& page) {
  const int byte = slot % kKeyGroup;
  const __mmask64 mask = 0x1111111111111111ull << byte;
  const __m128i shift = _mm_cvtsi32_si128(8 * byte);
  constexpr int kPanelBytes = kPanelColumns * kPanelColumns;
  for (int i = 0; i < d; i += 16) {
    const __m512i lanes = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(value.bytes + i)));
    std::int8_t* group = page.values + i / kPanelColumns * kPanelBytes + slot / kKeyGroup * kPanelColumns * kKeyGroup +
                         i % kPanelColumns * kKeyGroup;
    _mm512_mask_storeu_epi8(group, mask, _mm512_sll_epi32(lanes, shift));
  }
  page.v_scale[slot] = value.scale;
}

// One q or k head, fp32: norm, rotation and a factor (the softmax scale of queries).
void NormHeadF32(const HeadRowArgs& args, const float* x, const float* norm, float scale, float* y) {
  const int d = args.heads->head_dim;
  const int half = d / 2;
  const __m512 rms_factor = _mm512_set1_ps(RootOfMean(ReadRow<true>(x, d).sum, d, args.heads->eps));
  const __m512 factor = _mm512_set1_ps(scale);
  for (int i = 0; i < half; i += 16) {
    const __mmask16 lanes = FirstLanes(half - i);
    const auto load = [lanes](const float* p) { return _mm512_maskz_loadu_ps(lanes, p); };
    const __m512 a = _mm512_mul_ps(_mm512_mul_ps(load(x + i), rms_factor), load(norm + i));
    const __m512 b = _mm512_mul_ps(_mm512_mul_ps(load(x + half + i), rms_factor), load(norm + half + i));
    const Pair pair = Rotate(a, b, load(args.rope_cos + i), load(args.rope_sin + i));
    _mm512_mask_storeu_ps(y + i, lanes, _mm512_mul_ps(pair.a, factor));
    _mm512_mask_storeu_ps(y + half + i, lanes, _mm512_mul_ps(pair.b, factor));
  }
}

}  // namespace

namespace avx512vnni {

void HeadRowS8(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const int d = heads.head_dim_padded;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(heads.head_dim));
  const float* x = args.qkv;
  auto* q = static_cast<std::uint8_t*>(args.q);
  for (int h = 0; h < heads.q_heads; ++h, x += heads.head_dim, q += d) {
    float scale;
    QuantizeHead<kQueryBias>(args, x, heads.q_norm, q, &scale);
    args.q_scale[h] = scale * softmax_scale;
  }
  HeadCodes codes;
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    QuantizeHead<0>(args, x, heads.k_norm, codes.bytes, &codes.scale);
    StoreKey(codes, d, args.slot, ViewPageS8(args.pages[h], d));
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    codes.scale = WriteCodes<0>(x, heads.head_dim, d, ReadRow<false>(x, heads.head_dim).max, codes.bytes);
    StoreValue(codes, d, args.slot, ViewPageS8(args.pages[h], d));
  }
}

void HeadRowF32(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const int d = heads.head_dim;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(d));
  const float* x = args.qkv;
  auto* q = static_cast<float*>(args.q);
  for (int h = 0; h < heads.q_heads; ++h, x += d, q += d) NormHeadF32(args, x, heads.q_norm, softmax_scale, q);
  alignas(64) float key[kHeadDimMax] = {};
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    NormHeadF32(args, x, heads.k_norm, 1.0f, key);
    float* column = static_cast<float*>(args.pages[h]) + args.slot;
    for (int i = 0; i < d; ++i) column[i * kPanelColumns] = key[i];
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    float* values = static_cast<float*>(args.pages[h]) + kPanelColumns * d;
    std::memcpy(values + args.slot * d, x, static_cast<std::size_t>(d) * sizeof(float));
  }
}

}  // namespace avx512vnni
}  // namespace tamis::kernels
