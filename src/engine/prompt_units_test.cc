#include "engine/prompt_units.h"

#include <gtest/gtest.h>

#include <string>

#include "builtin/builtin_model.h"
#include "text/profile.h"

namespace tamis {
namespace {

const Tokenizer& MiniTokenizer() {
  static const auto tokenizer = *ParseTokenizer(GetBuiltinModel().tokenizer_json, "tokenizer.json");
  return *tokenizer;
}

PromptBuilder Builder(const ScoringProfile& profile, int max_length = 1024) {
  return *PromptBuilder::Create(&MiniTokenizer(), profile, max_length);
}

ScoringProfile Profile(std::string content) {
  ScoringProfile profile = *FindBuiltInProfile("raw");
  profile.content = std::move(content);
  return profile;
}

std::vector<TokenId> IdsOf(const EncodedPairs& encoded, const PromptUnit& prompt) {
  const JobUnit& unit = encoded.units[prompt.unit];
  std::vector<TokenId> ids;
  if (unit.prefix >= 0) ids = encoded.prefixes[static_cast<std::size_t>(unit.prefix)].ids;
  ids.insert(ids.end(), unit.ids.begin(), unit.ids.end());
  return ids;
}

// Every prompt's ids are those of its pair by itself.
void ExpectWhole(const PromptBuilder& builder, std::span<const PairText> pairs, const EncodedPairs& encoded) {
  ASSERT_EQ(encoded.prompts.size(), pairs.size());
  for (const PromptUnit& prompt : encoded.prompts) {
    const PairText& pair = pairs[prompt.pair];
    const EncodedQuery query = *builder.EncodeQuery(pair.instruction, pair.query, pair.max_length);
    std::vector<TokenId> ids = query.prefix_ids;
    const auto tail = builder.EncodeDocument(query, pair.document).tail_ids;
    ids.insert(ids.end(), tail.begin(), tail.end());
    EXPECT_EQ(IdsOf(encoded, prompt), ids) << prompt.pair;
    EXPECT_EQ(prompt.tokens, static_cast<int>(ids.size()));
  }
}

class PromptUnitsTest : public testing::Test {
 protected:
  Result<EncodedPairs> Encode(const PromptBuilder& builder, std::span<const PairText> pairs,
                              const ScoreOptions& options = {}) {
    return EncodePairs(builder, pairs, options, 4096, &pool_);
  }

  ThreadPool pool_{2};
  PromptBuilder official_ = Builder(*FindBuiltInProfile("qwen3-reranker"));
};

TEST_F(PromptUnitsTest, PairsOfOneQueryShareItWhereverTheyStand) {
  const PairText pairs[] = {{{}, "first query", "a"},
                            {{}, "second", "b"},
                            {{}, "first query", "c"},
                            {"other", "second", "b"},
                            {{}, "second", "b", 512}};
  const auto encoded = Encode(official_, pairs);
  ASSERT_TRUE(encoded.ok()) << encoded.status().message();
  ASSERT_EQ(encoded->prefixes.size(), 4u);
  EXPECT_EQ(encoded->units[0].prefix, encoded->units[1].prefix);
  EXPECT_GT(encoded->prefixes[0].shared_tokens, 30u);
  EXPECT_EQ(encoded->duplicates, 0);
  for (const PromptUnit& prompt : encoded->prompts) {
    const PairText& pair = pairs[prompt.pair];
    const EncodedQuery query = *official_.EncodeQuery(pair.instruction, pair.query, pair.max_length);
    std::vector<TokenId> ids = query.prefix_ids;
    const auto tail = official_.EncodeDocument(query, pair.document).tail_ids;
    ids.insert(ids.end(), tail.begin(), tail.end());
    EXPECT_EQ(IdsOf(*encoded, prompt), ids);
  }
}

TEST_F(PromptUnitsTest, IdenticalPromptsAreOneUnit) {
  const PairText pairs[] = {
      {{}, "q", "same"}, {{}, "q", "other"}, {{}, "q", "same"}, {{}, "p", "same"}, {{}, "q", "same"}};
  const auto encoded = Encode(official_, pairs);
  ASSERT_TRUE(encoded.ok());
  EXPECT_EQ(encoded->units.size(), 3u);
  EXPECT_EQ(encoded->duplicates, 2);
  ExpectWhole(official_, pairs, *encoded);
}

TEST_F(PromptUnitsTest, WithoutASplitTheCommonBeginningOfIdsIsShared) {
  const std::string long_query =
      "a query with enough words in it to be worth sharing between all of the documents, surely";
  for (const char* content :
       {"{query}\n{document}", "{query}{document}", "{document} {query}", "{query} / {document}!"}) {
    const PromptBuilder builder = Builder(Profile(content));
    const PairText pairs[] = {
        {{}, long_query, "alpha"}, {{}, long_query, "beta"}, {{}, long_query, ""}, {{}, "x", "beta"}};
    const auto encoded = Encode(builder, pairs);
    ASSERT_TRUE(encoded.ok()) << encoded.status().message();
    ExpectWhole(builder, pairs, *encoded);
    for (const JobUnit& unit : encoded->units) EXPECT_FALSE(unit.ids.empty());
  }
  const PromptBuilder raw = Builder(*FindBuiltInProfile("raw"));
  const PairText pairs[] = {{{}, long_query, "alpha"}, {{}, long_query, "beta"}};
  EXPECT_EQ(Encode(raw, pairs)->prefixes.size(), 1u);
}

TEST_F(PromptUnitsTest, APromptWithoutTokensIsAnError) {
  const PairText pairs[] = {{{}, "", ""}};
  const auto encoded = Encode(Builder(Profile("{query}{document}")), pairs);
  EXPECT_EQ(encoded.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PromptUnitsTest, AQueryThatLeavesNoRoomIsAnErrorUnlessItMayBeCut) {
  const std::string query(4000, 'q');
  const PairText pairs[] = {{{}, query, "document"}, {{}, query, "another"}};
  ScoreOptions options;
  options.max_length = 128;
  const auto refused = Encode(official_, pairs, options);
  ASSERT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("max_length 128"), std::string::npos) << refused.status().message();
  options.truncate_query = true;
  const auto cut = Encode(official_, pairs, options);
  ASSERT_TRUE(cut.ok()) << cut.status().message();
  EXPECT_TRUE(cut->query_truncated);
  for (const PromptUnit& prompt : cut->prompts) EXPECT_LE(prompt.tokens, 128);
  // A profile without a suffix: nothing follows the query at all.
  ScoringProfile bare = *FindBuiltInProfile("qwen3-reranker");
  bare.suffix = "";
  const auto nothing = Encode(Builder(bare), pairs, options);
  ASSERT_TRUE(nothing.ok()) << nothing.status().message();
  for (const JobUnit& unit : nothing->units) EXPECT_FALSE(unit.ids.empty());
}

TEST_F(PromptUnitsTest, WindowsFitAndCoverTheDocument) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "Sentence " + std::to_string(i) + " is about something else. ";
  ScoreOptions options;
  options.windows = WindowMode::kAuto;
  options.max_length = 256;
  const PairText pairs[] = {{{}, "q", text}, {{}, "q", "short"}};
  const auto encoded = Encode(official_, pairs, options);
  ASSERT_TRUE(encoded.ok());
  EXPECT_GT(encoded->windows[0], 5);
  EXPECT_EQ(encoded->windows[1], 1);
  EXPECT_EQ(encoded->truncated_tokens[0], 0);
  std::size_t covered = 0;
  for (const PromptUnit& prompt : encoded->prompts) {
    EXPECT_LE(prompt.tokens, 256);
    if (prompt.pair > 0) continue;
    EXPECT_LE(prompt.window.start_byte, covered);
    covered = prompt.window.end_byte;
  }
  EXPECT_EQ(covered, text.size());

  options.max_tokens_per_doc = 500;
  const auto limited = Encode(official_, pairs, options);
  ASSERT_TRUE(limited.ok());
  EXPECT_LT(limited->windows[0], encoded->windows[0]);
  EXPECT_GT(limited->truncated_tokens[0], 1000);
  options.max_tokens_per_doc = 0;
  options.window_tokens = 32;
  options.overlap_tokens = 8;
  const auto small = Encode(official_, pairs, options);
  ASSERT_TRUE(small.ok());
  EXPECT_GT(small->windows[0], 50);
}

TEST_F(PromptUnitsTest, OptionsOutOfRangeAreNamed) {
  const PairText pairs[] = {{{}, "q", "d"}};
  const auto expect = [&](const char* name, auto set) {
    ScoreOptions options;
    set(options);
    const auto encoded = Encode(official_, pairs, options);
    ASSERT_EQ(encoded.status().code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(encoded.status().message().find(name), std::string::npos) << encoded.status().message();
  };
  expect("max_length", [](ScoreOptions& o) { o.max_length = 100000; });
  expect("max_length", [](ScoreOptions& o) { o.max_length = -1; });
  expect("max_length", [](ScoreOptions& o) { o.max_length = 10; });
  expect("max_tokens_per_doc", [](ScoreOptions& o) { o.max_tokens_per_doc = -5; });
  expect("window_tokens", [](ScoreOptions& o) { o.window_tokens = 3; });
  expect("overlap_tokens", [](ScoreOptions& o) { o.overlap_tokens = -2; });
}

}  // namespace
}  // namespace tamis
