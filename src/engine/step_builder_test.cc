#include "engine/step_builder.h"

#include <gtest/gtest.h>

#include "engine/fake_backend.h"

namespace tamis {
namespace {

using Ids = std::vector<TokenId>;

class StepBuilderTest : public testing::Test {
 protected:
  std::vector<SegmentResult> Run(const StepBuilder& builder) {
    test::FakeBackend backend(std::make_shared<test::FakeLog>());
    StepControl control;
    auto results = backend.Run(builder.segments(), &control);
    EXPECT_TRUE(results.ok());
    return *results;
  }

  PrefixCache cache_{1000};
};

TEST_F(StepBuilderTest, EachSharedBeginningIsComputedOnce) {
  const auto instruction = cache_.Get(nullptr, Ids{1, 2, 3});
  const auto query = cache_.Get(instruction, Ids{4, 5});
  const auto other = cache_.Get(instruction, Ids{6});
  const Ids tail = {7}, tail2 = {8, 9};
  StepBuilder builder(&cache_);
  EXPECT_EQ(builder.Add(query.get(), tail), 6u);
  EXPECT_EQ(builder.Add(query.get(), tail2), 2u);
  EXPECT_EQ(builder.Add(other.get(), tail), 2u);
  EXPECT_EQ(builder.Add(nullptr, tail), 1u);
  EXPECT_EQ(builder.segments().size(), 7u);
  EXPECT_EQ(builder.computed(), 3);
  const auto results = Run(builder);
  const Ids prompts[] = {{1, 2, 3, 4, 5, 7}, {1, 2, 3, 4, 5, 8, 9}, {1, 2, 3, 6, 7}, {7}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[builder.unit_segment(i)].logits.margin(), test::FakeMargin(prompts[i])) << i;
  }
}

TEST_F(StepBuilderTest, StatesAreStoredWhereWantedAndUsedNextTime) {
  const auto instruction = cache_.Get(nullptr, Ids{1, 2, 3});
  const auto query = cache_.Get(instruction, Ids{4, 5});
  const auto other = cache_.Get(instruction, Ids{6});
  instruction->waiting_units = query->waiting_units = 1;
  const Ids tail = {7};
  StepBuilder first(&cache_);
  first.Add(query.get(), tail);
  first.Add(other.get(), tail);
  first.Store(Run(first));
  EXPECT_NE(instruction->state, nullptr);
  EXPECT_NE(query->state, nullptr);
  EXPECT_EQ(other->state, nullptr) << "nobody waits for it";
  StepBuilder second(&cache_);
  EXPECT_EQ(second.Add(query.get(), tail), 1u);
  EXPECT_EQ(second.Add(other.get(), tail), 2u);
  EXPECT_EQ(second.reused(), 2);
  const auto results = Run(second);
  EXPECT_EQ(results[second.unit_segment(0)].logits.margin(), test::FakeMargin(Ids{1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(results[second.unit_segment(1)].logits.margin(), test::FakeMargin(Ids{1, 2, 3, 6, 7}));
}

}  // namespace
}  // namespace tamis
