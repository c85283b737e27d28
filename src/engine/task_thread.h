// TaskThread: runs tasks one after the other on a thread of its own. What RerankAsync does before the scheduler takes
// over happens here.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tamis {

class TaskThread {
 public:
  TaskThread() : thread_([this] { Loop(); }) {}
  // Runs what was added before it.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  void Add(std::function<void()> task);

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tamis
