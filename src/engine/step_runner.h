// StepRunner: chooses a step's units, computes them and gives every job its scores. The scheduler's thread owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "engine/active_job.h"
#include "engine/prefix_cache.h"
#include "engine/scheduler.h"
#include "engine/step_pace.h"

namespace tamis {

// What one step computes of one job.
struct JobShare {
  ActiveJob* job = nullptr;
  std::vector<std::size_t> units;
};

class StepRunner {
 public:
  StepRunner(std::unique_ptr<Backend> backend, const SchedulerOptions& options);

  // The next step; its units no longer wait. Empty if nothing waits.
  std::vector<JobShare> Choose(std::span<const std::unique_ptr<ActiveJob>> jobs);

  // Computes the shares together; if that fails, each by itself, so that one job's fault is not the others': it ends
  // the job. Nothing happens to the jobs of a step that `control` stopped.
  void Run(std::span<JobShare> shares, const StepControl& control);

  // Nothing waits any more: what the planner's lanes owe each other is settled.
  void Settle() { lane_balance_ = 0; }

  // Writes the fields that steps change.
  void Report(SchedulerStats* stats) const;

  PrefixCache& cache() { return cache_; }
  const BackendInfo& backend_info() const { return backend_->info(); }

 private:
  Status Compute(std::span<JobShare> shares, const StepControl& control);
  std::int64_t PrefixCost(const SharedPrefix* prefix) const;
  std::int64_t CostOf(std::span<const Segment> segments) const;

  std::unique_ptr<Backend> backend_;
  CostModel cost_;
  PrefixCache cache_;
  StepPace pace_;
  std::int64_t lane_balance_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t prefixes_reused_ = 0;
  std::int64_t prefixes_computed_ = 0;
};

}  // namespace tamis
