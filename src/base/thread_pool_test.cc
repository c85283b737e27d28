#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tamis {
namespace {

TEST(ThreadPool, RunsEachTaskOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (std::size_t tasks : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> runs(tasks);
      pool.ParallelFor(tasks, [&](std::size_t i, int thread) {
        EXPECT_GE(thread, 0);
        EXPECT_LT(thread, threads);
        runs[i].fetch_add(1);
      });
      for (const auto& n : runs) EXPECT_EQ(n.load(), 1);
    }
  }
}

TEST(ThreadPool, ResultsAreVisibleAfterTheLoop) {
  ThreadPool pool(4);
  std::vector<long> values(64);
  for (int round = 0; round < 2000; ++round) {
    pool.ParallelFor(values.size(), [&](std::size_t i, int) { values[i] += static_cast<long>(i); });
  }
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 2000L * static_cast<long>(i));
}

TEST(ThreadPool, LoopsFromSeveralThreadsTakeTurns) {
  ThreadPool pool(3);
  std::atomic<int> inside{0};
  std::atomic<long> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        long sum = 0;
        std::atomic<long> loop_sum{0};
        inside.fetch_add(1);
        pool.ParallelFor(10, [&](std::size_t i, int) { loop_sum.fetch_add(static_cast<long>(i)); });
        inside.fetch_sub(1);
        sum = loop_sum.load();
        EXPECT_EQ(sum, 45);
        total.fetch_add(sum);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(total.load(), 4 * 100 * 45);
}

TEST(AvailableCpuCount, IsAtLeastOne) { EXPECT_GE(AvailableCpuCount(), 1); }

}  // namespace
}  // namespace tamis
