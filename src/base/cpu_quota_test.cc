#include "base/cpu_quota.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(CpuMax, RoundsUp) {
  EXPECT_EQ(ParseCpuMax("200000 100000\n"), 2);
  EXPECT_EQ(ParseCpuMax("150000 100000\n"), 2);
  EXPECT_EQ(ParseCpuMax("1000 100000\n"), 1);
}

TEST(CpuMax, NoLimitAndNonsense) {
  for (const char* text : {"max 100000\n", "", "100000", "a b", "-5 100000", "100 0", "99999999999999999999 1"}) {
    EXPECT_EQ(ParseCpuMax(text), std::nullopt) << text;
  }
}

TEST(CfsQuota, MinusOneMeansNoLimit) {
  EXPECT_EQ(ParseCfsQuota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(ParseCfsQuota("250000\n", "100000\n"), 3);
}

TEST(CgroupPath, FindsTheLine) {
  constexpr std::string_view kBoth = "12:cpuset:/x\n4:cpu,cpuacct:/docker/abc\n0::/system.slice/a\n";
  EXPECT_EQ(FindCgroupPath(kBoth, ""), "/system.slice/a");
  EXPECT_EQ(FindCgroupPath(kBoth, "cpu"), "/docker/abc");
  EXPECT_EQ(FindCgroupPath(kBoth, "memory"), std::nullopt);
  EXPECT_EQ(FindCgroupPath("broken", ""), std::nullopt);
}

}  // namespace
}  // namespace tamis
