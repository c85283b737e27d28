#include "engine/active_job.h"

#include <utility>

#include "base/check.h"

namespace tamis {

ActiveJob::ActiveJob(Scheduler::JobId job_id, Job new_job, const CostModel& cost, bool share_prefixes)
    : id(job_id), job(std::move(new_job)) {
  waiting_.reserve(job.units.size());
  for (std::size_t i = 0; i < job.units.size(); ++i) {
    JobUnit& unit = job.units[i];
    std::size_t before = 0;
    if (unit.prefix >= 0) {
      const JobPrefix& prefix = job.prefixes[static_cast<std::size_t>(unit.prefix)];
      if (share_prefixes) {
        before = prefix.ids.size();
      } else {
        unit.ids.insert(unit.ids.begin(), prefix.ids.begin(), prefix.ids.end());
        unit.prefix = -1;
      }
    }
    TAMIS_CHECK(!unit.ids.empty());
    const auto tokens = static_cast<std::int64_t>(unit.ids.size());
    waiting_.push_back({cost.Cost(tokens, static_cast<std::int64_t>(before)), -1});
    waiting_ids_.push_back(i);
    waiting_cost += waiting_.back().cost;
    waiting_tokens += tokens;
  }
}

ActiveJob::~ActiveJob() {
  if (prefixes_.empty()) return;
  for (std::size_t i = begin_; i < waiting_.size(); ++i) CountWaiting(waiting_ids_[i], -1);
}

void ActiveJob::Admit(PrefixCache* cache) {
  for (const JobPrefix& prefix : job.prefixes) {
    const std::span<const TokenId> ids = prefix.ids;
    std::shared_ptr<SharedPrefix> at;
    if (prefix.shared_tokens > 0 && prefix.shared_tokens < ids.size()) {
      at = cache->Get(nullptr, ids.first(prefix.shared_tokens));
      at->keep_unused = true;
    }
    const std::span<const TokenId> own = at ? ids.subspan(prefix.shared_tokens) : ids;
    if (!own.empty()) {
      at = cache->Get(at, own);
      at->keep_unused = at->keep_unused || job.keep_prefixes;
    }
    prefixes_.push_back(std::move(at));
  }
  waiting_of_prefix_.resize(job.prefixes.size());
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (const SharedPrefix* prefix = prefix_of(waiting_ids_[i])) waiting_[i].prefix = prefix->slot;
    CountWaiting(waiting_ids_[i], 1);
  }
}

SharedPrefix* ActiveJob::prefix_of(std::size_t unit) const {
  const int prefix = job.units[unit].prefix;
  return prefix < 0 ? nullptr : prefixes_[static_cast<std::size_t>(prefix)].get();
}

void ActiveJob::CountWaiting(std::size_t unit, int change) {
  const int prefix = job.units[unit].prefix;
  if (prefix < 0) return;
  std::size_t& waiting = waiting_of_prefix_[static_cast<std::size_t>(prefix)];
  waiting = change > 0 ? waiting + 1 : waiting - 1;
  if (waiting == 0) to_release_.push_back(static_cast<std::size_t>(prefix));
  for (SharedPrefix* at = prefix_of(unit); at != nullptr; at = at->parent.get()) at->waiting_units += change;
}

void ActiveJob::ReleasePrefixes() {
  for (std::size_t prefix : to_release_) prefixes_[prefix] = nullptr;
  to_release_.clear();
}

void ActiveJob::Answer() {
  const auto total = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - submitted);
  stats.queue_us = total.count() - stats.compute_us;
  if (job.on_done) job.on_done(complete() ? OkStatus() : ended, stats);
}

PlanRequest ActiveJob::request() const {
  return {job.priority, static_cast<std::int64_t>(id), waiting_cost, std::span(waiting_).subspan(begin_)};
}

std::vector<std::size_t> ActiveJob::Take(std::span<const PlannedUnit> planned) {
  std::vector<std::size_t> taken;
  if (planned.empty()) return taken;
  const std::size_t end = begin_ + planned.back().unit + 1;
  std::vector<std::size_t> left;  // skipped units move up to the first one not looked at
  std::size_t at = 0;
  for (std::size_t i = begin_; i < end; ++i) {
    if (i != begin_ + planned[at].unit) {
      left.push_back(i);
      continue;
    }
    ++at;
    taken.push_back(waiting_ids_[i]);
    waiting_cost -= waiting_[i].cost;
    waiting_tokens -= static_cast<std::int64_t>(job.units[waiting_ids_[i]].ids.size());
    CountWaiting(waiting_ids_[i], -1);
  }
  begin_ = end;
  for (auto i = left.rbegin(); i != left.rend(); ++i) {
    --begin_;
    waiting_[begin_] = waiting_[*i];
    waiting_ids_[begin_] = waiting_ids_[*i];
  }
  return taken;
}

}  // namespace tamis
