#include "base/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/thread_pool.h"

namespace tamis {
namespace {

std::optional<long long> ParseNumber(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> Cpus(std::optional<long long> quota, std::optional<long long> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<int>(std::clamp<long long>((*quota - 1) / *period + 1, 1, 1 << 20));
}

std::optional<std::string> ReadSmallFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Tighten(std::optional<int>& limit, std::optional<int> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// Calls visit(directory) for the cgroup and each of its parents, the mount point last.
template <class Visit>
void WalkUp(const std::string& mount, std::string_view path, const Visit& visit) {
  std::string inner(path);
  while (!inner.empty() && inner != "/") {
    visit(mount + inner);
    inner.resize(inner.rfind('/') == std::string::npos ? 0 : inner.rfind('/'));
  }
  visit(mount);
}

int AffinityCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&set);
}

}  // namespace

std::optional<int> ParseCpuMax(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return Cpus(ParseNumber(text.substr(0, space)), ParseNumber(text.substr(space + 1)));
}

std::optional<int> ParseCfsQuota(std::string_view quota, std::string_view period) {
  return Cpus(ParseNumber(quota), ParseNumber(period));
}

std::optional<std::string_view> FindCgroupPath(std::string_view lines, std::string_view controller) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view names = line.substr(first + 1, second - first - 1);
    if (controller.empty()) {
      if (names.empty()) return line.substr(second + 1);
      continue;
    }
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      if (name == controller) return line.substr(second + 1);
      names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
  }
  return std::nullopt;
}

std::optional<int> CgroupCpuLimit() {
  std::optional<int> limit;
  const std::optional<std::string> cgroups = ReadSmallFile("/proc/self/cgroup");
  if (!cgroups) return limit;
  if (const auto path = FindCgroupPath(*cgroups, "")) {
    WalkUp("/sys/fs/cgroup", *path, [&](const std::string& directory) {
      if (const auto text = ReadSmallFile(directory + "/cpu.max")) Tighten(limit, ParseCpuMax(*text));
    });
  }
  if (const auto path = FindCgroupPath(*cgroups, "cpu")) {
    for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
      WalkUp(mount, *path, [&](const std::string& directory) {
        const auto quota = ReadSmallFile(directory + "/cpu.cfs_quota_us");
        const auto period = ReadSmallFile(directory + "/cpu.cfs_period_us");
        if (quota && period) Tighten(limit, ParseCfsQuota(*quota, *period));
      });
    }
  }
  return limit;
}

int AvailableCpuCount() {
  int count = AffinityCpus();
  if (const std::optional<int> limit = CgroupCpuLimit()) count = std::min(count, *limit);
  return std::max(1, count);
}

}  // namespace tamis
