#include "engine/step_runner.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "engine/batch_planner.h"
#include "engine/step_builder.h"

namespace tamis {
namespace {

void Score(ActiveJob* job, std::size_t unit, const HeadLogits& logits) {
  if (!std::isfinite(logits.margin())) {
    job->ended = Internal("the model gave a score that is not a finite number");
    return;
  }
  job->CountScored();
  if (job->job.on_scored) job->job.on_scored(unit, logits);
}

}  // namespace

StepRunner::StepRunner(std::unique_ptr<Backend> backend, const SchedulerOptions& options)
    : backend_(std::move(backend)),
      cost_(options.cost),
      cache_(options.prefix_cache_bytes),
      pace_(options.step_tokens) {}

std::vector<JobShare> StepRunner::Choose(std::span<const std::unique_ptr<ActiveJob>> jobs) {
  std::vector<PlanRequest> requests;
  requests.reserve(jobs.size());
  for (const auto& job : jobs) requests.push_back(job->request());
  std::vector<std::int64_t> prefix_costs(static_cast<std::size_t>(cache_.slots()));
  cache_.ForEach([&](const SharedPrefix& p) { prefix_costs[static_cast<std::size_t>(p.slot)] = PrefixCost(&p); });
  const BatchPlan plan = PlanNextStep({requests, prefix_costs, pace_.step_cost(), lane_balance_});
  lane_balance_ = plan.lane_balance;

  const std::span<const PlannedUnit> planned = plan.units;
  std::vector<JobShare> shares;
  for (std::size_t begin = 0, end = 0; begin < planned.size(); begin = end) {
    const std::size_t request = planned[begin].request;
    while (end < planned.size() && planned[end].request == request) ++end;
    shares.push_back({jobs[request].get(), jobs[request]->Take(planned.subspan(begin, end - begin))});
  }
  return shares;
}

std::int64_t StepRunner::PrefixCost(const SharedPrefix* prefix) const {
  if (prefix == nullptr || prefix->state) return 0;
  const auto own = static_cast<std::int64_t>(prefix->ids.size());
  return cost_.Cost(own, static_cast<std::int64_t>(prefix->tokens_before)) + PrefixCost(prefix->parent.get());
}

void StepRunner::Run(std::span<JobShare> shares, const StepControl& control) {
  Status status = Compute(shares, control);
  if (status.ok() || control.cancelled()) return;
  if (shares.size() == 1) {
    shares[0].job->ended = std::move(status);
    return;
  }
  for (JobShare& share : shares) Run({&share, 1}, control);
}

Status StepRunner::Compute(std::span<JobShare> shares, const StepControl& control) {
  StepBuilder builder(&cache_);
  for (const JobShare& share : shares) {
    for (std::size_t unit : share.units) {
      const std::size_t rows = builder.Add(share.job->prefix_of(unit), share.job->job.units[unit].ids);
      share.job->stats.computed_tokens += static_cast<std::int64_t>(rows);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto results = backend_->Run(builder.segments(), &control);
  const std::int64_t took_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  ++steps_;
  for (const JobShare& share : shares) {
    ++share.job->stats.steps;
    share.job->stats.compute_us += took_us;
  }
  if (!results.ok()) return results.status();
  builder.Store(*results);
  pace_.Measure(CostOf(builder.segments()), took_us);
  prefixes_reused_ += builder.reused();
  prefixes_computed_ += builder.computed();
  std::size_t at = 0;
  for (const JobShare& share : shares) {
    for (std::size_t unit : share.units) Score(share.job, unit, (*results)[builder.unit_segment(at++)].logits);
  }
  return OkStatus();
}

std::int64_t StepRunner::CostOf(std::span<const Segment> segments) const {
  std::int64_t cost = 0;
  std::vector<std::int64_t> ends;
  ends.reserve(segments.size());
  for (const Segment& segment : segments) {
    std::int64_t before = segment.parent >= 0 ? ends[static_cast<std::size_t>(segment.parent)] : 0;
    if (segment.prefix) before = static_cast<std::int64_t>(segment.prefix->tokens());
    const auto own = static_cast<std::int64_t>(segment.ids.size());
    cost += cost_.Cost(own, before);
    ends.push_back(before + own);
  }
  return cost;
}

void StepRunner::Report(SchedulerStats* stats) const {
  stats->cost_per_s = pace_.cost_per_s();
  stats->steps = steps_;
  stats->prefixes_reused = prefixes_reused_;
  stats->prefixes_computed = prefixes_computed_;
  stats->prefix_bytes = cache_.bytes();
}

}  // namespace tamis
