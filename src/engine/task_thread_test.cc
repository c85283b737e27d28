#include "engine/task_thread.h"

#include <gtest/gtest.h>

#include <vector>

namespace tamis {
namespace {

TEST(TaskThread, RunsEverythingInOrderBeforeItEnds) {
  std::vector<int> ran;
  {
    TaskThread thread;
    for (int i = 0; i < 100; ++i) {
      thread.Add([&ran, i] { ran.push_back(i); });
    }
  }
  ASSERT_EQ(ran.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace tamis
