// The CPU limit that a cgroup sets for this process (a container's limit), read from the files of cgroup v1 or v2.
#pragma once

#include <optional>
#include <string_view>

namespace tamis {

// cgroup v2 cpu.max: "max 100000" or "<quota> <period>" in microseconds. CPUs rounded up; none for "max" or nonsense.
std::optional<int> ParseCpuMax(std::string_view text);

// cgroup v1 cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 means no limit.
std::optional<int> ParseCfsQuota(std::string_view quota, std::string_view period);

// The path of this process's cgroup from /proc/self/cgroup ("0::/a/b" or "4:cpu,cpuacct:/a/b").
// `controller` is empty for v2, else the v1 controller's name.
std::optional<std::string_view> FindCgroupPath(std::string_view proc_self_cgroup, std::string_view controller);

// The tightest limit on the path from this process's cgroup to the root; none where there is no limit.
std::optional<int> CgroupCpuLimit();

}  // namespace tamis
