// ActiveJob: a submitted job and how far it is. The scheduler's thread owns it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch_planner.h"
#include "engine/prefix_cache.h"
#include "engine/scheduler.h"

namespace tamis {

class ActiveJob {
 public:
  using Clock = std::chrono::steady_clock;

  // Without `share_prefixes` each unit becomes a whole prompt.
  ActiveJob(Scheduler::JobId job_id, Job new_job, const CostModel& cost, bool share_prefixes);
  ~ActiveJob();
  ActiveJob(const ActiveJob&) = delete;
  ActiveJob& operator=(const ActiveJob&) = delete;

  // Finds the job's prefixes in the cache. Once, before the methods that follow.
  void Admit(PrefixCache* cache);

  PlanRequest request() const;
  // The planned units leave the waiting ones. `planned`: places in request().units, rising. Returns the job's units.
  std::vector<std::size_t> Take(std::span<const PlannedUnit> planned);
  SharedPrefix* prefix_of(std::size_t unit) const;

  // Lets go of prefixes that no unit waits for: a job of many queries must not hold the states of all. After a step.
  void ReleasePrefixes();

  void CountScored() { ++scored_; }
  bool complete() const { return scored_ == job.units.size(); }
  // Calls on_done.
  void Answer();

  const Scheduler::JobId id;
  Job job;
  const Clock::time_point submitted = Clock::now();
  JobStats stats;
  Status ended;  // set once the job is to end early
  std::int64_t waiting_cost = 0;
  std::int64_t waiting_tokens = 0;

 private:
  void CountWaiting(std::size_t unit, int change);

  std::vector<std::shared_ptr<SharedPrefix>> prefixes_;  // [job.prefixes]; null once no unit waits for it
  std::vector<std::size_t> waiting_of_prefix_;           // [job.prefixes]
  std::vector<std::size_t> to_release_;                  // prefixes
  std::vector<PlanUnit> waiting_;        // from begin_ on
  std::vector<std::size_t> waiting_ids_;  // which unit of the job each is
  std::size_t begin_ = 0;
  std::size_t scored_ = 0;
};

}  // namespace tamis
