// Prepared weights: a model's linear layers packed for the kernels, in int8 (folded and rotated) or fp32.
//
// Int8, with R the rotation of the residual stream (rotation.h), Hv a Walsh-Hadamard transform of each head's values
// and Hd one over blocks of the MLP's inner width:
//   q, k        W diag(norm) R^T                    norm: the RMSNorm weights before the layer
//   v           Hv W diag(norm) R^T
//   o           R W Hv^T
//   gate, up    W diag(norm) R^T                    rows interleaved in groups of 16 for the SiLU epilogue
//   down        R W Hd^T                            the kernel applies Hd to its input
//   head rows   row diag(final norm) R^T, fp32
// In exact arithmetic this is the same function; see docs/decisions/ for what it buys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/rotation.h"
#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "kernels/kernels.h"
#include "model/qwen3.h"

namespace tamis::cpu {

struct Int8Linear {
  using View = kernels::PackedS8;
  AlignedBuffer<std::int8_t> data;
  AlignedBuffer<float> scale;
  AlignedBuffer<std::int32_t> column_sum;
  View view;

  std::size_t bytes() const { return data.size_bytes() + scale.size_bytes() + column_sum.size_bytes(); }
};

struct F32Linear {
  using View = kernels::PackedF32;
  AlignedBuffer<float> data;
  View view;

  std::size_t bytes() const { return data.size_bytes(); }
};

template <class Linear>
struct PreparedLayer {
  Linear qkv;  // q_heads * head_dim + 2 * kv_heads * head_dim outputs
  Linear o;
  Linear gate_up;  // groups of 16 gates, then 16 ups
  Linear down;
  std::vector<float> input_norm;  // fp32 only: int8 has them folded in
  std::vector<float> post_norm;
  std::vector<float> q_norm;
  std::vector<float> k_norm;
};

// The sizes that the forward pass works with.
struct LayerShape {
  int hidden = 0;
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int head_dim_padded = 0;  // multiple of 64
  int inner = 0;  // MLP width
  float eps = 0;

  int q_columns() const { return q_heads * head_dim; }
  int kv_columns() const { return kv_heads * head_dim; }
  int qkv_columns() const { return q_columns() + 2 * kv_columns(); }
  int inner_padded() const { return (inner + 15) / 16 * 16; }  // outputs of the SiLU epilogue
};
LayerShape ShapeOf(const Qwen3Config& config);

// The rows that turn the last hidden state into logits.
struct PreparedHead {
  HeadSpec spec;
  std::vector<float> first;  // [hidden], final norm folded in, rotated
  std::vector<float> second;  // label pairs
  std::vector<float> final_norm;  // for the logits of the whole vocabulary
};

template <class Linear>
struct PreparedModel {
  LayerShape shape;
  std::vector<PreparedLayer<Linear>> layers;
  Rotation rotation;
  PreparedHead head;
  Qwen3Model source;  // embedding and head stay mapped; the layers' pages are given back

  std::size_t weight_bytes() const {
    std::size_t total = 0;
    for (const auto& l : layers) total += l.qkv.bytes() + l.o.bytes() + l.gate_up.bytes() + l.down.bytes();
    return total;
  }
};

// Errors: DataLoss naming a tensor that holds a value that is not finite.
Result<PreparedModel<Int8Linear>> PrepareInt8(Qwen3Model model, const HeadSpec& head, bool rotate,
                                              const kernels::Kernels& kernels, ThreadPool& pool);
Result<PreparedModel<F32Linear>> PrepareF32(Qwen3Model model, const HeadSpec& head, const kernels::Kernels& kernels,
                                            ThreadPool& pool);

}  // namespace tamis::cpu
