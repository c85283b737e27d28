#include "eval/ranking_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tamis::eval {
namespace {

using Grades = std::vector<double>;

// Linear gain by trec_eval; exponential gain with numpy by the definition.
TEST(Ndcg, GradedRelevance) {
  const Grades ranking = {3, 2, 3, 0, 1, 2};
  const Grades judged = {3, 3, 3, 2, 2, 2, 1, 0};
  EXPECT_NEAR(Ndcg(ranking, judged, 3), 0.901306029678045, 1e-12);
  EXPECT_NEAR(Ndcg(ranking, judged, 5), 0.76592286264237, 1e-12);
  EXPECT_NEAR(Ndcg(ranking, judged, 6), 0.785002371969948, 1e-12);
  EXPECT_NEAR(NdcgExponential(ranking, judged, 3), 0.8308103365909342, 1e-12);
  EXPECT_NEAR(NdcgExponential(ranking, judged, 6), 0.7510833867922446, 1e-12);
}

// The constants were computed with trec_eval, through ir_measures 0.4.3.
TEST(RankingMetrics, AgreeWithTrecEval) {
  const Grades ranking = {0, 0, 2, 0, 1, 0, 0, 3};
  const Grades judged = {3, 2, 1, 1, 0, 0, 0, 0, 0, 2};
  EXPECT_NEAR(Ndcg(ranking, judged, 5), 0.228123720382349, 1e-12);
  EXPECT_NEAR(Ndcg(ranking, judged, 10), 0.38379637929808896, 1e-12);
  EXPECT_NEAR(AveragePrecision(ranking, judged, 0), 0.22166666666666668, 1e-12);
  EXPECT_NEAR(AveragePrecision(ranking, judged, 5), 0.14666666666666667, 1e-12);
  EXPECT_NEAR(ReciprocalRank(ranking, 10), 0.3333333333333333, 1e-12);
  EXPECT_NEAR(Recall(ranking, judged, 5), 0.4, 1e-12);
  EXPECT_NEAR(Precision(ranking, 5), 0.4, 1e-12);
  EXPECT_NEAR(Precision(ranking, 10), 0.3, 1e-12);
}

TEST(Ndcg, OneRelevantDocument) {
  EXPECT_DOUBLE_EQ(Ndcg(Grades{1, 0, 0}, Grades{1, 0, 0}, 10), 1.0);
  EXPECT_DOUBLE_EQ(Ndcg(Grades{0, 0, 1}, Grades{1, 0, 0}, 10), 0.5);
  EXPECT_DOUBLE_EQ(Ndcg(Grades{0, 0, 1}, Grades{1, 0, 0}, 2), 0.0);
  EXPECT_DOUBLE_EQ(Ndcg(Grades{0, 0, 1}, Grades{1, 0, 0}, 0), 0.5);
  EXPECT_DOUBLE_EQ(NdcgExponential(Grades{0, 1}, Grades{1, 0}, 10), Ndcg(Grades{0, 1}, Grades{1, 0}, 10));
}

TEST(Ndcg, NothingRelevantGivesZeroAndNegativeGradesCountAsNone) {
  EXPECT_EQ(Ndcg(Grades{0, 0}, Grades{0, 0}, 10), 0.0);
  EXPECT_EQ(Ndcg({}, {}, 10), 0.0);
  EXPECT_DOUBLE_EQ(Ndcg(Grades{-1, 1}, Grades{-1, 1}, 10), 1.0 / std::log2(3.0));
}

TEST(ReciprocalRank, IsOfTheFirstRelevant) {
  EXPECT_DOUBLE_EQ(ReciprocalRank(Grades{0, 0, 2, 1}, 10), 1.0 / 3.0);
  EXPECT_EQ(ReciprocalRank(Grades{0, 0, 2, 1}, 2), 0.0);
  EXPECT_EQ(ReciprocalRank({}, 10), 0.0);
}

TEST(AveragePrecision, CountsUnrankedRelevantDocuments) {
  // Found at ranks 1 and 3 of three relevant ones: (1/1 + 2/3) / 3.
  EXPECT_DOUBLE_EQ(AveragePrecision(Grades{1, 0, 1}, Grades{1, 0, 1, 1}, 0), (1.0 + 2.0 / 3.0) / 3.0);
  EXPECT_DOUBLE_EQ(AveragePrecision(Grades{1, 0, 1}, Grades{1, 0, 1, 1}, 1), 1.0 / 3.0);
  EXPECT_EQ(AveragePrecision(Grades{0}, Grades{0}, 0), 0.0);
}

TEST(RecallAndPrecision, FollowTheirDefinitions) {
  const Grades ranking = {1, 0, 2, 0};
  const Grades judged = {1, 0, 2, 0, 1, 1};
  EXPECT_DOUBLE_EQ(Recall(ranking, judged, 1), 0.25);
  EXPECT_DOUBLE_EQ(Recall(ranking, judged, 0), 0.5);
  EXPECT_DOUBLE_EQ(Precision(ranking, 2), 0.5);
  EXPECT_DOUBLE_EQ(Precision(ranking, 10), 0.2);
  EXPECT_DOUBLE_EQ(Precision(ranking, 0), 0.5);
  EXPECT_EQ(Precision({}, 0), 0.0);
}

}  // namespace
}  // namespace tamis::eval
