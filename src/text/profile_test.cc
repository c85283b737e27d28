#include "text/profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "text/test_support.h"

namespace tamis {
namespace {

TEST(Profile, TheDefaultIsTheOfficialRecipe) {
  const auto constants = test::ReadJson(test::Golden("prompt_constants.json"));
  const ScoringProfile& p = BuiltInProfiles().front();
  EXPECT_EQ(p.name, "qwen3-reranker");
  EXPECT_EQ(p.prefix, test::Text(constants.at("prefix")));
  EXPECT_EQ(p.suffix, test::Text(constants.at("suffix")));
  EXPECT_EQ(p.default_instruction, test::Text(constants.at("default_instruction")));
}

TEST(Profile, BuiltInsAreFoundByName) {
  for (const char* name : {"qwen3-reranker", "qwen3-seq-cls", "label-token", "raw"}) {
    ASSERT_NE(FindBuiltInProfile(name), nullptr) << name;
    EXPECT_EQ(FindBuiltInProfile(name)->name, name);
  }
  EXPECT_EQ(FindBuiltInProfile("qwen"), nullptr);
  EXPECT_EQ(FindBuiltInProfile("qwen3-seq-cls")->head.kind, HeadKind::kScore);
  EXPECT_TRUE(FindBuiltInProfile("raw")->prefix.empty());
}

TEST(Profile, ActivationsStayInRange) {
  EXPECT_EQ(ApplyActivation(Activation::kSigmoid, 0), 0.5);
  EXPECT_EQ(ApplyActivation(Activation::kSigmoid, 1e6), 1);
  EXPECT_EQ(ApplyActivation(Activation::kSigmoid, -1e6), 0);
  EXPECT_NEAR(ApplyActivation(Activation::kSigmoid, -3), 0.0474258732, 1e-9);
  EXPECT_EQ(ApplyActivation(Activation::kNone, -3.5), -3.5);
  EXPECT_NEAR(ApplyActivation(Activation::kExp, std::log(0.25)), 0.25, 1e-12);
  EXPECT_EQ(ApplyActivation(Activation::kExp, 1e-9), 1);  // rounding may lift a log-probability above 0
  EXPECT_TRUE(std::isnan(ApplyActivation(Activation::kExp, NAN)));
}

}  // namespace
}  // namespace tamis
