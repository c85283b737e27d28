// FakeBackend: for tests of the engine. A score is a hash of the whole prompt's ids, whatever it is cut into.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "backend/backend.h"

namespace tamis::test {

inline constexpr TokenId kFailingId = 666666;  // a prompt with it fails its step
inline constexpr TokenId kNanId = 777777;      // a prompt with it scores NaN
inline constexpr std::size_t kStateBytesPerToken = 10;

// Between 0 and 1.
inline float FakeMargin(std::span<const TokenId> prompt) {
  std::uint64_t hash = 1469598103934665603u;
  for (TokenId id : prompt) hash = (hash ^ static_cast<std::uint64_t>(id)) * 1099511628211u;
  return static_cast<float>(hash >> 40) / static_cast<float>(1 << 24);
}

class FakeState : public PrefixState {
 public:
  FakeState(std::vector<TokenId> ids, std::size_t own) : prompt(std::move(ids)), own_tokens(own) {}
  std::size_t tokens() const override { return prompt.size(); }
  std::size_t bytes() const override { return own_tokens * kStateBytesPerToken; }
  const std::vector<TokenId> prompt;
  const std::size_t own_tokens;
};

// What a test sees of a backend that a scheduler owns. Thread-safe.
class FakeLog {
 public:
  struct Step {
    std::size_t rows = 0;
    std::size_t segments = 0;
    std::size_t scored = 0;
    std::size_t kept = 0;
  };

  std::vector<Step> steps() const {
    const std::lock_guard lock(mutex_);
    return steps_;
  }
  std::size_t rows() const {
    std::size_t sum = 0;
    for (const Step& step : steps()) sum += step.rows;
    return sum;
  }

  // Steps begun from now on wait, until Release() or until they are cancelled.
  void Hold() { SetHeld(true); }
  void Release() { SetHeld(false); }
  // Waits until a step is being held.
  void AwaitHeldStep() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_; });
  }

  // For the backend.
  void Begin(const Step& step, const StepControl* control) {
    std::unique_lock lock(mutex_);
    steps_.push_back(step);
    waiting_ = held_;
    changed_.notify_all();
    while (held_ && !control->cancelled()) changed_.wait_for(lock, std::chrono::milliseconds(1));
    waiting_ = false;
  }

 private:
  void SetHeld(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Step> steps_;
  bool held_ = false;
  bool waiting_ = false;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(std::shared_ptr<FakeLog> log) : log_(std::move(log)) { info_.backend = "fake"; }

  const BackendInfo& info() const override { return info_; }

  Result<std::vector<SegmentResult>> Run(std::span<const Segment> segments, const StepControl* control) override {
    FakeLog::Step step;
    for (const Segment& segment : segments) {
      step.rows += segment.ids.size();
      ++step.segments;
      step.scored += segment.score ? 1 : 0;
      step.kept += segment.keep ? 1 : 0;
    }
    log_->Begin(step, control);
    if (control->cancelled()) return Status{StatusCode::kCancelled, "the step was cancelled"};
    std::vector<std::vector<TokenId>> prompts;
    std::vector<SegmentResult> results;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const Segment& segment = segments[i];
      EXPECT_FALSE(segment.ids.empty());
      EXPECT_LT(segment.parent, static_cast<int>(i));
      EXPECT_FALSE(segment.parent >= 0 && segment.prefix);
      std::vector<TokenId> prompt;
      if (segment.parent >= 0) {
        const auto parent = static_cast<std::size_t>(segment.parent);
        prompt = prompts[parent];
        EXPECT_TRUE(!segment.keep || segments[parent].keep) << "a kept segment needs a kept parent";
      }
      if (segment.prefix) prompt = static_cast<const FakeState&>(*segment.prefix).prompt;
      prompt.insert(prompt.end(), segment.ids.begin(), segment.ids.end());
      SegmentResult result;
      if (segment.score) {
        result.logits.first = FakeMargin(prompt);
        for (TokenId id : prompt) {
          if (id == kFailingId) return Internal("the fake backend was told to fail");
          if (id == kNanId) result.logits.first = std::numeric_limits<float>::quiet_NaN();
        }
      }
      if (segment.keep) result.state = std::make_shared<FakeState>(prompt, segment.ids.size());
      prompts.push_back(std::move(prompt));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  std::shared_ptr<FakeLog> log_;
  BackendInfo info_;
};

}  // namespace tamis::test
