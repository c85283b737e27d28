// The scheduler: one thread that owns the backend and computes the units of all requests, step by step.
//
// New jobs join at the next step (continuous batching); nothing waits for a step to fill. What prompts share is computed
// once: within a step, and across steps and jobs through the prefix cache. Every submitted job gets exactly one `done`.
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
  int prefix = -1;           // index into the job's prefixes, or -1
};

struct JobStats {
  std::int64_t queue_us = 0;         // from submission to its first step
  std::int64_t compute_us = 0;       // of steps that it took part in
  std::int64_t computed_tokens = 0;  // its units' rows, and those of prefixes computed for it
  int steps = 0;
};

struct Job {
  std::vector<JobPrefix> prefixes;
  std::vector<JobUnit> units;
  int priority = 0;  // lower goes first
  std::optional<std::chrono::steady_clock::time_point> deadline;
  // Called from the scheduler's thread; must be quick and must not call the scheduler.
  std::function<void(std::size_t unit, const HeadLogits& logits)> on_scored;
  // Ok when every unit was scored; Cancelled, DeadlineExceeded or the backend's error otherwise.
  std::function<void(Status status, const JobStats& stats)> on_done;
};

struct SchedulerOptions {
  int step_tokens = 0;             // 0: as many as take about 300 ms
  bool share_prefixes = true;      // false: every prompt is computed whole
  std::size_t prefix_cache_bytes = 0;
  CostModel cost;
};

struct SchedulerStats {
  std::int64_t queued_cost = 0;
  std::int64_t steps = 0;
  std::int64_t prefix_hits = 0;
  std::int64_t prefix_misses = 0;
  std::size_t prefix_bytes = 0;
};

class Scheduler {
 public:
  using JobId = std::uint64_t;

  Scheduler(std::unique_ptr<Backend> backend, const SchedulerOptions& options);
  // Jobs that are still waiting are answered with Cancelled.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  JobId Submit(Job job);
  // Drops what is left of a job; its `done` comes with Cancelled. Nothing happens for a job that is done.
  void Cancel(JobId id);

  SchedulerStats stats() const;
  const BackendInfo& backend_info() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
