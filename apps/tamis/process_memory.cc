#include "process_memory.h"

#include <fstream>
#include <string>

namespace tamis::app {

ProcessMemory ReadProcessMemory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  std::string name;
  std::string rest;
  while (status >> name && std::getline(status, rest)) {
    constexpr std::size_t kKibibyte = 1024;
    if (name == "VmRSS:") memory.rss_bytes = std::stoul(rest) * kKibibyte;
    if (name == "VmHWM:") memory.rss_peak_bytes = std::stoul(rest) * kKibibyte;
  }
  return memory;
}

}  // namespace tamis::app
