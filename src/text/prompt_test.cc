// Room, truncation and the profiles that are encoded whole. prompt_golden_test.cc has the ids.
#include "text/prompt.h"

#include <gtest/gtest.h>

#include "text/test_support.h"

namespace tamis {
namespace {

using test::Encode;

class PromptTest : public testing::Test {
 protected:
  PromptTest() : tokenizer_(test::LoadTokenizer(test::TinyTokenizerPath())) {}
  void SetUp() override { ASSERT_NE(tokenizer_, nullptr); }

  PromptBuilder Builder(const ScoringProfile& profile, int max_length = 8192) {
    auto builder = PromptBuilder::Create(tokenizer_.get(), profile, max_length);
    EXPECT_TRUE(builder.ok()) << builder.status().message();
    return *std::move(builder);
  }
  static ScoringProfile Custom(std::string content, TruncationSide side = TruncationSide::kRight) {
    ScoringProfile profile;
    profile.name = "custom";
    profile.content = std::move(content);
    profile.truncation_side = side;
    return profile;
  }
  std::vector<TokenId> Prompt(const PromptBuilder& builder, std::string_view query, std::string_view document,
                              int max_length = 0, int max_document_tokens = 0) {
    const auto encoded = builder.EncodeQuery("", query, max_length);
    EXPECT_TRUE(encoded.ok());
    std::vector<TokenId> ids = encoded->prefix_ids;
    last_ = builder.EncodeDocument(*encoded, document, max_document_tokens);
    ids.insert(ids.end(), last_.tail_ids.begin(), last_.tail_ids.end());
    return ids;
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  EncodedDocument last_;
};

TEST_F(PromptTest, RoomAddsUp) {
  const PromptBuilder builder = Builder(*FindBuiltInProfile("qwen3-reranker"));
  const auto query = builder.EncodeQuery(std::nullopt, "what is it", 200);
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->content_room, 200 - 57 - 11);
  EXPECT_EQ(query->document_room, query->content_room - query->query_tokens);
  EXPECT_EQ(static_cast<int>(query->prefix_ids.size()), 57 + query->query_tokens);
  EXPECT_FALSE(query->query_truncated);
  std::string document;
  for (int i = 0; i < 500; ++i) document += "yes ";
  const EncodedDocument encoded = builder.EncodeDocument(*query, document);
  EXPECT_EQ(encoded.document_tokens, query->document_room);
  EXPECT_EQ(query->prefix_ids.size() + encoded.tail_ids.size(), 200u);
  EXPECT_EQ(encoded.document_tokens + encoded.truncated_tokens,
            static_cast<int>(Encode(*tokenizer_, " " + document).size()));
  EXPECT_EQ(builder.EncodeDocument(*query, document, 5).document_tokens, 5);
}

TEST_F(PromptTest, AQueryThatFillsTheRoomIsTold) {
  const PromptBuilder builder = Builder(*FindBuiltInProfile("qwen3-reranker"));
  std::string text;
  for (int i = 0; i < 100; ++i) text += " no";
  const auto query = builder.EncodeQuery(std::nullopt, text, 57 + 11 + 50);
  ASSERT_TRUE(query.ok());
  EXPECT_TRUE(query->query_truncated);
  EXPECT_EQ(query->document_room, 0);
  EXPECT_EQ(query->prefix_ids.size(), 57u + 50u);
  EXPECT_EQ(builder.EncodeDocument(*query, "yes").tail_ids, builder.suffix_ids());
  EXPECT_EQ(builder.EncodeDocument(*query, "yes").document_tokens, 0);
  const auto exact = builder.EncodeQuery(std::nullopt, text, 57 + 11 + query->query_tokens);
  EXPECT_FALSE(exact->query_truncated);
  EXPECT_EQ(exact->document_room, 0);
}

TEST_F(PromptTest, MaxLengthMustHoldTheFrame) {
  const ScoringProfile& profile = *FindBuiltInProfile("qwen3-reranker");
  EXPECT_FALSE(PromptBuilder::Create(tokenizer_.get(), profile, 67).ok());
  const PromptBuilder builder = Builder(profile, 68);
  EXPECT_FALSE(builder.EncodeQuery("", "", 67).ok());
  EXPECT_FALSE(builder.EncodeQuery("", "", -5).ok());
  EXPECT_EQ(Prompt(builder, "query", "document").size(), 68u);
}

TEST_F(PromptTest, RawIsQueryNewlineDocument) {
  const PromptBuilder builder = Builder(*FindBuiltInProfile("raw"));
  EXPECT_FALSE(builder.splits());
  for (const auto& [query, document] : {std::pair{"what", "\n\n  is"}, {"", ""}, {"a ", " b"}, {"x", "\u0301y"}}) {
    EXPECT_EQ(Prompt(builder, query, document), Encode(*tokenizer_, std::string(query) + "\n" + document));
    EXPECT_EQ(last_.truncated_tokens, 0);
  }
}

TEST_F(PromptTest, WholeEncodingCutsTheDocumentOnly) {
  const PromptBuilder builder = Builder(Custom("Q {query}\n{document}\nyes or no"));
  const std::vector<TokenId> head = Encode(*tokenizer_, "Q q\n"), tail = Encode(*tokenizer_, "\nyes or no");
  const std::vector<TokenId> all = Prompt(builder, "q", "aaaa bbbb cccc dddd");
  EXPECT_EQ(all, Encode(*tokenizer_, "Q q\naaaa bbbb cccc dddd\nyes or no"));
  const int room = static_cast<int>(head.size() + tail.size()) + 2;
  std::vector<TokenId> expected(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(head.size()) + 2);
  expected.insert(expected.end(), tail.begin(), tail.end());
  EXPECT_EQ(Prompt(builder, "q", "aaaa bbbb cccc dddd", room), expected);
  EXPECT_EQ(last_.document_tokens, 2);
  EXPECT_EQ(last_.truncated_tokens, static_cast<int>(all.size()) - room);
  EXPECT_EQ(Prompt(builder, "q", "aaaa bbbb cccc dddd", 3).size(), 3u);
  EXPECT_EQ(last_.document_tokens, 0);
}

TEST_F(PromptTest, LeftTruncationKeepsTheEndOfTheDocument) {
  for (const char* content : {"Q {query}: {document}", "Q {query}\n{document}"}) {
    const PromptBuilder right = Builder(Custom(content)), left = Builder(Custom(content, TruncationSide::kLeft));
    const std::vector<TokenId> all = Prompt(right, "q", "one two three four five");
    const int document_tokens = last_.document_tokens;
    EXPECT_EQ(Prompt(left, "q", "one two three four five"), all);
    const std::vector<TokenId> cut = Prompt(left, "q", "one two three four five", 0, 3);
    ASSERT_EQ(cut.size(), all.size() - static_cast<std::size_t>(document_tokens) + 3);
    EXPECT_TRUE(std::equal(cut.end() - 3, cut.end(), all.end() - 3));
    EXPECT_TRUE(std::equal(cut.begin(), cut.end() - 3, all.begin()));
  }
}

TEST_F(PromptTest, ControlTokensInContentAreRefused) {
  const auto builder = PromptBuilder::Create(tokenizer_.get(), Custom("<|im_start|>{query} : {document}"), 100);
  ASSERT_FALSE(builder.ok());
  EXPECT_NE(builder.status().message().find("profile custom: content holds a control token"), std::string::npos);
}

TEST_F(PromptTest, DocumentTokensHaveTheirPlaces) {
  for (const char* name : {"qwen3-reranker", "raw", "label-token"}) {
    const PromptBuilder builder = Builder(*FindBuiltInProfile(name));
    const auto query = builder.EncodeQuery("", "yes");
    for (const std::string document : {"no yes no", "e\u0301a", "", "\n x", "\u4e2d\u6587\xFF"}) {
      const DocumentTokens tokens = builder.TokenizeDocument(*query, document);
      EXPECT_EQ(tokens.ids.size(), tokens.end_bytes.size());
      EXPECT_TRUE(std::is_sorted(tokens.end_bytes.begin(), tokens.end_bytes.end()));
      EXPECT_EQ(tokens.ids.size(), static_cast<std::size_t>(builder.EncodeDocument(*query, document).document_tokens));
      if (!tokens.ids.empty()) { EXPECT_EQ(tokens.end_bytes.back(), document.size()) << name; }
    }
  }
}

}  // namespace
}  // namespace tamis
