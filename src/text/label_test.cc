#include "text/label.h"

#include <gtest/gtest.h>

#include "text/test_support.h"

namespace tamis {
namespace {

class LabelTest : public testing::Test {
 protected:
  LabelTest() : tokenizer_(test::LoadTokenizer(test::TinyTokenizerPath())) {}
  void SetUp() override { ASSERT_NE(tokenizer_, nullptr); }
  Result<ResolvedHead> Resolve(ScoringHead head) {
    ScoringProfile profile;
    profile.name = "p";
    profile.head = std::move(head);
    return ResolveHead(profile, *tokenizer_);
  }
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(LabelTest, TheOfficialPair) {
  const auto head = ResolveHead(*FindBuiltInProfile("qwen3-reranker"), *tokenizer_);
  ASSERT_TRUE(head.ok()) << head.status().message();
  EXPECT_EQ(head->positive, 265);
  EXPECT_EQ(head->negative, 263);
}

TEST_F(LabelTest, SeveralTokensAreRefusedWithTheirPieces) {
  const auto head = Resolve({.kind = HeadKind::kLabel, .positive = {.text = "yesno"}});
  ASSERT_FALSE(head.ok());
  EXPECT_NE(head.status().message().find("label \"yesno\" is 2 tokens in this vocabulary: \"yes\" (265), \"no\" (263)"),
            std::string::npos)
      << head.status().message();
}

TEST_F(LabelTest, TheFirstTokenStandsForALongerLabelIfAskedFor) {
  const auto head = Resolve({.kind = HeadKind::kLabel, .positive = {.text = "yesno", .first_token = true}});
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->positive, 265);
  ASSERT_EQ(head->notes.size(), 1u);
  EXPECT_NE(head->notes[0].find("\"yes\" (265)"), std::string::npos);
}

TEST_F(LabelTest, IdsAndControlTokens) {
  EXPECT_EQ(Resolve({.kind = HeadKind::kLabel, .positive = {.id = 7}})->positive, 7);
  EXPECT_EQ(Resolve({.kind = HeadKind::kLabel, .positive = {.text = "<|im_end|>"}})->positive, 2002);
  EXPECT_FALSE(Resolve({.kind = HeadKind::kLabel, .positive = {.id = 2026}}).ok());
  EXPECT_FALSE(Resolve({.kind = HeadKind::kLabel, .positive = {.id = -1}}).ok());
  EXPECT_FALSE(Resolve({.positive = {.text = "yes"}, .negative = {.id = 265}}).ok());
  EXPECT_TRUE(Resolve({.kind = HeadKind::kScore}).ok());
}

// "Relevant" is not one token of the published vocabulary, " Relevant" and "relevant" are.
TEST_F(LabelTest, LabelsOfThePublishedVocabulary) {
  TAMIS_REQUIRE_REAL_TOKENIZER();
  tokenizer_ = test::LoadTokenizer(test::RealTokenizerPath());
  ASSERT_NE(tokenizer_, nullptr);
  EXPECT_EQ(Resolve({.kind = HeadKind::kLabel, .positive = {.text = " Relevant"}})->positive, 87416);
  EXPECT_EQ(Resolve({.kind = HeadKind::kLabel, .positive = {.text = "relevant"}})->positive, 97573);
  EXPECT_FALSE(Resolve({.kind = HeadKind::kLabel, .positive = {.text = "Relevant"}}).ok());
  EXPECT_EQ(ResolveHead(*FindBuiltInProfile("label-token"), *tokenizer_)->notes.size(), 1u);
}

}  // namespace
}  // namespace tamis
