#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tamis {
namespace {

// How long a worker looks for the next loop before it sleeps: phases of a step follow each other within microseconds,
// and waking a sleeping thread costs about ten times a phase's gap. A few thousand pauses are some 50 us.
constexpr int kSpinRounds = 2000;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

struct ThreadPool::Impl {
  std::mutex loop_mutex;  // one loop at a time

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> stopping{false};
  int spin_rounds = kSpinRounds;

  const std::function<void(std::size_t, int)>* task = nullptr;
  std::size_t tasks = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<int> busy{0};  // workers that have not left the current loop
  std::vector<std::thread> workers;

  void RunTasks(int thread) {
    for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < tasks;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      (*task)(i, thread);
    }
  }

  // Waits for a loop newer than `seen`; returns false when the pool ends.
  bool WaitForLoop(std::uint64_t seen) {
    for (int i = 0; i < spin_rounds; ++i) {
      if (generation.load(std::memory_order_acquire) != seen) return !stopping.load(std::memory_order_relaxed);
      Pause();
    }
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return generation.load(std::memory_order_acquire) != seen; });
    return !stopping.load(std::memory_order_relaxed);
  }

  void Work(int thread) {
    std::uint64_t seen = 0;
    while (WaitForLoop(seen)) {
      ++seen;
      RunTasks(thread);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock(mutex);
        finished.notify_one();
      }
    }
  }

  void Announce() {
    {
      const std::lock_guard lock(mutex);
      generation.fetch_add(1, std::memory_order_release);
    }
    wake.notify_all();
  }

  void WaitForWorkers() {
    for (int i = 0; i < spin_rounds; ++i) {
      if (busy.load(std::memory_order_acquire) == 0) return;
      Pause();
    }
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return busy.load(std::memory_order_acquire) == 0; });
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads), impl_(std::make_unique<Impl>()) {
  TAMIS_CHECK(threads >= 1);
  if (threads > AvailableCpuCount()) impl_->spin_rounds = 0;  // spinning would take the CPU from a thread with work
  impl_->workers.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) impl_->workers.emplace_back([impl = impl_.get(), i] { impl->Work(i); });
  } catch (const std::system_error&) {
    threads_ = 1 + static_cast<int>(impl_->workers.size());  // the system gives no more: work with those
  }
}

ThreadPool::~ThreadPool() {
  impl_->stopping.store(true, std::memory_order_relaxed);
  impl_->Announce();
  for (std::thread& worker : impl_->workers) worker.join();
}

void ThreadPool::ParallelFor(std::size_t tasks, const std::function<void(std::size_t, int)>& task) {
  const std::lock_guard lock(impl_->loop_mutex);
  if (threads_ == 1 || tasks <= 1) {
    for (std::size_t i = 0; i < tasks; ++i) task(i, 0);
    return;
  }
  impl_->task = &task;
  impl_->tasks = tasks;
  impl_->next.store(0, std::memory_order_relaxed);
  impl_->busy.store(threads_ - 1, std::memory_order_relaxed);
  impl_->Announce();
  impl_->RunTasks(0);
  impl_->WaitForWorkers();
}

}  // namespace tamis
