#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

// Workers fall asleep between loops and must not miss one, nor enter a later loop with an earlier one's task.
TEST(ThreadPool, LoopsAfterPausesOfAllLengths) {
  ThreadPool pool(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(round % 7 + 2));
    pool.ParallelFor(runs.size(), [&](std::size_t i, int) { runs[i].fetch_add(1); });
    for (const auto& n : runs) ASSERT_EQ(n.load(), 1) << "round " << round;
    std::this_thread::sleep_for(std::chrono::microseconds(round));
  }
}

TEST(ThreadPool, EveryThreadGetsWork) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> tasks(3);
  pool.ParallelFor(60, [&](std::size_t, int thread) {
    tasks[static_cast<std::size_t>(thread)].fetch_add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  for (const auto& n : tasks) EXPECT_GT(n.load(), 0);
}

TEST(ThreadPool, EndsWhateverItsWorkersDo) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(4);
    if (round % 2 == 0) pool.ParallelFor(4, [](std::size_t, int) {});
  }
}

TEST(AvailableCpuCount, IsAtLeastOne) { EXPECT_GE(AvailableCpuCount(), 1); }

}  // namespace
}  // namespace tamis
