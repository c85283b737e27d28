#include "backend/cpu/rope_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tamis::cpu {
namespace {

TEST(RopeTable, FollowsTheFormula) {
  RopeTable table(128, 1e6);
  table.Extend(300);
  for (int p : {0, 1, 77, 299}) {
    for (int i : {0, 1, 31, 63}) {
      const double angle = p * std::pow(1e6, -2.0 * i / 128);
      EXPECT_NEAR(table.cos(p)[i], std::cos(angle), 1e-4) << p << " " << i;
      EXPECT_NEAR(table.sin(p)[i], std::sin(angle), 1e-4) << p << " " << i;
    }
  }
}

TEST(RopeTable, GrowingKeepsWhatIsThere) {
  RopeTable small(24, 123456);
  small.Extend(10);
  small.Extend(5);
  const float before = small.cos(9)[3];
  small.Extend(1000);
  RopeTable large(24, 123456);
  large.Extend(1000);
  EXPECT_EQ(small.cos(9)[3], before);
  EXPECT_EQ(small.sin(999)[11], large.sin(999)[11]);
}

}  // namespace
}  // namespace tamis::cpu
