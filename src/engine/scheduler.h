// The scheduler: one thread that owns the backend and computes the units of all jobs, step by step.
//
// New jobs join at the next step (continuous batching); nothing waits for a step to fill. Which units a step takes is
// the planner's choice (engine/batch_planner.h). What prompts share is computed once: within a step, across the steps
// of a job, and across jobs as far as the prefix cache goes. Every submitted job gets exactly one `on_done`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "engine/cost_model.h"
#include "tamis/status.h"

namespace tamis {

// The beginning of some of a job's prompts.
struct JobPrefix {
  std::vector<TokenId> ids;
  std::size_t shared_tokens = 0;  // how many of them other queries begin with too (0: not known to be shared)
};

struct JobUnit {
  std::vector<TokenId> ids;  // after the prefix; never empty
  int prefix = -1;  // index into the job's prefixes, or -1
};

struct JobStats {
  std::int64_t queue_us = 0;  // not computing: other jobs' steps
  std::int64_t compute_us = 0;  // of steps that it took part in
  std::int64_t computed_tokens = 0;  // its units' rows, and those of prefixes computed for it
  int steps = 0;
};

// Callbacks come from the scheduler's thread, must be quick and must not throw. They may submit and cancel.
struct Job {
  std::vector<JobPrefix> prefixes;
  std::vector<JobUnit> units;
  int priority = 0;  // lower goes first
  bool keep_prefixes = false;  // the same queries may come again: keep their states for a while
  std::optional<std::chrono::steady_clock::time_point> deadline;  // checked between steps
  std::function<void(std::size_t unit, const HeadLogits& logits)> on_scored;  // finite logits, in any order of units
  // Ok when every unit was scored; what Cancel() said, DeadlineExceeded or the backend's error otherwise.
  std::function<void(Status status, const JobStats& stats)> on_done;
};

struct SchedulerOptions {
  int step_tokens = 0;  // cost of a step; 0: as much as takes about 300 ms
  bool share_prefixes = true;  // false: every prompt is computed whole
  std::size_t prefix_cache_bytes = 0;  // kept for later jobs
  CostModel cost;
};

struct SchedulerStats {
  std::size_t jobs = 0;  // submitted and not answered
  std::int64_t queued_tokens = 0;  // of their units, those of a running step not counted
  std::int64_t queued_cost = 0;
  double cost_per_s = 0;  // how fast the queue drains; 0 before the first step
  std::int64_t steps = 0;
  std::int64_t prefixes_reused = 0;
  std::int64_t prefixes_computed = 0;
  std::size_t prefix_bytes = 0;
};

class Scheduler {
 public:
  using JobId = std::uint64_t;

  Scheduler(std::unique_ptr<Backend> backend, const SchedulerOptions& options);
  // Stops the running step; jobs that are still waiting are answered with Cancelled. Not from a callback.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Thread-safe, as all that follows. Does not wait.
  JobId Submit(Job job);
  // Drops what is left of a job, which is then answered with `reason`; a step that computes nothing else is stopped.
  // Nothing happens for a job that is done.
  void Cancel(JobId id, Status reason = {StatusCode::kCancelled, "the request was cancelled"});

  SchedulerStats stats() const;
  const BackendInfo& backend_info() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
