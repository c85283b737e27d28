// Ids equal to the reference's, on the reduced tokenizer always and on the published one where it is at hand.
#include <gtest/gtest.h>

#include "text/test_support.h"

namespace tamis {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

void CheckGoldens(const Tokenizer& tokenizer, const std::string& file) {
  const auto rows = ReadJsonLines(Golden(file));
  ASSERT_GT(rows.size(), 400u);
  for (const auto& row : rows) {
    const std::string text = Text(row.at("text"));
    EXPECT_EQ(Encode(tokenizer, text), Ids(row.at("ids"))) << row.at("text");

    std::vector<TokenId> ids;
    std::vector<std::size_t> ends;
    tokenizer.EncodeWithOffsets(text, &ids, &ends);
    EXPECT_EQ(ids, Ids(row.at("ids")));
    ASSERT_EQ(ids.size(), ends.size());
    EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end())) << row.at("text");
    EXPECT_EQ(ends.empty() ? 0 : ends.back(), text.size()) << row.at("text");
  }
}

TEST(TokenizerGolden, ReducedTokenizer) {
  const auto tokenizer = LoadTokenizer(TinyTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocab_size(), 2026);
  CheckGoldens(*tokenizer, "tokenize_tiny.jsonl");
}

TEST(TokenizerGolden, MergesWrittenAsOneStringAreTheSame) {
  const auto tokenizer = LoadTokenizer(Golden("models/f-v4config-bf16/tokenizer.json"));
  ASSERT_NE(tokenizer, nullptr);
  CheckGoldens(*tokenizer, "tokenize_tiny.jsonl");
}

TEST(TokenizerGolden, PublishedTokenizer) {
  TAMIS_REQUIRE_REAL_TOKENIZER();
  const auto tokenizer = LoadTokenizer(RealTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocab_size(), 151669);
  CheckGoldens(*tokenizer, "tokenize.jsonl");

  const auto constants = ReadJson(Golden("prompt_constants.json"));
  for (const char* part : {"prefix", "suffix"}) {
    std::vector<TokenId> ids;
    tokenizer->EncodeWithAddedTokens(Text(constants.at(part)), &ids);
    EXPECT_EQ(ids, Ids(constants.at(std::string(part) + "_ids")));
    EXPECT_EQ(tokenizer->Decode(ids), Text(constants.at(part)));
  }
  EXPECT_EQ(tokenizer->TokenToId("yes"), constants.at("yes").as_int64());
  EXPECT_EQ(tokenizer->TokenToId("no"), constants.at("no").as_int64());
}

}  // namespace
}  // namespace tamis
