#include "engine/score_collector.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Document 0 has windows in units 0 and 1, document 1 is a duplicate of unit 1, document 2 is unit 2.
EncodedPairs Encoded() {
  EncodedPairs encoded;
  encoded.prompts = {{0, 0, 10, {0, 5}}, {0, 1, 20, {4, 9}}, {1, 1, 20, {0, 5}}, {2, 2, 7, {0, 3}}};
  encoded.windows = {2, 1, 1};
  encoded.truncated_tokens = {0, 0, 4};
  return encoded;
}

TEST(ScoreCollector, ADocumentIsDoneWithItsLastPrompt) {
  const EncodedPairs encoded = Encoded();
  ScoreCollector collector(encoded, 3);
  EXPECT_EQ(collector.Add(2, {-1, 0}), 1u);
  EXPECT_EQ(collector.Add(1, {3, 1}), 2u);
  EXPECT_EQ(collector.Add(0, {1, 0}), 3u);
  const auto scores = collector.Scores(Activation::kNone);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].score, 2);
  EXPECT_EQ(scores[0].tokens, 30);
  ASSERT_TRUE(scores[0].window);
  EXPECT_EQ(scores[0].window->start_byte, 4u) << "the best window's";
  EXPECT_EQ(scores[1].margin, 2);
  EXPECT_FALSE(scores[1].window);
  EXPECT_EQ(scores[2].truncated_tokens, 4);
  EXPECT_FLOAT_EQ(collector.Scores(Activation::kSigmoid)[2].score, 0.268941421f);
}

TEST(RankScores, BestFirstThenByIndex) {
  std::vector<DocumentScore> scores(5);
  const float margins[] = {1, 3, 2, 3, 30};
  for (std::size_t i = 0; i < 5; ++i) {
    scores[i].index = i;
    scores[i].margin = margins[i];
    scores[i].score = static_cast<float>(ApplyActivation(Activation::kSigmoid, static_cast<double>(margins[i])));
  }
  const auto ranked = [&](int top_n, std::optional<float> min_score) {
    auto copy = scores;
    RankScores(&copy, top_n, min_score);
    std::vector<std::size_t> order;
    for (const DocumentScore& score : copy) order.push_back(score.index);
    return order;
  };
  EXPECT_EQ(ranked(0, {}), (std::vector<std::size_t>{4, 1, 3, 2, 0}));
  EXPECT_EQ(ranked(2, {}), (std::vector<std::size_t>{4, 1}));
  EXPECT_EQ(ranked(100, {}).size(), 5u);
  EXPECT_EQ(ranked(0, 0.9f), (std::vector<std::size_t>{4, 1, 3}));
  EXPECT_TRUE(ranked(0, 2.0f).empty());
}

}  // namespace
}  // namespace tamis
