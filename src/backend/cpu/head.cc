#include "backend/cpu/head.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis::cpu {
namespace {

constexpr std::int64_t kChunkRows = 512;  // vocabulary rows that one task turns to fp32 at a time

const Tensor& OutputRows(const Qwen3Model& model) { return model.lm_head ? *model.lm_head : model.embedding; }

std::vector<float> FoldedRow(const Tensor& rows, std::int64_t row, const std::vector<float>& final_norm,
                             const Rotation& rotation) {
  std::vector<float> out(final_norm.size());
  rows.ReadRows(row, 1, out.data());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= final_norm[i];
  rotation.Apply(out.data());
  return out;
}

struct MaxAndSum {
  float max = -std::numeric_limits<float>::infinity();
  double sum = 0;  // of exp(logit - max)
};

void Merge(MaxAndSum& into, const MaxAndSum& other) {
  const float max = std::max(into.max, other.max);
  if (std::isinf(max)) return;
  into.sum = into.sum * std::exp(static_cast<double>(into.max - max)) +
             other.sum * std::exp(static_cast<double>(other.max - max));
  into.max = max;
}

// log sum exp of the logits of the whole vocabulary, for each hidden row. Chunks are merged in order, so that the
// result does not depend on the number of threads.
std::vector<float> LogSumExp(const Tensor& rows, const std::vector<float>& states, std::size_t count,
                             const kernels::Kernels& kernels, ThreadPool& pool) {
  const std::size_t width = static_cast<std::size_t>(rows.cols());
  const std::size_t chunks = static_cast<std::size_t>((rows.rows() + kChunkRows - 1) / kChunkRows);
  std::vector<MaxAndSum> partial(chunks * count);
  pool.ParallelFor(chunks, [&](std::size_t chunk, int) {
    const std::int64_t begin = static_cast<std::int64_t>(chunk) * kChunkRows;
    const std::int64_t n = std::min(kChunkRows, rows.rows() - begin);
    AlignedBuffer<float> values(static_cast<std::size_t>(n) * width);
    rows.ReadRows(begin, n, values.data());
    for (std::size_t i = 0; i < count; ++i) {
      MaxAndSum& p = partial[chunk * count + i];
      for (std::int64_t r = 0; r < n; ++r) {
        const float logit =
            kernels.dot_f32(states.data() + i * width, values.data() + static_cast<std::size_t>(r) * width, width);
        Merge(p, {logit, 1.0});
      }
    }
  });
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    MaxAndSum total;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) Merge(total, partial[chunk * count + i]);
    out[i] = total.max + static_cast<float>(std::log(total.sum));
  }
  return out;
}

}  // namespace

Result<PreparedHead> PrepareHead(const Qwen3Model& model, const HeadSpec& spec, const Rotation& rotation) {
  PreparedHead head;
  head.spec = spec;
  head.final_norm.resize(static_cast<std::size_t>(model.config.hidden_size));
  model.final_norm.ReadRows(0, 1, head.final_norm.data());
  if (spec.kind == HeadSpec::Kind::kScoreRow) {
    if (!model.score) {
      return InvalidArgument(
          fmt::format("{}: the profile wants a score head, but the model has none (no score.weight)", model.source));
    }
    head.first = FoldedRow(*model.score, 0, head.final_norm, rotation);
    return head;
  }
  if (model.score) {
    return InvalidArgument(fmt::format(
        "{}: the profile wants the logits of label tokens, but the model is a sequence classifier (score.weight)",
        model.source));
  }
  const Tensor& rows = OutputRows(model);
  for (TokenId id : {spec.positive, spec.negative}) {
    if (id < 0 || id >= rows.rows()) {
      return InvalidArgument(
          fmt::format("{}: label token {} is outside the vocabulary of {}", model.source, id, rows.rows()));
    }
  }
  head.first = FoldedRow(rows, spec.positive, head.final_norm, rotation);
  if (spec.kind == HeadSpec::Kind::kLabelPair) head.second = FoldedRow(rows, spec.negative, head.final_norm, rotation);
  return head;
}

std::vector<HeadLogits> ComputeLogits(const PreparedHead& head, const Qwen3Model& model, const Rotation& rotation,
                                      const float* hidden, std::size_t count, const kernels::Kernels& kernels,
                                      ThreadPool& pool) {
  const std::size_t width = head.first.size();
  std::vector<HeadLogits> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i].first = kernels.dot_f32(hidden + i * width, head.first.data(), width);
    if (!head.second.empty()) out[i].second = kernels.dot_f32(hidden + i * width, head.second.data(), width);
  }
  if (head.spec.kind == HeadSpec::Kind::kLabel && head.spec.log_sum_exp) {
    std::vector<float> states(hidden, hidden + count * width);
    for (std::size_t i = 0; i < count; ++i) {
      rotation.Undo(states.data() + i * width);
      for (std::size_t j = 0; j < width; ++j) states[i * width + j] *= head.final_norm[j];
    }
    const std::vector<float> sums = LogSumExp(OutputRows(model), states, count, kernels, pool);
    for (std::size_t i = 0; i < count; ++i) out[i].second = sums[i];
  }
  return out;
}

}  // namespace tamis::cpu
