// StepPace: how much a step may cost so that it takes about 300 ms, learned from the steps before.
//
// That is short enough for a new request not to wait long, and long enough to fill the processor's tiles and to spread
// the reading of all weights over many rows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tamis {

class StepPace {
 public:
  // `fixed_cost` > 0: every step's.
  explicit StepPace(std::int64_t fixed_cost) : fixed_cost_(fixed_cost) {}

  std::int64_t step_cost() const {
    if (fixed_cost_ > 0) return fixed_cost_;
    if (cost_per_s_ <= 0) return kFirst;
    return std::clamp(static_cast<std::int64_t>(cost_per_s_ * kStepSeconds), kMin, kMax);
  }

  // 0 before the first measurement.
  double cost_per_s() const { return cost_per_s_; }

  void Measure(std::int64_t cost, std::int64_t took_us) {
    if (cost < kMeasuredMin || took_us <= 0) return;  // a few rows say nothing about many
    const double rate = static_cast<double>(cost) * 1e6 / static_cast<double>(took_us);
    // Halfway to what the last step says: a single slow step is noise.
    cost_per_s_ = cost_per_s_ > 0 ? (cost_per_s_ + rate) / 2 : rate;
  }

 private:
  static constexpr double kStepSeconds = 0.3;
  static constexpr std::int64_t kFirst = 512;
  static constexpr std::int64_t kMin = 256;   // rows below which matrix products lose speed
  static constexpr std::int64_t kMax = 8192;  // bounds a small model's memory
  static constexpr std::int64_t kMeasuredMin = 64;

  std::int64_t fixed_cost_;
  double cost_per_s_ = 0;
};

}  // namespace tamis
