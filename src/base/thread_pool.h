// ThreadPool: one set of worker threads that runs parallel loops; the caller works too.
//
// Loops of a few microseconds are the normal case (one phase of one layer), so a worker spins briefly for
// the next loop before it sleeps. Which thread runs which task is not determined: tasks must not depend on it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tamis {

// CPUs this process may really use: the smallest of the affinity mask, the cgroup CPU quota (v1 or v2, rounded
// up) and the online CPUs; at least 1.
int AvailableCpuCount();

class ThreadPool {
 public:
  // `threads` counts the caller, so 1 starts no thread; there are fewer where the system refuses to start more.
  // REQUIRES: threads >= 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Runs task(i, thread) for each i in [0, tasks), 0 <= thread < threads(), and returns when all are done.
  // One loop at a time: calls from several threads wait for each other. Not re-entrant from inside a task.
  void ParallelFor(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& task);

 private:
  struct Impl;
  int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
