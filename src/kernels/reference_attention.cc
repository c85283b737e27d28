// The specification of attention, in portable C++: page by page with an online softmax, one (row, head) at a time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels::reference {
namespace {

constexpr float kTiny = 1e-30f;

// What a (row, head) has seen so far, relative to exp(max).
struct Softmax {
  explicit Softmax(int head_dim) : sums(static_cast<std::size_t>(head_dim), 0.0f) {}

  // Turns the scores of a page into probabilities and rescales the sums to the new maximum.
  void Add(float* scores, int keys) {
    float new_max = max;
    for (int j = 0; j < keys; ++j) new_max = std::max(new_max, scores[j]);
    const float rescale = std::exp(max - new_max);
    max = new_max;
    denominator *= rescale;
    for (float& sum : sums) sum *= rescale;
    for (int j = 0; j < keys; ++j) {
      scores[j] = std::exp(scores[j] - max);
      denominator += scores[j];
    }
  }

  float max = -std::numeric_limits<float>::infinity();
  float denominator = 0;
  std::vector<float> sums;  // [head_dim] sum of probability times value
};

std::int32_t KeyDot(const std::int8_t* q, const PageS8& page, int key, int d) {
  std::int32_t dot = 0;
  for (int i = 0; i < d; ++i) {
    dot += q[i] * page.keys[(i / kKeyGroup * kPanelColumns + key) * kKeyGroup + i % kKeyGroup];
  }
  return dot;
}

std::int32_t ValueDot(const std::uint8_t* p, const PageS8& page, int keys, int i) {
  constexpr int kGroups = kPanelColumns / kKeyGroup;
  const std::int8_t* panel = page.values + i / kPanelColumns * kGroups * kPanelColumns * kKeyGroup;
  std::int32_t dot = 0;
  for (int j = 0; j < keys; ++j) {
    dot += p[j] * panel[(j / kKeyGroup * kPanelColumns + i % kPanelColumns) * kKeyGroup + j % kKeyGroup];
  }
  return dot;
}

// Probabilities times the values' scales as bytes; returns their scale.
float QuantizeProbabilities(const float* p, const PageS8& page, int keys, std::uint8_t* bytes) {
  float max = 0;
  bool finite = true;
  for (int j = 0; j < keys; ++j) {
    bytes[j] = 0;
    const float weighted = p[j] * page.v_scale[j];
    finite = finite && std::isfinite(weighted);
    max = std::max(max, weighted);
  }
  if (!finite) return std::numeric_limits<float>::quiet_NaN();
  if (max < kTiny) return 0.0f;
  const float inverse = 255.0f / max;
  for (int j = 0; j < keys; ++j) {
    bytes[j] = static_cast<std::uint8_t>(std::nearbyint(p[j] * page.v_scale[j] * inverse));
  }
  return max / 255.0f;
}

void AttendPageS8(const AttentionArgs& args, const std::int8_t* q, float q_scale, const PageS8& page, int keys,
                  Softmax* softmax) {
  float p[kPanelColumns];
  for (int j = 0; j < keys; ++j) {
    p[j] = static_cast<float>(KeyDot(q, page, j, args.head_dim_padded)) * page.k_scale[j] * q_scale;
  }
  softmax->Add(p, keys);
  std::uint8_t bytes[kPanelColumns];
  const float scale = QuantizeProbabilities(p, page, keys, bytes);
  for (int i = 0; i < args.head_dim; ++i) {
    softmax->sums[i] += scale * static_cast<float>(ValueDot(bytes, page, keys, i));
  }
}

void AttendPageF32(const AttentionArgs& args, const float* q, const float* page, int keys, Softmax* softmax) {
  const int d = args.head_dim;
  float p[kPanelColumns];
  for (int j = 0; j < keys; ++j) {
    p[j] = 0;
    for (int i = 0; i < d; ++i) p[j] = std::fma(q[i], page[i * kPanelColumns + j], p[j]);
  }
  softmax->Add(p, keys);
  const float* values = page + kPanelColumns * d;
  for (int i = 0; i < d; ++i) {
    float sum = 0;
    for (int j = 0; j < keys; ++j) sum = std::fma(p[j], values[j * d + i], sum);
    softmax->sums[i] += sum;
  }
}

// Calls attend(q, row, head, page, keys, softmax) for each page that a (row, head) sees, then writes its output.
template <typename Attend>
void ForEachRow(const AttentionArgs& args, Attend attend) {
  for (int row = 0; row < args.rows; ++row) {
    const int position = args.first_position + row;
    for (int head = 0; head < args.group; ++head) {
      const char* q = static_cast<const char*>(args.q) + row * args.q_row_stride + head * args.q_head_stride;
      Softmax softmax(args.head_dim);
      for (int begin = 0; begin <= position; begin += kPanelColumns) {
        const int keys = std::min(kPanelColumns, position - begin + 1);
        attend(q, row, head, args.pages[begin / kPanelColumns], keys, &softmax);
      }
      float* out = args.out + row * args.out_row_stride + static_cast<std::size_t>(head) * args.head_dim;
      for (int i = 0; i < args.head_dim; ++i) out[i] = softmax.sums[i] / softmax.denominator;
    }
  }
}

}  // namespace

void AttentionS8(const AttentionArgs& args) {
  ForEachRow(args, [&args](const char* q, int row, int head, const void* page, int keys, Softmax* softmax) {
    const PageS8 view = ViewPageS8(const_cast<void*>(page), args.head_dim_padded);
    const float q_scale = args.q_scale[row * args.q_scale_stride + head];
    AttendPageS8(args, reinterpret_cast<const std::int8_t*>(q), q_scale, view, keys, softmax);
  });
}

void AttentionF32(const AttentionArgs& args) {
  ForEachRow(args, [&args](const char* q, int, int, const void* page, int keys, Softmax* softmax) {
    AttendPageF32(args, reinterpret_cast<const float*>(q), static_cast<const float*>(page), keys, softmax);
  });
}

}  // namespace tamis::kernels::reference
