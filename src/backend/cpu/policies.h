// What differs between the int8 and the fp32 forward pass: how a row becomes an operand, and which kernels run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cpu/prepare.h"
#include "base/aligned_buffer.h"
#include "kernels/kernels.h"

namespace tamis::cpu {

struct Int8Policy {
  using Linear = Int8Linear;

  // Quantised rows of one tile.
  struct Operand {
    AlignedBuffer<std::uint8_t> bytes;
    AlignedBuffer<float> scale;
    std::size_t stride = 0;
    std::uint8_t* row(std::size_t r) { return bytes.data() + r * stride; }
  };
  static void Resize(Operand& a, std::size_t rows, int columns) {
    a.stride = static_cast<std::size_t>(Padded(columns));
    a.bytes.EnsureSize(rows * a.stride);
    a.scale.EnsureSize(rows);
  }

  static void Normalise(const kernels::Kernels& k, const float* x, const std::vector<float>&, int n, float eps,
                        Operand& a, std::size_t r) {
    k.rms_norm_quantize(x, n, Padded(n), eps, a.row(r), &a.scale[r]);
  }
  static void Attended(const kernels::Kernels& k, float* x, int n, Operand& a, std::size_t r) {
    k.quantize(x, n, Padded(n), a.row(r), &a.scale[r]);
  }
  static void Inner(const kernels::Kernels& k, float* x, int n, bool rotate, Operand& a, std::size_t r) {
    if (rotate) {
      k.hadamard_quantize(x, n, Padded(n), HadamardBlock(n), a.row(r), &a.scale[r]);
    } else {
      k.quantize(x, n, Padded(n), a.row(r), &a.scale[r]);
    }
  }
  static void Multiply(const kernels::Kernels& k, Operand& a, const Linear& w, int rows, int panel_begin, int panel_end,
                       float* c, std::size_t ldc, kernels::GemmOutput output) {
    k.gemm_s8({a.bytes.data(), a.stride, a.scale.data(), &w.view, rows, panel_begin, panel_end, c, ldc, output});
  }
  static void HeadRow(const kernels::Kernels& k, const kernels::HeadRowArgs& args) { k.head_row_s8(args); }
  static void Attention(const kernels::Kernels& k, const kernels::AttentionArgs& args) { k.attention_s8(args); }
  static std::size_t QueryHeadBytes(const LayerShape& s) { return static_cast<std::size_t>(s.head_dim_padded); }

  static int Padded(int n) {
    return (n + kernels::kDepthAlignment - 1) / kernels::kDepthAlignment * kernels::kDepthAlignment;
  }
};

struct F32Policy {
  using Linear = F32Linear;

  struct Operand {
    AlignedBuffer<float> values;
    std::size_t stride = 0;
    float* row(std::size_t r) { return values.data() + r * stride; }
  };
  static void Resize(Operand& a, std::size_t rows, int columns) {
    a.stride = static_cast<std::size_t>(columns);
    a.values.EnsureSize(rows * a.stride);
  }

  static void Normalise(const kernels::Kernels& k, const float* x, const std::vector<float>& weight, int n, float eps,
                        Operand& a, std::size_t r) {
    k.rms_norm_f32(x, weight.data(), n, eps, a.row(r));
  }
  static void Attended(const kernels::Kernels&, float* x, int n, Operand& a, std::size_t r) {
    for (int i = 0; i < n; ++i) a.row(r)[i] = x[i];
  }
  static void Inner(const kernels::Kernels& k, float* x, int n, bool, Operand& a, std::size_t r) {
    Attended(k, x, n, a, r);
  }
  static void Multiply(const kernels::Kernels& k, Operand& a, const Linear& w, int rows, int panel_begin, int panel_end,
                       float* c, std::size_t ldc, kernels::GemmOutput output) {
    k.gemm_f32({a.values.data(), a.stride, &w.view, rows, panel_begin, panel_end, c, ldc, output});
  }
  static void HeadRow(const kernels::Kernels& k, const kernels::HeadRowArgs& args) { k.head_row_f32(args); }
  static void Attention(const kernels::Kernels& k, const kernels::AttentionArgs& args) { k.attention_f32(args); }
  static std::size_t QueryHeadBytes(const LayerShape& s) {
    return static_cast<std::size_t>(s.head_dim) * sizeof(float);
  }
};

}  // namespace tamis::cpu
