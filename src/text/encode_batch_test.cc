#include "text/encode_batch.h"

#include <gtest/gtest.h>

#include "text/test_support.h"

namespace tamis {
namespace {

TEST(EncodeBatch, EqualsEncodingOneByOneOnAnyNumberOfThreads) {
  const auto tokenizer = test::LoadTokenizer(test::TinyTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  std::vector<std::string> texts = {""};
  for (const auto& row : test::ReadJsonLines(test::Golden("tokenize_tiny.jsonl")))
    texts.push_back(test::Text(row.at("text")));
  for (int i = 0; i < 500; ++i) texts.push_back(texts[static_cast<std::size_t>(i) % 400] + std::to_string(i));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const auto ids = EncodeBatch(*tokenizer, views, &pool);
    ASSERT_EQ(ids.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(ids[i], test::Encode(*tokenizer, texts[i]));
    EXPECT_TRUE(EncodeBatch(*tokenizer, {}, &pool).empty());
  }
}

}  // namespace
}  // namespace tamis
