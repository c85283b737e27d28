// A progress bar on standard error, shown once work has taken a second, if that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>

namespace tamis::app {

// Not thread-safe; one thread reports.
class ProgressBar {
 public:
  // `total` 0: not known.
  explicit ProgressBar(std::size_t total);
  ~ProgressBar();  // wipes the line

  void Update(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t total_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace tamis::app
