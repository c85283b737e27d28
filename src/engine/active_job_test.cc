#include "engine/active_job.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

Job TwoQueries() {
  Job job;
  job.prefixes = {{{1, 2, 3}, 2}, {{1, 2, 4}, 2}};
  job.units = {{{10}, 0}, {{11, 12}, 0}, {{13}, 1}, {{14}, -1}};
  return job;
}

TEST(ActiveJob, CountsWhatWaits) {
  PrefixCache cache(0);
  ActiveJob job(1, TwoQueries(), CostModel{}, true);
  job.Admit(&cache);
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(job.waiting_tokens, 5);
  EXPECT_EQ(job.request().units.size(), 4u);
  EXPECT_EQ(job.prefix_of(0)->waiting_units, 2);
  EXPECT_EQ(job.prefix_of(0)->parent->waiting_units, 3);
  EXPECT_EQ(job.prefix_of(3), nullptr);
}

TEST(ActiveJob, TakesUnitsFromTheMiddleAndKeepsTheOthersInOrder) {
  PrefixCache cache(0);
  ActiveJob job(1, TwoQueries(), CostModel{}, true);
  job.Admit(&cache);
  const PlannedUnit planned[] = {{0, 0}, {0, 2}};
  EXPECT_EQ(job.Take(planned), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(job.waiting_tokens, 3);
  EXPECT_EQ(job.waiting_cost, 3);
  job.ReleasePrefixes();
  EXPECT_EQ(job.prefix_of(2), nullptr) << "nobody waits for the second query";
  ASSERT_NE(job.prefix_of(1), nullptr);
  EXPECT_EQ(job.prefix_of(1)->waiting_units, 1);
  const PlannedUnit rest[] = {{0, 0}, {0, 1}};
  EXPECT_EQ(job.Take(rest), (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(job.request().units.empty());
  EXPECT_EQ(job.waiting_cost, 0);
}

TEST(ActiveJob, LeavesNothingWaitingWhenItGoes) {
  PrefixCache cache(0);
  const auto instruction = cache.Get(nullptr, std::vector<TokenId>{1, 2});
  {
    ActiveJob job(1, TwoQueries(), CostModel{}, true);
    job.Admit(&cache);
    EXPECT_EQ(instruction->waiting_units, 3);
  }
  EXPECT_EQ(instruction->waiting_units, 0);
  cache.Trim();
  EXPECT_EQ(cache.size(), 1u);
}

TEST(ActiveJob, WithoutSharingUnitsAreWholePrompts) {
  PrefixCache cache(0);
  ActiveJob job(1, TwoQueries(), CostModel{}, false);
  job.Admit(&cache);
  EXPECT_EQ(job.job.units[1].ids, (std::vector<TokenId>{1, 2, 3, 11, 12}));
  EXPECT_EQ(job.prefix_of(1), nullptr);
  EXPECT_EQ(job.waiting_tokens, 4 + 5 + 4 + 1);
}

TEST(ActiveJob, LongUnitsCostMoreThanTheirTokens) {
  CostModel cost{1.0 / 4000};
  EXPECT_EQ(cost.Cost(100, 0), 101);
  EXPECT_EQ(cost.Cost(8000, 0), 16000);
  EXPECT_EQ(cost.Cost(100, 4000), 201);
}

}  // namespace
}  // namespace tamis
