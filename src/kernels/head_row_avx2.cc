// From a row's raw projections to attention operands on AVX2: norm, rotary embedding, transform, quantisation and the
// key's and value's place in their pages.
#include "kernels/hadamard_avx2.h"
#include "kernels/kernels.h"
#include "kernels/row_avx2.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

// y = x * factor * norm, rotated, times scale. The int8 form has both factors at 1: they go into the row's scale.
template <bool kInt8>
void NormAndRotate(const HeadRowArgs& args, const float* x, const float* norm, float factor, float scale, float* y) {
  const int half = args.heads->head_dim / 2;
  const __m256 factors = _mm256_set1_ps(factor);
  const __m256 scales = _mm256_set1_ps(scale);
  for (int i = 0; i < half; i += 8) {
    const int count = half - i;
    __m256 a = LoadFirst(x + i, count);
    __m256 b = LoadFirst(x + half + i, count);
    if (!kInt8) {
      a = _mm256_mul_ps(a, factors);
      b = _mm256_mul_ps(b, factors);
    }
    a = _mm256_mul_ps(a, LoadFirst(norm + i, count));
    b = _mm256_mul_ps(b, LoadFirst(norm + half + i, count));
    const __m256 cos = LoadFirst(args.rope_cos + i, count);
    const __m256 sin = LoadFirst(args.rope_sin + i, count);
    __m256 turned_a = _mm256_fmsub_ps(a, cos, _mm256_mul_ps(b, sin));
    __m256 turned_b = _mm256_fmadd_ps(b, cos, _mm256_mul_ps(a, sin));
    if (!kInt8) {
      turned_a = _mm256_mul_ps(turned_a, scales);
      turned_b = _mm256_mul_ps(turned_b, scales);
    }
    StoreFirst(y + i, count, turned_a);
    StoreFirst(y + half + i, count, turned_b);
  }
}

float RmsFactor(const HeadArgs& heads, const float* x) {
  return RootOfMean(Dot(x, x, static_cast<std::size_t>(heads.head_dim)), heads.head_dim, heads.eps);
}

float QuantizeHead(const HeadRowArgs& args, const float* x, const float* norm, std::int8_t* bytes) {
  const HeadArgs& heads = *args.heads;
  alignas(32) float y[kHeadDimMax];
  NormAndRotate<true>(args, x, norm, 1.0f, 1.0f, y);
  TransformRow(y, heads.head_dim, heads.hadamard_block);
  const float scale = WriteCodes(y, heads.head_dim, heads.head_dim_padded, MaxAbs(y, heads.head_dim), bytes);
  return scale * HadamardNorm(heads.hadamard_block) * RmsFactor(heads, x);
}

// A key is a column of the page: one 32-bit lane in each group of four dimensions.
void StoreKey(const std::int8_t* key, int d, float scale, int slot, const PageS8& page) {
  std::int32_t sum = 0;
  for (int i = 0; i < d; ++i) sum += key[i];
  std::int8_t* column = page.keys + slot * kKeyGroup;
  for (int i = 0; i < d; i += kKeyGroup, column += kPanelColumns * kKeyGroup) std::memcpy(column, key + i, kKeyGroup);
  page.k_scale[slot] = scale;
  page.k_sum[slot] = sum;
}

// A value is one byte of each 32-bit lane of its group of four keys. Only bytes are written, as other threads may be
// writing the neighbours.
void StoreValue(const std::int8_t* value, int d, float scale, int slot, const PageS8& page) {
  constexpr int kGroupBytes = kPanelColumns * kKeyGroup;
  std::int8_t* group = page.values + slot / kKeyGroup * kGroupBytes + slot % kKeyGroup;
  for (int i = 0; i < d; i += kPanelColumns, group += kPanelColumns * kPanelColumns) {
    for (int column = 0; column < kPanelColumns; ++column) group[column * kKeyGroup] = value[i + column];
  }
  page.v_scale[slot] = scale;
}

}  // namespace

namespace avx2 {

void HeadRowS8(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const int d = heads.head_dim_padded;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(heads.head_dim));
  const float* x = args.qkv;
  auto* q = static_cast<std::int8_t*>(args.q);
  for (int h = 0; h < heads.q_heads; ++h, x += heads.head_dim, q += d) {
    args.q_scale[h] = QuantizeHead(args, x, heads.q_norm, q) * softmax_scale;
  }
  alignas(32) std::int8_t bytes[kHeadDimMax];
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    const float scale = QuantizeHead(args, x, heads.k_norm, bytes);
    StoreKey(bytes, d, scale, args.slot, ViewPageS8(args.pages[h], d));
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    const float scale = WriteCodes(x, heads.head_dim, d, MaxAbs(x, heads.head_dim), bytes);
    StoreValue(bytes, d, scale, args.slot, ViewPageS8(args.pages[h], d));
  }
}

void HeadRowF32(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const int d = heads.head_dim;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(d));
  const float* x = args.qkv;
  auto* q = static_cast<float*>(args.q);
  for (int h = 0; h < heads.q_heads; ++h, x += d, q += d) {
    NormAndRotate<false>(args, x, heads.q_norm, RmsFactor(heads, x), softmax_scale, q);
  }
  alignas(32) float key[kHeadDimMax] = {};
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    NormAndRotate<false>(args, x, heads.k_norm, RmsFactor(heads, x), 1.0f, key);
    float* column = static_cast<float*>(args.pages[h]) + args.slot;
    for (int i = 0; i < d; ++i) column[i * kPanelColumns] = key[i];
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    float* values = static_cast<float*>(args.pages[h]) + kPanelColumns * d;
    std::memcpy(values + args.slot * d, x, static_cast<std::size_t>(d) * sizeof(float));
  }
}

}  // namespace avx2
}  // namespace tamis::kernels
