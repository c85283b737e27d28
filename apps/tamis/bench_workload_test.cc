#include "bench_workload.h"

#include <gtest/gtest.h>

namespace tamis::app {
namespace {

TEST(BenchWorkload, NamesAndProducts) {
  EXPECT_EQ(ParseWorkload("w1")->documents, 50);
  EXPECT_EQ(ParseWorkload("w3")->documents, 1000);
  EXPECT_EQ(ParseWorkload("7x30")->document_tokens, 210);
  for (const char* bad : {"w9", "x", "0x5", "5x", "axb", "5x-1", "", "99999999999x1"}) {
    const auto shape = ParseWorkload(bad);
    ASSERT_FALSE(shape.ok()) << bad;
    EXPECT_NE(shape.status().message().find("expected w0"), std::string::npos);
  }
}

TEST(BenchWorkload, TextHasTheWantedTokens) {
  const auto reranker = Reranker::Load({});
  ASSERT_TRUE(reranker.ok());
  const auto shape = ParseWorkload("w1");
  const auto text = MakeWorkload(**reranker, *shape, 2);
  ASSERT_TRUE(text.ok()) << text.status().message();
  std::size_t tokens = 0;
  for (const std::string& document : text->documents) tokens += (*reranker)->Tokenize(" " + document).size();
  EXPECT_EQ(tokens, 4481u);
  EXPECT_NE(text->queries[0], text->queries[1]);
  const auto prompt = (*reranker)->TokenizePair({text->queries[0], text->documents[0], std::nullopt, 0});
  ASSERT_TRUE(prompt.ok());
  EXPECT_EQ(prompt->shared_tokens, 76);
}

}  // namespace
}  // namespace tamis::app
