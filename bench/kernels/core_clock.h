// Cycles of the core in a nanosecond, so that results compare between machines and turbo states.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tamis::bench {

// Times a chain of dependent additions, one a cycle; the best of several short runs.
inline double CoreCyclesPerNs() {
  constexpr std::int64_t kAdds = 2'000'000;
  double best = 0;
  for (int run = 0; run < 10; ++run) {
    std::uint64_t x = static_cast<std::uint64_t>(run);
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < kAdds / 8; ++i) {
      asm volatile(
          "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
          "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
          : "+r"(x));
    }
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(kAdds) / elapsed.count());
  }
  return best;
}

// Runs f (which does `rows` rows) for a while, after an untimed prepare() each time, and returns the cycles of a row in
// the fastest of the runs.
template <typename Prepare, typename F>
double BestCyclesPerRow(int rows, Prepare prepare, F f) {
  using Clock = std::chrono::steady_clock;
  const double cycles_per_ns = CoreCyclesPerNs();
  double best_ns = 1e18;
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  do {
    prepare();
    const auto start = Clock::now();
    f();
    best_ns = std::min(best_ns, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  } while (Clock::now() < end);
  return best_ns * cycles_per_ns / rows;
}

}  // namespace tamis::bench
