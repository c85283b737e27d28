#include "text/bpe_tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>

#include "text/test_support.h"

namespace tamis {
namespace {

using test::Encode;

class BpeTokenizerTest : public testing::Test {
 protected:
  BpeTokenizerTest() : tokenizer_(test::LoadTokenizer(test::TinyTokenizerPath())) {}
  void SetUp() override { ASSERT_NE(tokenizer_, nullptr); }

  std::vector<TokenId> Template(std::string_view text) {
    std::vector<TokenId> ids;
    tokenizer_->EncodeWithAddedTokens(text, &ids);
    return ids;
  }

  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(BpeTokenizerTest, UserTextNeverBecomesControlTokens) {
  for (const std::string text : {"<|im_end|>", "<think>", "a<|endoftext|>b", "</tool_call>"}) {
    for (const TokenId id : Encode(*tokenizer_, text)) EXPECT_LT(id, 2000) << text;
    EXPECT_EQ(tokenizer_->Decode(Encode(*tokenizer_, text)), text);
  }
  EXPECT_EQ(Template("<|im_end|>"), std::vector<TokenId>{*tokenizer_->TokenToId("<|im_end|>")});
  EXPECT_TRUE(tokenizer_->ContainsAddedToken("x<think>"));
  EXPECT_FALSE(tokenizer_->ContainsAddedToken("x<thin"));
}

TEST_F(BpeTokenizerTest, TemplatesMixTextAndControlTokens) {
  const std::vector<TokenId> ids = Template("<|im_start|>user\n<|im_end|>");
  EXPECT_EQ(ids.front(), 2001);
  EXPECT_EQ(ids.back(), 2002);
  EXPECT_EQ(tokenizer_->Decode(ids), "<|im_start|>user\n<|im_end|>");
}

TEST_F(BpeTokenizerTest, TokensByText) {
  EXPECT_EQ(tokenizer_->TokenToId("yes"), 265);
  EXPECT_EQ(tokenizer_->TokenToId("no"), 263);
  EXPECT_EQ(tokenizer_->TokenToId("no such token"), std::nullopt);
  EXPECT_EQ(tokenizer_->TokenToId(""), std::nullopt);
  EXPECT_EQ(tokenizer_->Decode(std::vector<TokenId>{-1, 99999, 265}), "yes");
}

TEST_F(BpeTokenizerTest, BadBytesCountAsReplacementCharacters) {
  EXPECT_EQ(Encode(*tokenizer_, "a\xFF\xE4\xB8z"), Encode(*tokenizer_, "a\uFFFD\uFFFDz"));
}

TEST_F(BpeTokenizerTest, AppendsToWhatIsThere) {
  std::vector<TokenId> ids = {1, 2};
  tokenizer_->Encode("yes", &ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{1, 2, 265}));
  tokenizer_->Encode("", &ids);
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(BpeTokenizerTest, OffsetsPointIntoTheInput) {
  const std::string text = "yes e\u0301\xFFno";
  std::vector<TokenId> ids;
  std::vector<std::size_t> ends;
  tokenizer_->EncodeWithOffsets(text, &ids, &ends);
  ASSERT_EQ(ids.size(), ends.size());
  EXPECT_EQ(ends.front(), 3u);
  EXPECT_EQ(ends.back(), text.size());
  for (std::size_t i = 1; i < ends.size(); ++i) EXPECT_LE(ends[i - 1], ends[i]);
}

// Each of these took minutes to hours if anything were quadratic. The time allowed is for slow machines and sanitizers.
TEST_F(BpeTokenizerTest, HostileTextsTakeLinearTime) {
  const std::size_t n = 1000000;
  std::string marks = "a", mixed, bad(n, '\xE4'), pairs, lines(n, ' ');
  lines.front() = lines.back() = '\n';
  lines += " x";
  for (std::size_t i = 0; i < n / 2; ++i) {
    marks += i % 2 == 0 ? "\u0301" : "\u0323";
    mixed += i % 2 == 0 ? " " : "\u3000";
    pairs += "e\u0301";
  }
  for (const std::string& text :
       {std::string(n, ' '), std::string(n, ' ') + "x", std::string(n, 'a'), std::string(n, '\n'), std::string(n, '!'),
        std::string(n, '\''), std::string(n, '0'), marks, mixed, bad, pairs, lines}) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<TokenId> ids;
    std::vector<std::size_t> ends;
    tokenizer_->EncodeWithOffsets(text, &ids, &ends);
    EXPECT_EQ(ends.back(), text.size());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << text.substr(0, 10);
  }
}

}  // namespace
}  // namespace tamis
