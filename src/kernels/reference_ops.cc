// The specification of norms, quantisation and transforms, in portable C++.
//
// Sums run in 64 lanes that are then folded in halves: what wide registers do naturally, so that every instruction set
// gives these very bits.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels::reference {
namespace {

constexpr int kLanes = 64;
constexpr float kTiny = 1e-30f;

float MeanSquareRoot(const float* x, int n, float eps) {
  return 1.0f / std::sqrt(DotF32(x, x, static_cast<std::size_t>(n)) / static_cast<float>(n) + eps);
}

// max|x| as the order of bit patterns has it: infinities and then NaNs are above every number.
float MaxAbs(const float* x, int n) {
  std::uint32_t max_bits = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffu;
    if (bits > max_bits) max_bits = bits;
  }
  return std::bit_cast<float>(max_bits);
}

// Writes n_padded bytes and returns the scale.
float QuantizeRow(const float* x, int n, int n_padded, std::int8_t* q) {
  std::memset(q, 0, static_cast<std::size_t>(n_padded));
  const float max = MaxAbs(x, n);
  if (!std::isfinite(max)) return std::numeric_limits<float>::quiet_NaN();
  if (max < kTiny) return 0.0f;
  const float inverse = 127.0f / max;
  for (int i = 0; i < n; ++i) q[i] = static_cast<std::int8_t>(std::nearbyint(x[i] * inverse));
  return max / 127.0f;
}

void Butterflies(float* x, int n, int block) {
  for (int distance = 1; distance < block; distance *= 2) {
    for (int begin = 0; begin < n; begin += 2 * distance) {
      Butterfly(x + begin, x + begin + distance, static_cast<std::size_t>(distance));
    }
  }
}

float HadamardNorm(int block) { return 1.0f / std::sqrt(static_cast<float>(block)); }

// (a, b) turned by the row's angles; the halves of the head hold a and b.
void Rotate(float* x, int head_dim, const float* cos, const float* sin) {
  const int half = head_dim / 2;
  for (int i = 0; i < half; ++i) {
    const float a = x[i];
    const float b = x[i + half];
    x[i] = std::fma(a, cos[i], -(b * sin[i]));
    x[i + half] = std::fma(b, cos[i], a * sin[i]);
  }
}

// Quantises one q or k head; the norm's factor goes into the scale that it returns.
float QuantizeHead(const HeadRowArgs& args, const float* x, const float* norm, std::int8_t* q) {
  const HeadArgs& heads = *args.heads;
  std::vector<float> y(static_cast<std::size_t>(heads.head_dim));
  for (int i = 0; i < heads.head_dim; ++i) y[i] = x[i] * norm[i];
  Rotate(y.data(), heads.head_dim, args.rope_cos, args.rope_sin);
  Butterflies(y.data(), heads.head_dim, heads.hadamard_block);
  const float scale = QuantizeRow(y.data(), heads.head_dim, heads.head_dim_padded, q);
  return scale * HadamardNorm(heads.hadamard_block) * MeanSquareRoot(x, heads.head_dim, heads.eps);
}

void StoreKey(const HeadArgs& heads, const std::int8_t* key, float scale, int slot, const PageS8& page) {
  std::int32_t sum = 0;
  for (int i = 0; i < heads.head_dim_padded; ++i) {
    page.keys[(i / kKeyGroup * kPanelColumns + slot) * kKeyGroup + i % kKeyGroup] = key[i];
    sum += key[i];
  }
  page.k_scale[slot] = scale;
  page.k_sum[slot] = sum;
}

void StoreValue(const HeadArgs& heads, const std::int8_t* value, float scale, int slot, const PageS8& page) {
  constexpr int kGroups = kPanelColumns / kKeyGroup;
  for (int i = 0; i < heads.head_dim_padded; ++i) {
    const int panel = i / kPanelColumns;
    const int column = i % kPanelColumns;
    page.values[((panel * kGroups + slot / kKeyGroup) * kPanelColumns + column) * kKeyGroup + slot % kKeyGroup] =
        value[i];
  }
  page.v_scale[slot] = scale;
}

}  // namespace

void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale) {
  *scale = QuantizeRow(x, n, n_padded, static_cast<std::int8_t*>(out)) * MeanSquareRoot(x, n, eps);
}

void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out) {
  const float factor = MeanSquareRoot(x, n, eps);
  for (int i = 0; i < n; ++i) out[i] = x[i] * factor * weight[i];
}

void Quantize(const float* x, int n, int n_padded, void* out, float* scale) {
  *scale = QuantizeRow(x, n, n_padded, static_cast<std::int8_t*>(out));
}

void Hadamard(float* x, int n, int block) {
  Butterflies(x, n, block);
  const float norm = HadamardNorm(block);
  for (int i = 0; i < n; ++i) x[i] *= norm;
}

void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale) {
  Butterflies(x, n, block);
  *scale = QuantizeRow(x, n, n_padded, static_cast<std::int8_t*>(out)) * HadamardNorm(block);
}

void Butterfly(float* a, float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = a[i] + b[i];
    b[i] = a[i] - b[i];
    a[i] = sum;
  }
}

void HeadRowS8(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(heads.head_dim));
  const float* x = args.qkv;
  for (int h = 0; h < heads.q_heads; ++h, x += heads.head_dim) {
    std::int8_t* q = static_cast<std::int8_t*>(args.q) + static_cast<std::size_t>(h) * heads.head_dim_padded;
    args.q_scale[h] = QuantizeHead(args, x, heads.q_norm, q) * softmax_scale;
  }
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(heads.head_dim_padded));
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    const float scale = QuantizeHead(args, x, heads.k_norm, bytes.data());
    StoreKey(heads, bytes.data(), scale, args.slot, ViewPageS8(args.pages[h], heads.head_dim_padded));
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += heads.head_dim) {
    const float scale = QuantizeRow(x, heads.head_dim, heads.head_dim_padded, bytes.data());
    StoreValue(heads, bytes.data(), scale, args.slot, ViewPageS8(args.pages[h], heads.head_dim_padded));
  }
}

void HeadRowF32(const HeadRowArgs& args) {
  const HeadArgs& heads = *args.heads;
  const int d = heads.head_dim;
  const float softmax_scale = 1.0f / std::sqrt(static_cast<float>(d));
  const float* x = args.qkv;
  for (int h = 0; h < heads.q_heads; ++h, x += d) {
    float* q = static_cast<float*>(args.q) + static_cast<std::size_t>(h) * d;
    RmsNormF32(x, heads.q_norm, d, heads.eps, q);
    Rotate(q, d, args.rope_cos, args.rope_sin);
    for (int i = 0; i < d; ++i) q[i] *= softmax_scale;
  }
  std::vector<float> key(static_cast<std::size_t>(d));
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    RmsNormF32(x, heads.k_norm, d, heads.eps, key.data());
    Rotate(key.data(), d, args.rope_cos, args.rope_sin);
    float* keys = static_cast<float*>(args.pages[h]);
    for (int i = 0; i < d; ++i) keys[i * kPanelColumns + args.slot] = key[i];
  }
  for (int h = 0; h < heads.kv_heads; ++h, x += d) {
    float* values = static_cast<float*>(args.pages[h]) + kPanelColumns * d;
    std::memcpy(values + args.slot * d, x, static_cast<std::size_t>(d) * sizeof(float));
  }
}

float DotF32(const float* a, const float* b, std::size_t n) {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) lanes[i % kLanes] = std::fma(a[i], b[i], lanes[i % kLanes]);
  for (int step = kLanes / 2; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  return lanes[0];
}

}  // namespace tamis::kernels::reference
