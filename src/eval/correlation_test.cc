#include "eval/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tamis::eval {
namespace {

using Values = std::vector<double>;

const Values kA = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
const Values kB = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4};

// The constants were computed with scipy.stats (pearsonr, spearmanr, kendalltau).
TEST(Correlation, AgreesWithScipyOnTies) {
  EXPECT_NEAR(Pearson(kA, kB), 0.09422924859889797, 1e-12);
  EXPECT_NEAR(Spearman(kA, kB), 0.1384567651467695, 1e-12);
  EXPECT_NEAR(Kendall(kA, kB), 0.14757295747452434, 1e-12);
}

TEST(Correlation, PerfectAndReversed) {
  const Values up = {1, 2, 3, 4};
  const Values curve = {1, 4, 9, 16};
  const Values down = {4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(Spearman(up, curve), 1.0);
  EXPECT_DOUBLE_EQ(Kendall(up, curve), 1.0);
  EXPECT_LT(Pearson(up, curve), 1.0);
  EXPECT_DOUBLE_EQ(Spearman(up, down), -1.0);
  EXPECT_DOUBLE_EQ(Kendall(up, down), -1.0);
}

TEST(Correlation, NoSpreadGivesNone) {
  const Values flat = {2, 2, 2};
  const Values up = {1, 2, 3};
  EXPECT_TRUE(std::isnan(Pearson(flat, up)));
  EXPECT_TRUE(std::isnan(Spearman(flat, up)));
  EXPECT_TRUE(std::isnan(Kendall(flat, up)));
  EXPECT_TRUE(std::isnan(Kendall(Values{1}, Values{1})));
  EXPECT_TRUE(std::isnan(Pearson({}, {})));
}

double KendallByPairs(const Values& a, const Values& b) {
  double difference = 0;
  double free_a = 0;
  double free_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const double x = a[i] == a[j] ? 0 : a[i] < a[j] ? 1 : -1;
      const double y = b[i] == b[j] ? 0 : b[i] < b[j] ? 1 : -1;
      difference += x * y;
      free_a += x * x;
      free_b += y * y;
    }
  }
  return difference / std::sqrt(free_a * free_b);
}

TEST(Correlation, KendallEqualsCountingAllPairs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Values a(3 + random() % 60);
    Values b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(random() % 10) + static_cast<double>(i == 0);
      b[i] = static_cast<double>(random() % 10) - static_cast<double>(i == 0);
    }
    const double want = KendallByPairs(a, b);
    if (std::isnan(want)) continue;
    EXPECT_NEAR(Kendall(a, b), want, 1e-12) << "seed " << seed;
  }
}

TEST(OverlapAtK, CountsCommonPlaces) {
  EXPECT_DOUBLE_EQ(OverlapAtK(Values{9, 8, 7, 1}, Values{9, 1, 8, 2}, 2), 0.5);
  EXPECT_DOUBLE_EQ(OverlapAtK(Values{9, 8, 7, 1}, Values{9, 1, 8, 2}, 100), 1.0);
  EXPECT_DOUBLE_EQ(OverlapAtK(Values{1, 1, 1}, Values{1, 1, 1}, 1), 1.0);
  EXPECT_DOUBLE_EQ(OverlapAtK({}, {}, 5), 1.0);
}

}  // namespace
}  // namespace tamis::eval
