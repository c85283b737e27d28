#include "progress_bar.h"

#include <gtest/gtest.h>

namespace tamis::app {
namespace {

TEST(ProgressBarTest, Lines) {
  EXPECT_EQ(ProgressLine(50, 0.5, 10, "documents"),
            "[###############...............] 50 %  50 documents, 5.0/s, 10 s left");
  EXPECT_EQ(ProgressLine(7, std::nullopt, 2, "pairs"), "7 pairs, 3.5/s");
  EXPECT_EQ(ProgressLine(0, 0.0, 0, "pairs"), "[..............................] 0 %  0 pairs, 0.0/s");
  EXPECT_EQ(ProgressLine(9, 1.5, 3, "pairs"), "[##############################] 100 %  9 pairs, 3.0/s, 0 s left");
}

}  // namespace
}  // namespace tamis::app
