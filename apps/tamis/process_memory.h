// This process's memory as the kernel counts it.
#pragma once

#include <cstddef>

namespace tamis::app {

struct ProcessMemory {
  std::size_t rss_bytes = 0;       // VmRSS
  std::size_t rss_peak_bytes = 0;  // VmHWM
};

// Zeros where /proc is not there.
ProcessMemory ReadProcessMemory();

}  // namespace tamis::app
