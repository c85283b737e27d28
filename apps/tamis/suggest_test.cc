#include "suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace tamis::app {
namespace {

TEST(SuggestTest, Distances) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("rerank", "rernak"), 1);
  EXPECT_EQ(EditDistance("score", "scores"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(SuggestTest, NearestOrNone) {
  const std::vector<std::string> choices = {"rerank", "score", "tokenize", "info"};
  EXPECT_EQ(Nearest("rank", choices), "rerank");
  EXPECT_EQ(Nearest("tokenise", choices), "tokenize");
  EXPECT_EQ(Nearest("documents", choices), "");
  EXPECT_EQ(Nearest("", choices), "");
}

}  // namespace
}  // namespace tamis::app
