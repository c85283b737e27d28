#include "backend/cpu/step_plan.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"

namespace tamis::cpu {
namespace {

const PageShape kShape{2, 1, 64, 64, Precision::kInt8, kernels::PageBytesS8(64)};
const StepLimits kLimits{1000, 50, 7};

std::vector<TokenId> Ids(std::size_t n) { return std::vector<TokenId>(n, 3); }

TEST(StepPlan, LaysOutAChainAndItsChildren) {
  const auto prefix = Ids(76);
  const auto a = Ids(10);
  const auto b = Ids(100);
  const std::vector<Segment> segments = {
      {-1, nullptr, prefix, false, false}, {0, nullptr, a, true, false}, {0, nullptr, b, true, false}};
  const auto plan = PlanStep(segments, kShape, kLimits);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->rows, 186u);
  EXPECT_EQ(plan->positions, 176);
  EXPECT_EQ(plan->scored, (std::vector<int>{1, 2}));
  EXPECT_EQ(plan->segments[2].begin, 76);
  EXPECT_EQ(plan->segments[2].row_begin, 86u);
  EXPECT_EQ(plan->segments[2].first_page(), 1);
  EXPECT_EQ(plan->segments[2].page_end(), 3);
  EXPECT_EQ(plan->arena_pages, 2u + 1 + 2);
}

TEST(StepPlan, TableSharesFullPagesOnly) {
  const auto prefix = Ids(76);
  const auto a = Ids(10);
  const std::vector<Segment> segments = {
      {-1, nullptr, prefix, false, false}, {0, nullptr, a, true, false}, {0, nullptr, a, true, false}};
  const auto plan = PlanStep(segments, kShape, kLimits);
  ASSERT_TRUE(plan.ok());
  PageArena arena;
  arena.EnsurePages(kShape, plan->arena_pages);
  PageTable table;
  table.Build(*plan, kShape, 0, arena);
  EXPECT_EQ(table.pages(1, 0)[0], table.pages(0, 0)[0]);
  EXPECT_EQ(table.pages(2, 0)[0], table.pages(0, 0)[0]);
  EXPECT_NE(table.pages(1, 0)[1], table.pages(0, 0)[1]);
  EXPECT_NE(table.pages(1, 0)[1], table.pages(2, 0)[1]);
}

TEST(StepPlan, ContinuesFromAKeptState) {
  auto state = std::make_shared<CpuPrefixState>(kShape, nullptr, 0, 70, kLimits.owner);
  const auto a = Ids(10);
  const std::vector<Segment> segments = {{-1, state, a, true, true}};
  const auto plan = PlanStep(segments, kShape, kLimits);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->segments[0].begin, 70);
  EXPECT_EQ(plan->segments[0].state->tokens(), 80u);
  PageArena arena;
  PageTable table;
  table.Build(*plan, kShape, 1, arena);
  EXPECT_EQ(table.pages(0, 0)[0], state->Page(1, 0, 0));
  EXPECT_EQ(table.pages(0, 0)[1], plan->segments[0].state->Page(1, 1, 0));
}

void ExpectRefused(const std::vector<Segment>& segments, std::string_view part) {
  const auto plan = PlanStep(segments, kShape, kLimits);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(plan.status().message().find(part), std::string::npos) << plan.status().message();
}

TEST(StepPlan, RefusesWhatItCannotRun) {
  const auto a = Ids(10);
  const std::vector<TokenId> bad = {1, 50};
  const std::vector<TokenId> negative = {-1};
  const auto long_ids = Ids(1001);
  ExpectRefused({{-1, nullptr, {}, true, false}}, "no tokens");
  ExpectRefused({{0, nullptr, a, true, false}}, "parent 0");
  ExpectRefused({{-1, nullptr, bad, true, false}}, "token id 50 is outside the model's vocabulary of 50");
  ExpectRefused({{-1, nullptr, negative, true, false}}, "token id -1");
  ExpectRefused({{-1, nullptr, long_ids, true, false}}, "1001 tokens exceeds the model's limit of 1000");
  auto foreign = std::make_shared<CpuPrefixState>(kShape, nullptr, 0, 70, kLimits.owner + 1);
  ExpectRefused({{-1, foreign, a, true, false}}, "did not make it");
  ExpectRefused({{-1, nullptr, a, false, false}, {0, nullptr, a, true, true}}, "its parent is not");
}

}  // namespace
}  // namespace tamis::cpu
