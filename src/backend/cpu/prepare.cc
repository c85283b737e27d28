#include "backend/cpu/prepare.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "backend/cpu/head.h"
#include "base/check.h"
#include "kernels/pack.h"

namespace tamis::cpu {
namespace {

// Output columns that one task packs: one panel, so that no two tasks write the same cache line.
constexpr int kColumnsPerTask = kernels::kPanelColumns;

// The first error of several threads.
class FirstError {
 public:
  void Add(Status status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  Status Take() { return std::move(status_); }

 private:
  std::mutex mutex_;
  Status status_;
};

int RoundUp(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

void Allocate(Int8Linear& linear, int n, int k) {
  const int n_padded = RoundUp(n, kernels::kPanelColumns);
  const int k_padded = RoundUp(k, kernels::kDepthAlignment);
  linear.data = AlignedBuffer<std::int8_t>(static_cast<std::size_t>(n_padded) * static_cast<std::size_t>(k_padded));
  linear.scale = AlignedBuffer<float>(static_cast<std::size_t>(n_padded));
  linear.column_sum = AlignedBuffer<std::int32_t>(static_cast<std::size_t>(n_padded));
  std::fill_n(linear.scale.data(), n_padded, 0.0f);
  std::fill_n(linear.column_sum.data(), n_padded, 0);
  if (n_padded != n || k_padded != k) std::memset(linear.data.data(), 0, linear.data.size());
  linear.view = {linear.data.data(), linear.scale.data(), linear.column_sum.data(), n, k, n_padded, k_padded};
}

void Allocate(F32Linear& linear, int n, int k) {
  const int n_padded = RoundUp(n, kernels::kPanelColumns);
  linear.data = AlignedBuffer<float>(static_cast<std::size_t>(n_padded) * static_cast<std::size_t>(k));
  if (n_padded != n) std::fill_n(linear.data.data(), linear.data.size(), 0.0f);
  linear.view = {linear.data.data(), n, k, n_padded};
}

void PackColumn(Int8Linear& linear, int column, const float* weights) {
  kernels::PackColumnS8(weights, linear.view, column, linear.data.data(), linear.scale.data(),
                        linear.column_sum.data());
}

void PackColumn(F32Linear& linear, int column, const float* weights) {
  kernels::PackColumnF32(weights, linear.view, column, linear.data.data());
}

std::vector<float> ReadVector(const Tensor& tensor) {
  std::vector<float> out(static_cast<std::size_t>(tensor.rows() * tensor.cols()));
  tensor.ReadRows(0, tensor.rows(), out.data());
  return out;
}

// Packs one model. `Linear` decides the precision; folding and rotation are int8's.
template <class Linear>
class Preparer {
 public:
  Preparer(const Qwen3Model& model, const LayerShape& shape, const Rotation& rotation, const kernels::Kernels& kernels,
           ThreadPool& pool)
      : model_(model), shape_(shape), rotation_(rotation), kernels_(kernels), pool_(pool) {}

  Result<PreparedLayer<Linear>> Layer(const Qwen3Layer& source) {
    PreparedLayer<Linear> out;
    for (const Tensor* t : Tensors(source)) TAMIS_RETURN_IF_ERROR(CheckFinite(*t));
    out.input_norm = ReadVector(source.input_norm);
    out.post_norm = ReadVector(source.post_attention_norm);
    out.q_norm = ReadVector(source.q_norm);
    out.k_norm = ReadVector(source.k_norm);
    Inputs(source, out);
    GateUp(source, out);
    Outputs(source.o_proj, shape_.head_dim, out.o);
    Outputs(source.down_proj, shape_.inner, out.down);
    for (const Tensor* t : Tensors(source)) t->ReleasePages();
    return out;
  }

  // In parallel over blocks of rows.
  Status CheckFinite(const Tensor& tensor) {
    constexpr std::int64_t kElementsPerTask = 1 << 20;
    const std::int64_t rows = std::max<std::int64_t>(1, kElementsPerTask / std::max<std::int64_t>(1, tensor.cols()));
    FirstError error;
    pool_.ParallelFor(static_cast<std::size_t>((tensor.rows() + rows - 1) / rows), [&](std::size_t task, int) {
      const std::int64_t begin = static_cast<std::int64_t>(task) * rows;
      error.Add(tensor.CheckFinite(begin, std::min(rows, tensor.rows() - begin)));
    });
    return error.Take();
  }

 private:
  static constexpr bool kInt8 = std::is_same_v<Linear, Int8Linear>;

  static std::vector<const Tensor*> Tensors(const Qwen3Layer& l) {
    return {&l.input_norm,          &l.q_proj,    &l.k_proj,  &l.v_proj,   &l.o_proj, &l.q_norm, &l.k_norm,
            &l.post_attention_norm, &l.gate_proj, &l.up_proj, &l.down_proj};
  }

  // w <- w diag(norm) R^T, a weight row that reads the residual stream.
  void FoldInput(float* row, const std::vector<float>& norm) const {
    if constexpr (kInt8) {
      for (std::size_t i = 0; i < norm.size(); ++i) row[i] *= norm[i];
      rotation_.Apply(row);
    }
  }

  // Runs fill(column, row) for columns [0, n), a panel at a time, and packs each row.
  template <class Fill>
  void PackColumns(Linear& linear, int n, int k, const Fill& fill) {
    Allocate(linear, n, k);
    pool_.ParallelFor(static_cast<std::size_t>((n + kColumnsPerTask - 1) / kColumnsPerTask),
                      [&](std::size_t task, int) {
                        AlignedBuffer<float> row(static_cast<std::size_t>(k));
                        const int begin = static_cast<int>(task) * kColumnsPerTask;
                        for (int column = begin; column < std::min(n, begin + kColumnsPerTask); ++column) {
                          fill(column, row.data());
                          PackColumn(linear, column, row.data());
                        }
                      });
  }

  void Inputs(const Qwen3Layer& source, PreparedLayer<Linear>& out) {
    // Values are rotated within each head, which mixes rows of W: they are made whole first.
    const std::size_t hidden = static_cast<std::size_t>(shape_.hidden);
    AlignedBuffer<float> values(static_cast<std::size_t>(shape_.kv_columns()) * hidden);
    pool_.ParallelFor(static_cast<std::size_t>(shape_.kv_heads), [&](std::size_t head, int) {
      const int begin = static_cast<int>(head) * shape_.head_dim;
      float* rows = values.data() + static_cast<std::size_t>(begin) * hidden;
      source.v_proj.ReadRows(begin, shape_.head_dim, rows);
      for (int i = 0; i < shape_.head_dim; ++i) FoldInput(rows + static_cast<std::size_t>(i) * hidden, out.input_norm);
      if (kInt8 && rotation_.enabled()) {
        HadamardColumns(rows, shape_.head_dim, hidden, hidden, HadamardBlock(shape_.head_dim), kernels_);
      }
    });
    PackColumns(out.qkv, shape_.qkv_columns(), shape_.hidden, [&](int column, float* row) {
      const int k_begin = shape_.q_columns();
      const int v_begin = k_begin + shape_.kv_columns();
      if (column >= v_begin) {
        std::memcpy(row, values.data() + static_cast<std::size_t>(column - v_begin) * hidden, hidden * sizeof(float));
        return;
      }
      if (column < k_begin) {
        source.q_proj.ReadRows(column, 1, row);
      } else {
        source.k_proj.ReadRows(column - k_begin, 1, row);
      }
      FoldInput(row, out.input_norm);
    });
  }

  void GateUp(const Qwen3Layer& source, PreparedLayer<Linear>& out) {
    constexpr int kGroup = 16;
    const int columns = shape_.inner_padded() * 2;
    PackColumns(out.gate_up, columns, shape_.hidden, [&](int column, float* row) {
      const int index = column / (2 * kGroup) * kGroup + column % kGroup;
      const bool up = column / kGroup % 2 == 1;
      if (index >= shape_.inner) {
        std::fill_n(row, shape_.hidden, 0.0f);
        return;
      }
      (up ? source.up_proj : source.gate_proj).ReadRows(index, 1, row);
      FoldInput(row, out.post_norm);
    });
  }

  // W -> R W H^T with H over blocks of each `width` inputs: a layer that writes the residual stream.
  void Outputs(const Tensor& source, int width, Linear& out) {
    const int n = static_cast<int>(source.rows());
    const int k = static_cast<int>(source.cols());
    if (!kInt8 || !rotation_.enabled()) {
      PackColumns(out, n, k, [&](int column, float* row) { source.ReadRows(column, 1, row); });
      return;
    }
    const std::size_t stride = static_cast<std::size_t>(k);
    AlignedBuffer<float> whole(static_cast<std::size_t>(n) * stride);
    pool_.ParallelFor(static_cast<std::size_t>((n + kColumnsPerTask - 1) / kColumnsPerTask),
                      [&](std::size_t task, int) {
                        const int begin = static_cast<int>(task) * kColumnsPerTask;
                        for (int row = begin; row < std::min(n, begin + kColumnsPerTask); ++row) {
                          float* w = whole.data() + static_cast<std::size_t>(row) * stride;
                          source.ReadRows(row, 1, w);
                          kernels_.hadamard(w, k, HadamardBlock(width));
                        }
                      });
    // Down the columns, in strips narrow enough for all rows of a block to stay in the second-level cache.
    constexpr std::size_t kStrip = 128;
    pool_.ParallelFor((stride + kStrip - 1) / kStrip, [&](std::size_t task, int) {
      const std::size_t begin = task * kStrip;
      rotation_.ApplyToColumns(whole.data() + begin, std::min(kStrip, stride - begin), stride);
    });
    PackColumns(out, n, k, [&](int column, float* row) {
      std::memcpy(row, whole.data() + static_cast<std::size_t>(column) * stride, stride * sizeof(float));
    });
  }

  const Qwen3Model& model_;
  const LayerShape& shape_;
  const Rotation& rotation_;
  const kernels::Kernels& kernels_;
  ThreadPool& pool_;
};

template <class Linear>
Result<PreparedModel<Linear>> Prepare(Qwen3Model model, const HeadSpec& head, bool rotate,
                                      const kernels::Kernels& kernels, ThreadPool& pool) {
  const LayerShape shape = ShapeOf(model.config);
  Rotation rotation(shape.hidden, rotate, kernels);
  std::vector<PreparedLayer<Linear>> layers;
  Preparer<Linear> preparer(model, shape, rotation, kernels, pool);
  for (const Tensor* t : {&model.embedding, &model.final_norm}) TAMIS_RETURN_IF_ERROR(preparer.CheckFinite(*t));
  for (const auto* t : {&model.lm_head, &model.score}) {
    if (*t) TAMIS_RETURN_IF_ERROR(preparer.CheckFinite(**t));
  }
  model.embedding.ReleasePages();
  if (model.lm_head) model.lm_head->ReleasePages();
  for (const Qwen3Layer& layer : model.layers) {
    TAMIS_ASSIGN_OR_RETURN(PreparedLayer<Linear> prepared, preparer.Layer(layer));
    layers.push_back(std::move(prepared));
  }
  TAMIS_ASSIGN_OR_RETURN(PreparedHead prepared_head, PrepareHead(model, head, rotation));
  return PreparedModel<Linear>{shape, std::move(layers), std::move(rotation), std::move(prepared_head),
                               std::move(model)};
}

}  // namespace

LayerShape ShapeOf(const Qwen3Config& config) {
  LayerShape shape;
  shape.hidden = config.hidden_size;
  shape.q_heads = config.q_heads;
  shape.kv_heads = config.kv_heads;
  shape.head_dim = config.head_dim;
  shape.head_dim_padded = RoundUp(config.head_dim, kernels::kDepthAlignment);
  shape.inner = config.intermediate_size;
  shape.eps = config.rms_norm_eps;
  return shape;
}

Result<PreparedModel<Int8Linear>> PrepareInt8(Qwen3Model model, const HeadSpec& head, bool rotate,
                                              const kernels::Kernels& kernels, ThreadPool& pool) {
  return Prepare<Int8Linear>(std::move(model), head, rotate, kernels, pool);
}

Result<PreparedModel<F32Linear>> PrepareF32(Qwen3Model model, const HeadSpec& head, const kernels::Kernels& kernels,
                                            ThreadPool& pool) {
  return Prepare<F32Linear>(std::move(model), head, /*rotate=*/false, kernels, pool);
}

}  // namespace tamis::cpu
