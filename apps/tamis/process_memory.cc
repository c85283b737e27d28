#include "process_memory.h"

#include <cstdio>

namespace tamis::app {

ProcessMemory ReadProcessMemory() {
  ProcessMemory memory;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return memory;
  constexpr std::size_t kKibibyte = 1024;
  char line[256];
  while (std::fgets(line, sizeof(line), status) != nullptr) {
    std::size_t kib = 0;
    if (std::sscanf(line, "VmRSS: %zu", &kib) == 1) memory.rss_bytes = kib * kKibibyte;
    if (std::sscanf(line, "VmHWM: %zu", &kib) == 1) memory.rss_peak_bytes = kib * kKibibyte;
  }
  std::fclose(status);
  return memory;
}

}  // namespace tamis::app
