#include "bench_runs.h"

#include <gtest/gtest.h>

namespace tamis::app {
namespace {

TEST(BenchRunsTest, Quantiles) {
  BenchSamples samples;
  samples.seconds = {4};
  EXPECT_DOUBLE_EQ(samples.Quantile(0.95), 4);
  samples.seconds = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(samples.Quantile(0), 1);
  EXPECT_DOUBLE_EQ(samples.Quantile(0.5), 2.5);
  EXPECT_DOUBLE_EQ(samples.Quantile(1), 4);
}

TEST(BenchRunsTest, CountsWhatIsComputed) {
  ModelOptions options;
  options.threads = 1;
  options.prefix_cache_bytes = 0;
  const auto reranker = Reranker::Load(options);
  ASSERT_TRUE(reranker.ok());
  const auto plan = MakePlan(**reranker, "w2", 0, 2);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const auto runs = RunPlan(**reranker, *plan);
  ASSERT_TRUE(runs.ok()) << runs.status().message();
  EXPECT_EQ(runs->main.seconds.size(), 2u);
  EXPECT_EQ(runs->main.prompt_tokens, 2 * 4637);
  EXPECT_EQ(runs->main.computed_tokens, 2 * 3953);
  EXPECT_EQ(runs->main.margins.size(), 10u);
}

TEST(BenchRunsTest, WorkloadsAboutKnownPrefixes) {
  EXPECT_TRUE(KeepsPrefixes("w0"));
  EXPECT_TRUE(KeepsPrefixes("w4"));
  EXPECT_FALSE(KeepsPrefixes("w1"));
}

}  // namespace
}  // namespace tamis::app
