#include "backend/cpu/cpu_backend.h"

#include <fmt/core.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <new>

#include "backend/cpu/forward.h"
#include "backend/cpu/head.h"
#include "backend/cpu/policies.h"
#include "backend/cpu/prepare.h"
#include "backend/cpu/step_plan.h"
#include "base/cpu_features.h"
#include "base/thread_pool.h"

namespace tamis {
namespace cpu {
namespace {

std::uint64_t NextOwner() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1);
}

PageShape PagesOf(const Qwen3Config& config, Precision precision) {
  const LayerShape shape = ShapeOf(config);
  const std::size_t bytes = precision == Precision::kInt8 ? kernels::PageBytesS8(shape.head_dim_padded)
                                                          : kernels::PageBytesF32(shape.head_dim);
  return {config.layers, config.kv_heads, config.head_dim, shape.head_dim_padded, precision, bytes};
}

// Multiply-adds of the linear layers for one token, twice (a multiply and an add).
double LinearOps(const LayerShape& s, int layers) {
  const double hidden = s.hidden;
  const double one = hidden * s.qkv_columns() + s.q_columns() * hidden + 3.0 * hidden * s.inner;
  return 2.0 * one * layers;
}

template <class Policy>
class CpuBackend final : public Backend {
 public:
  using Linear = typename Policy::Linear;

  CpuBackend(PreparedModel<Linear> model, Precision precision, const kernels::Kernels& kernels,
             std::unique_ptr<ThreadPool> pool)
      : pool_(std::move(pool)),
        kernels_(kernels),
        model_(std::move(model)),
        pages_(PagesOf(model_.source.config, precision)),
        owner_(NextOwner()),
        forward_(model_, pages_, kernels_, *pool_) {
    info_.backend = "cpu";
    info_.precision = precision == Precision::kInt8 ? "int8" : "fp32";
    info_.isa = IsaName(kernels.isa);
    info_.threads = pool_->threads();
    info_.weight_bytes = model_.weight_bytes();
    info_.max_positions = model_.source.config.max_positions;
    info_.linear_ops_per_token = LinearOps(model_.shape, pages_.layers);
  }

  const BackendInfo& info() const override { return info_; }

  Result<std::vector<SegmentResult>> Run(std::span<const Segment> segments, const StepControl* control) override {
    const std::lock_guard lock(mutex_);
    try {
      return RunStep(segments, control);
    } catch (const std::bad_alloc&) {
      return ResourceExhausted(fmt::format("out of memory for a step of {} segments", segments.size()));
    }
  }

 private:
  Result<std::vector<SegmentResult>> RunStep(std::span<const Segment> segments, const StepControl* control) {
    const StepLimits limits{info_.max_positions, model_.source.config.vocab_size, owner_};
    TAMIS_ASSIGN_OR_RETURN(const StepPlan plan, PlanStep(segments, pages_, limits));
    const std::size_t hidden = static_cast<std::size_t>(model_.shape.hidden);
    AlignedBuffer<float> states(plan.scored.size() * hidden);
    TAMIS_RETURN_IF_ERROR(forward_.Run(plan, control, states.data()));
    const std::vector<HeadLogits> logits =
        ComputeLogits(model_.head, model_.source, model_.rotation, states.data(), plan.scored.size(), kernels_, *pool_);
    std::vector<SegmentResult> results(segments.size());
    for (std::size_t i = 0; i < plan.scored.size(); ++i) {
      if (!std::isfinite(logits[i].margin())) {
        return Internal(fmt::format("{}: the model computed a score that is not finite", model_.source.source));
      }
      results[static_cast<std::size_t>(plan.scored[i])].logits = logits[i];
    }
    for (std::size_t i = 0; i < results.size(); ++i) results[i].state = plan.segments[i].state;
    return results;
  }

  std::unique_ptr<ThreadPool> pool_;
  const kernels::Kernels& kernels_;
  PreparedModel<Linear> model_;
  PageShape pages_;
  std::uint64_t owner_;
  Forward<Policy> forward_;
  BackendInfo info_;
  std::mutex mutex_;
};

}  // namespace
}  // namespace cpu

Result<std::unique_ptr<Backend>> MakeCpuBackend(Qwen3Model model, const CpuBackendOptions& options) {
  TAMIS_ASSIGN_OR_RETURN(const Isa isa, SelectIsa());
  const kernels::Kernels& kernels = kernels::KernelsFor(isa);
  auto pool = std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : AvailableCpuCount());
  if (options.precision == Precision::kFp32) {
    TAMIS_ASSIGN_OR_RETURN(auto prepared, cpu::PrepareF32(std::move(model), options.head, kernels, *pool));
    return std::unique_ptr<Backend>(std::make_unique<cpu::CpuBackend<cpu::F32Policy>>(
        std::move(prepared), options.precision, kernels, std::move(pool)));
  }
  TAMIS_ASSIGN_OR_RETURN(auto prepared,
                         cpu::PrepareInt8(std::move(model), options.head, options.rotate, kernels, *pool));
  return std::unique_ptr<Backend>(std::make_unique<cpu::CpuBackend<cpu::Int8Policy>>(
      std::move(prepared), options.precision, kernels, std::move(pool)));
}

}  // namespace tamis
