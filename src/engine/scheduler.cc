#include "engine/scheduler.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/active_job.h"
#include "engine/step_runner.h"

namespace tamis {

class Scheduler::Impl {
 public:
  Impl(std::unique_ptr<Backend> backend, const SchedulerOptions& options)
      : options_(options), runner_(std::move(backend), options), thread_([this] { Loop(); }) {}

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
    const JobId id = ++last_id_;
    auto active = std::make_unique<ActiveJob>(id, std::move(job), options_.cost, options_.share_prefixes);
    {
      const std::lock_guard lock(mutex_);
      ++stats_.jobs;
      stats_.queued_cost += active->waiting_cost;
      stats_.queued_tokens += active->waiting_tokens;
      arrived_.push_back(std::move(active));
    }
    wake_.notify_all();
    return id;
  }

  void Cancel(JobId id, Status reason) {
    const std::lock_guard lock(mutex_);
    cancelled_.emplace_back(id, std::move(reason));
    if (std::erase(step_jobs_, id) > 0 && step_jobs_.empty()) control_.Cancel();
  }

  SchedulerStats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  const BackendInfo& backend_info() const { return runner_.backend_info(); }

 private:
  void Loop() {
    while (Receive()) {
      AnswerEnded();
      std::vector<JobShare> shares = runner_.Choose(jobs_);
      if (!shares.empty()) RunStep(shares);
      AnswerEnded();
      runner_.cache().Trim();
      if (jobs_.empty()) runner_.Settle();
    }
    for (const auto& job : jobs_) {
      if (job->ended.ok()) job->ended = {StatusCode::kCancelled, "the reranker is shutting down"};
    }
    AnswerEnded();
  }

  // Takes over what other threads submitted and cancelled; waits where there is nothing to do. False: stop.
  bool Receive() {
    std::vector<std::unique_ptr<ActiveJob>> arrived;
    std::vector<std::pair<JobId, Status>> cancelled;
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      if (jobs_.empty()) wake_.wait(lock, [this] { return stopping_ || !arrived_.empty(); });
      arrived.swap(arrived_);
      cancelled.swap(cancelled_);
      stopping = stopping_;
    }
    for (auto& job : arrived) {
      job->Admit(&runner_.cache());
      jobs_.push_back(std::move(job));
    }
    for (auto& [id, reason] : cancelled) End(id, std::move(reason));
    const auto now = std::chrono::steady_clock::now();
    for (const auto& job : jobs_) {
      if (job->ended.ok() && job->job.deadline && now >= *job->job.deadline) {
        job->ended = {StatusCode::kDeadlineExceeded, "the time allowed for the request ran out"};
      }
    }
    return !stopping;
  }

  void End(JobId id, Status reason) {
    for (const auto& job : jobs_) {
      if (job->id != id) continue;
      if (job->ended.ok()) job->ended = std::move(reason);
      return;
    }
  }

  void RunStep(std::span<JobShare> shares) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) control_.Reset();
      for (const JobShare& share : shares) step_jobs_.push_back(share.job->id);
      for (const auto& [id, reason] : cancelled_) std::erase(step_jobs_, id);
      if (step_jobs_.empty()) control_.Cancel();
      ReportQueue();
    }
    runner_.Run(shares, control_);
    for (const JobShare& share : shares) share.job->ReleasePrefixes();
    const std::lock_guard lock(mutex_);
    step_jobs_.clear();
    runner_.Report(&stats_);
  }

  // Answers the jobs that are complete or ended early, and lets go of them.
  void AnswerEnded() {
    std::vector<std::unique_ptr<ActiveJob>> done;
    std::erase_if(jobs_, [&](std::unique_ptr<ActiveJob>& job) {
      if (!job->complete() && job->ended.ok()) return false;
      done.push_back(std::move(job));
      return true;
    });
    if (done.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      ReportQueue();
    }
    for (const auto& job : done) job->Answer();
  }

  // With mutex_.
  void ReportQueue() {
    stats_.jobs = jobs_.size() + arrived_.size();
    stats_.queued_cost = 0;
    stats_.queued_tokens = 0;
    for (const auto* jobs : {&jobs_, &arrived_}) {
      for (const auto& job : *jobs) {
        stats_.queued_cost += job->waiting_cost;
        stats_.queued_tokens += job->waiting_tokens;
      }
    }
  }

  const SchedulerOptions options_;

  // The scheduler thread's own.
  StepRunner runner_;
  std::vector<std::unique_ptr<ActiveJob>> jobs_;  // in order of arrival

  // Shared, under mutex_.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<ActiveJob>> arrived_;
  std::vector<std::pair<JobId, Status>> cancelled_;
  std::vector<JobId> step_jobs_;  // of the running step, those cancelled left out
  SchedulerStats stats_;
  bool stopping_ = false;

  std::atomic<JobId> last_id_{0};
  StepControl control_;
  std::thread thread_;  // last: it uses all of the above
};

Scheduler::Scheduler(std::unique_ptr<Backend> backend, const SchedulerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(backend), options)) {}
Scheduler::~Scheduler() = default;
Scheduler::JobId Scheduler::Submit(Job job) { return impl_->Submit(std::move(job)); }
void Scheduler::Cancel(JobId id, Status reason) { impl_->Cancel(id, std::move(reason)); }
SchedulerStats Scheduler::stats() const { return impl_->stats(); }
const BackendInfo& Scheduler::backend_info() const { return impl_->backend_info(); }

}  // namespace tamis
