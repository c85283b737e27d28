// A progress bar on standard error, shown once work has taken a second, if that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace tamis::app {

// The line that a bar shows. `share` done from 0 to 1, or nothing where the end is not known; `unit` such as
// "documents".
std::string ProgressLine(std::size_t done, std::optional<double> share, double seconds, const std::string& unit);

// Not thread-safe; one thread reports.
class ProgressBar {
 public:
  ProgressBar(std::string unit, bool quiet);
  ~ProgressBar();  // wipes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(std::size_t done, std::optional<double> share);
  // Takes the bar away, to write something else.
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;

  std::string unit_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace tamis::app
