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

// A loop is open while it may have tasks left. Workers enter an open loop and leave it; the caller closes it and waits
// for those inside. A worker that the system does not run just then never enters, and nobody waits for it.
struct ThreadPool::Impl {
  // state = the loop's number << 32 | open | workers inside.
  static constexpr std::uint64_t kOpen = 1u << 31;
  static constexpr std::uint64_t kInsideMask = kOpen - 1;
  static std::uint64_t Loop(std::uint64_t state) { return state >> 32; }

  std::mutex loop_mutex;  // one loop at a time

  std::mutex mutex;  // orders sleeping and waking, nothing else
  std::condition_variable wake;
  std::condition_variable finished;
  std::atomic<std::uint64_t> state{0};
  std::atomic<bool> stopping{false};
  int spin_rounds = kSpinRounds;

  // Of the open loop; written while it is closed and nobody is inside.
  const std::function<void(std::size_t, int)>* task = nullptr;
  std::size_t tasks = 0;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;

  void RunTasks(int thread) {
    for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < tasks;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      (*task)(i, thread);
    }
  }

  // Whether a worker that was last inside loop `seen` has something to do: another loop, or to end.
  bool HasWork(std::uint64_t seen) const {
    const std::uint64_t now = state.load(std::memory_order_relaxed);
    return ((now & kOpen) != 0 && Loop(now) != seen) || stopping.load(std::memory_order_relaxed);
  }

  void WaitForLoop(std::uint64_t seen) {
    for (int i = 0; i < spin_rounds; ++i) {
      if (HasWork(seen)) return;
      Pause();
    }
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return HasWork(seen); });
  }

  // False if the loop was closed meanwhile; else *seen is the loop's number.
  bool Enter(std::uint64_t* seen) {
    std::uint64_t now = state.load(std::memory_order_relaxed);
    while ((now & kOpen) != 0) {
      if (state.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
        *seen = Loop(now);
        return true;
      }
    }
    return false;
  }

  void Leave() {
    const std::uint64_t before = state.fetch_sub(1, std::memory_order_release);
    if ((before & kOpen) == 0 && (before & kInsideMask) == 1) {
      const std::lock_guard lock(mutex);
      finished.notify_one();
    }
  }

  void Work(int thread) {
    std::uint64_t seen = 0;
    while (true) {
      WaitForLoop(seen);
      if (stopping.load(std::memory_order_relaxed)) return;
      if (!Enter(&seen)) continue;
      RunTasks(thread);
      Leave();
    }
  }

  void Open() {
    {
      const std::lock_guard lock(mutex);
      state.store((Loop(state.load(std::memory_order_relaxed)) + 1) << 32 | kOpen, std::memory_order_release);
    }
    wake.notify_all();
  }

  bool NobodyInside() const { return (state.load(std::memory_order_acquire) & kInsideMask) == 0; }

  void Close() {
    state.fetch_and(~kOpen, std::memory_order_relaxed);
    for (int i = 0; i < spin_rounds; ++i) {
      if (NobodyInside()) return;
      Pause();
    }
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return NobodyInside(); });
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex);
      stopping.store(true, std::memory_order_relaxed);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
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

ThreadPool::~ThreadPool() { impl_->Stop(); }

void ThreadPool::ParallelFor(std::size_t tasks, const std::function<void(std::size_t, int)>& task) {
  const std::lock_guard lock(impl_->loop_mutex);
  if (threads_ == 1 || tasks <= 1) {
    for (std::size_t i = 0; i < tasks; ++i) task(i, 0);
    return;
  }
  impl_->task = &task;
  impl_->tasks = tasks;
  impl_->next.store(0, std::memory_order_relaxed);
  impl_->Open();
  impl_->RunTasks(0);
  impl_->Close();
}

}  // namespace tamis
