#include "text/tokenizer_pipeline.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(TokenizerPipeline, NormalizersOtherThanFormCAreNamed) {
  EXPECT_EQ(*CheckNormalizer("", "t"), false);
  EXPECT_EQ(*CheckNormalizer("null", "t"), false);
  EXPECT_EQ(*CheckNormalizer(R"({"type": "NFC"})", "t"), true);
  for (const char* bad : {R"({"type": "NFD"})", R"({"type": "NFC", "more": 1})", "[]", "7", "{"}) {
    const auto result = CheckNormalizer(bad, "t");
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_TRUE(result.status().message().starts_with("t: normalizer: ")) << result.status().message();
  }
}

TEST(TokenizerPipeline, ModelOptionsThatChangeIdsAreNamed) {
  ModelOptionSlices slices;
  slices.type = "\"BPE\"";
  ASSERT_TRUE(CheckModelOptions(slices, "t").ok());
  for (const auto& [field, value] :
       {std::pair{"dropout", "0.1"}, std::pair{"unk_token", "\"<unk>\""},
        std::pair{"continuing_subword_prefix", "\"##\""}, std::pair{"end_of_word_suffix", "\"</w>\""},
        std::pair{"byte_fallback", "true"}, std::pair{"ignore_merges", "1"}, std::pair{"type", "\"WordPiece\""}}) {
    ModelOptionSlices changed = slices;
    *changed.Find(field) = value;
    const auto result = CheckModelOptions(changed, "t");
    ASSERT_FALSE(result.ok()) << field;
    EXPECT_NE(result.status().message().find(std::string("model.") + field + ": found " + value), std::string::npos)
        << result.status().message();
  }
  slices.ignore_merges = "true";
  EXPECT_TRUE(CheckModelOptions(slices, "t")->ignore_merges);
  EXPECT_EQ(slices.Find("vocab"), nullptr);
}

TEST(TokenizerPipeline, PreTokenizersOfAnotherShapeAreNamed) {
  for (const char* bad : {"", "null", "[]", R"({"type": "ByteLevel"})", R"({"type": "Sequence", "pretokenizers": []})",
                          R"({"type": "Sequence", "pretokenizers": [1, 2]})"}) {
    const Status status = CheckPreTokenizer(bad, "t");
    ASSERT_FALSE(status.ok()) << bad;
    EXPECT_TRUE(status.message().starts_with("t: pre_tokenizer")) << status.message();
  }
}

TEST(TokenizerPipeline, AddedTokensAreCountedAndChecked) {
  EXPECT_TRUE(ReadAddedTokens("", 2, "t")->empty());
  EXPECT_EQ(ReadAddedTokens(R"([{"id": 3, "content": "<a>"}])", 2, "t")->at(0).id, 3);
  EXPECT_FALSE(ReadAddedTokens("[1]", 2, "t").ok());
  EXPECT_FALSE(ReadAddedTokens("{}", 2, "t").ok());
  EXPECT_EQ(ReadAddedTokens("[1, 2, 3]", 2, "t").status().code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(ReadAddedTokens(R"([{"id": 99999999999, "content": "<a>"}])", 2, "t").ok());
}

}  // namespace
}  // namespace tamis
