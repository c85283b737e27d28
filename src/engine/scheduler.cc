#include "engine/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "engine/batch_planner.h"
#include "engine/prefix_cache.h"
#include "engine/step_builder.h"

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

// A step's cost is what takes about this long, at the rate that the last steps had: short enough for newcomers not to
// wait, long enough to fill the processor's tiles.
constexpr double kStepSeconds = 0.3;
constexpr std::int64_t kStepCostFirst = 512;
constexpr std::int64_t kStepCostMin = 256;
constexpr std::int64_t kStepCostMax = 8192;

std::int64_t Microseconds(Clock::duration d) {
  return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

struct ActiveJob {
  Scheduler::JobId id = 0;
  Job job;
  std::vector<PlanUnit> plan_units;
  std::size_t next = 0;  // units before it are scored
  std::int64_t served = 0;
  bool cancelled = false;
  bool in_step = false;
  Clock::time_point submitted;
  JobStats stats;
};

// What one step computes of one job.
struct JobShare {
  ActiveJob* job = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t rows = 0;
};

}  // namespace

class Scheduler::Impl {
 public:
  Impl(std::unique_ptr<Backend> backend, const SchedulerOptions& options)
      : backend_(std::move(backend)), options_(options), cache_(options.prefix_cache_bytes) {
    thread_ = std::thread([this] { Loop(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      control_.Cancel();
    }
    wake_.notify_all();
    thread_.join();
  }

  JobId Submit(Job job) {
    auto active = std::make_unique<ActiveJob>();
    active->job = std::move(job);
    active->submitted = Clock::now();
    for (const JobUnit& unit : active->job.units) {
      const std::size_t before = unit.prefix < 0 ? 0 : active->job.prefixes[static_cast<std::size_t>(unit.prefix)].ids.size();
      const std::size_t after_prefix = options_.share_prefixes ? unit.ids.size() : unit.ids.size() + before;
      active->plan_units.push_back({options_.cost.Cost(static_cast<std::int64_t>(after_prefix),
                                                       options_.share_prefixes ? static_cast<std::int64_t>(before) : 0),
                                    options_.share_prefixes ? unit.prefix : -1});
    }
    const std::lock_guard lock(mutex_);
    active->id = ++last_id_;
    active->served = LeastServed();
    const JobId id = active->id;
    for (const PlanUnit& unit : active->plan_units) queued_cost_ += unit.cost;
    jobs_.push_back(std::move(active));
    wake_.notify_all();
    return id;
  }

  void Cancel(JobId id) {
    const std::lock_guard lock(mutex_);
    for (auto& job : jobs_) {
      if (job->id == id) job->cancelled = true;
    }
    const bool all = std::all_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return !j->in_step || j->cancelled; });
    const bool any = std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->in_step; });
    if (all && any) control_.Cancel();
    wake_.notify_all();
  }

  SchedulerStats stats() const {
    const std::lock_guard lock(mutex_);
    SchedulerStats out = published_;
    out.queued_cost = queued_cost_;
    return out;
  }

  const BackendInfo& backend_info() const { return backend_->info(); }

 private:
  using Ended = std::pair<std::unique_ptr<ActiveJob>, Status>;

  // Service counts start level with the waiting job that was served least, so that a newcomer neither waits for what
  // others got before it came nor makes them wait for what it did not ask for.
  std::int64_t LeastServed() const {
    std::int64_t least = 0;
    bool first = true;
    for (const auto& job : jobs_) {
      if (first || job->served < least) least = job->served;
      first = false;
    }
    return least;
  }

  void Loop() {
    for (;;) {
      std::vector<Ended> ended;
      std::vector<JobShare> shares;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        TakeEnded(&ended);
        if (!stopping_) shares = ChooseStep();
      }
      Answer(&ended);
      if (!shares.empty()) RunStep(std::move(shares));
      const std::lock_guard lock(mutex_);
      if (stopping_ && jobs_.empty()) return;
    }
  }

  // Moves jobs that need no more work out of the list. With mutex_.
  void TakeEnded(std::vector<Ended>* ended) {
    const Clock::time_point now = Clock::now();
    for (auto it = jobs_.begin(); it != jobs_.end();) {
      ActiveJob& job = **it;
      Status status;
      const bool complete = job.next == job.plan_units.size();
      if (!complete && (job.cancelled || stopping_)) {
        status = {StatusCode::kCancelled, stopping_ ? "the reranker is shutting down" : "the request was cancelled"};
      } else if (!complete && job.job.deadline && now >= *job.job.deadline) {
        status = {StatusCode::kDeadlineExceeded, "the time allowed for the request ran out"};
      } else if (!complete) {
        ++it;
        continue;
      }
      Retire(&it, std::move(status), ended);
    }
  }

  void Retire(std::list<std::unique_ptr<ActiveJob>>::iterator* it, Status status, std::vector<Ended>* ended) {
    ActiveJob& job = ***it;
    for (std::size_t i = job.next; i < job.plan_units.size(); ++i) queued_cost_ -= job.plan_units[i].cost;
    ended->emplace_back(std::move(**it), std::move(status));
    *it = jobs_.erase(*it);
  }

  static void Answer(std::vector<Ended>* ended) {
    for (auto& [job, status] : *ended) {
      if (job->job.on_done) job->job.on_done(std::move(status), job->stats);
    }
  }

  // Asks the planner. With mutex_.
  std::vector<JobShare> ChooseStep() {
    std::vector<PlanRequest> requests;
    std::vector<std::vector<std::int64_t>> prefix_costs;
    for (const auto& job : jobs_) {
      std::vector<std::int64_t>& costs = prefix_costs.emplace_back();
      for (const JobPrefix& prefix : job->job.prefixes) costs.push_back(PrefixCost(prefix));
    }
    std::size_t i = 0;
    for (const auto& job : jobs_) {
      requests.push_back({job->job.priority, job->served, std::span(job->plan_units).subspan(job->next), prefix_costs[i++]});
    }
    const StepPlanChoice choice = PlanNextStep(requests, options_.step_tokens > 0 ? options_.step_tokens : step_cost_);
    std::vector<JobShare> shares;
    i = 0;
    for (const auto& job : jobs_) {
      if (choice.take[i] > 0) {
        shares.push_back({job.get(), job->next, job->next + choice.take[i]});
        job->served += choice.cost[i];
        job->in_step = true;
        if (job->stats.steps == 0) job->stats.queue_us = Microseconds(Clock::now() - job->submitted);
      }
      ++i;
    }
    return shares;
  }

  std::int64_t PrefixCost(const JobPrefix& prefix) const {
    const std::span<const TokenId> ids = prefix.ids;
    if (!options_.share_prefixes || cache_.Contains(ids)) return 0;
    const std::size_t at_hand = cache_.Contains(ids.first(prefix.shared_tokens)) ? prefix.shared_tokens : 0;
    return options_.cost.Cost(static_cast<std::int64_t>(ids.size() - at_hand), static_cast<std::int64_t>(at_hand));
  }

  // Computes the shares together; if that fails, each by itself, so that one job's fault is not the others'.
  void RunStep(std::vector<JobShare> shares) {
    Status status = Compute(shares);
    if (!status.ok() && status.code() != StatusCode::kCancelled && shares.size() > 1) {
      for (JobShare& share : shares) {
        Status alone = Compute(std::span(&share, 1));
        Finish(std::span(&share, 1), std::move(alone));
      }
      return;
    }
    Finish(shares, std::move(status));
  }

  Status Compute(std::span<JobShare> shares) {
    StepBuilder builder(options_.prefix_cache_bytes > 0 ? &cache_ : nullptr, options_.share_prefixes);
    std::int64_t cost = 0;
    for (JobShare& share : shares) {
      share.rows = 0;
      for (std::size_t i = share.begin; i < share.end; ++i) {
        const JobUnit& unit = share.job->job.units[i];
        share.rows += static_cast<std::int64_t>(builder.Add(share.job->job, unit, UsedLater(*share.job, share.end, unit.prefix)));
        cost += share.job->plan_units[i].cost;
      }
    }
    const Clock::time_point begin = Clock::now();
    auto results = backend_->Run(builder.segments(), &control_);
    const std::int64_t took_us = Microseconds(Clock::now() - begin);
    for (JobShare& share : shares) {
      ++share.job->stats.steps;
      share.job->stats.compute_us += took_us;
      share.job->stats.computed_tokens += share.rows;
    }
    if (!results.ok()) return results.status();
    builder.Keep(*results);
    AdaptStep(cost, took_us);
    std::size_t unit = 0;
    for (JobShare& share : shares) {
      for (std::size_t i = share.begin; i < share.end; ++i, ++unit) {
        if (share.job->job.on_scored) share.job->job.on_scored(i, (*results)[builder.unit_segment(unit)].logits);
      }
    }
    return OkStatus();
  }

  // Whether a prefix is worth keeping: later units of the job continue it, or several of this step's (so that the same
  // query asked again finds it); a pair by itself is not.
  static bool UsedLater(const ActiveJob& job, std::size_t end, int prefix) {
    if (prefix < 0) return false;
    if (end < job.job.units.size() && job.job.units[end].prefix == prefix) return true;
    return job.job.prefixes.size() == 1;
  }

  void AdaptStep(std::int64_t cost, std::int64_t took_us) {
    if (took_us <= 0) return;
    const double wanted = kStepSeconds * 1e6 * static_cast<double>(cost) / static_cast<double>(took_us);
    // Halfway to what the last step says: a single slow step is noise.
    step_cost_ = std::clamp(static_cast<std::int64_t>((wanted + static_cast<double>(step_cost_)) / 2), kStepCostMin, kStepCostMax);
  }

  void Finish(std::span<JobShare> shares, Status status) {
    std::vector<Ended> ended;
    {
      const std::lock_guard lock(mutex_);
      for (JobShare& share : shares) {
        share.job->in_step = false;
        if (status.ok()) {
          for (std::size_t i = share.begin; i < share.end; ++i) queued_cost_ -= share.job->plan_units[i].cost;
          share.job->next = share.end;
        } else if (status.code() != StatusCode::kCancelled) {
          const auto it = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& j) { return j.get() == share.job; });
          auto at = it;
          Retire(&at, status, &ended);
        }
      }
      if (!stopping_ && control_.cancelled()) control_.Reset();
      ++published_.steps;
      published_.prefix_hits = cache_.hits();
      published_.prefix_misses = cache_.misses();
      published_.prefix_bytes = cache_.bytes();
    }
    Answer(&ended);
  }

  std::unique_ptr<Backend> backend_;
  const SchedulerOptions options_;
  PrefixCache cache_;        // the scheduler thread's; Contains() is called with mutex_ but only from that thread
  std::int64_t step_cost_ = kStepCostFirst;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::list<std::unique_ptr<ActiveJob>> jobs_;  // order of arrival
  JobId last_id_ = 0;
  std::int64_t queued_cost_ = 0;
  bool stopping_ = false;
  StepControl control_;
  SchedulerStats published_;
  std::thread thread_;
};

Scheduler::Scheduler(std::unique_ptr<Backend> backend, const SchedulerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(backend), options)) {}
Scheduler::~Scheduler() = default;
Scheduler::JobId Scheduler::Submit(Job job) { return impl_->Submit(std::move(job)); }
void Scheduler::Cancel(JobId id) { impl_->Cancel(id); }
SchedulerStats Scheduler::stats() const { return impl_->stats(); }
const BackendInfo& Scheduler::backend_info() const { return impl_->backend_info(); }

}  // namespace tamis
