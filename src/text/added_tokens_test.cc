#include "text/added_tokens.h"

#include <gtest/gtest.h>

#include "text/vocabulary.h"

namespace tamis {
namespace {

TEST(AddedTokens, FindsTheFirstAndOfThoseTheLongest) {
  const AddedTokens tokens({{"<a>", 10}, {"<a>b", 11}, {"b", 12}, {"", 13}});
  AddedTokens::Match match = tokens.FindNext("x<a>b<a>", 0);
  EXPECT_EQ(match.begin, 1u);
  EXPECT_EQ(match.id, 11);
  match = tokens.FindNext("x<a>b<a>", 5);
  EXPECT_EQ(match.begin, 5u);
  EXPECT_EQ(match.id, 10);
  match = tokens.FindNext("x<a", 0);
  EXPECT_EQ(match.size, 0u);
  EXPECT_EQ(match.begin, 3u);
  EXPECT_EQ(tokens.Find("<a>"), 10);
  EXPECT_EQ(tokens.Find("<a>b"), 11);
  EXPECT_EQ(tokens.Find("<a>c"), kNoToken);
  EXPECT_EQ(tokens.Find(""), kNoToken);
  EXPECT_EQ(tokens.Content(12), "b");
  EXPECT_EQ(tokens.Content(99), "");
  EXPECT_EQ(tokens.end_id(), 13);
}

}  // namespace
}  // namespace tamis
