#include "suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace tamis::app {
namespace {

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("rerank", "rerank"), 0);
  EXPECT_EQ(EditDistance("rernak", "rerank"), 1);  // a swap
  EXPECT_EQ(EditDistance("score", "scores"), 1);
}

TEST(Suggest, FindsTheNearestOrNone) {
  const std::vector<std::string> commands = {"rerank", "score", "tokenize"};
  EXPECT_EQ(Nearest("rernk", commands), "rerank");
  EXPECT_EQ(Nearest("tokenise", commands), "tokenize");
  EXPECT_EQ(Nearest("xyz", commands), "");
}

}  // namespace
}  // namespace tamis::app
