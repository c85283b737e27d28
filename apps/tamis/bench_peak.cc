#include "bench_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/kernels.h"

namespace tamis::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRuns = 5;
constexpr double kRunSeconds = 0.1;

double Seconds(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

double MeasurePeakOps(Isa isa, Precision precision, int threads) {
  const kernels::Kernels& kernels = kernels::KernelsFor(isa);
  const auto loop = precision == Precision::kInt8 ? kernels.peak_s8 : kernels.peak_f32;
  std::int64_t iterations = 1000;
  for (;;) {  // as many as take about a run's time
    const Clock::time_point begin = Clock::now();
    loop(iterations);
    if (Seconds(begin) > kRunSeconds / 4) break;
    iterations *= 2;
  }
  iterations *= 4;
  ThreadPool pool(threads);
  const int parties = pool.threads();
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> rate(static_cast<std::size_t>(parties));
    std::atomic<int> ready{0};
    pool.ParallelFor(static_cast<std::size_t>(parties), [&](std::size_t task, int) {
      ready.fetch_add(1);
      while (ready.load() < parties) {  // all at once, so that they share what they share
      }
      const Clock::time_point begin = Clock::now();
      const double ops = loop(iterations);
      rate[task] = ops / Seconds(begin);
    });
    double total = 0;
    for (double r : rate) total += r;
    best = std::max(best, total);
  }
  return best;
}

Isa PeakIsa(Isa in_use) { return in_use == Isa::kAmx ? Isa::kAvx512Vnni : in_use; }

}  // namespace tamis::app
