#include <gtest/gtest.h>

#include "text/profile.h"

namespace tamis {
namespace {

TEST(ProfileJson, AWholeProfile) {
  const auto p = ParseProfile(R"({
    "name": "mine", "prefix": "<|im_start|>", "content": "{query} ? {document}", "suffix": "<|im_end|>",
    "default_instruction": "find",
    "head": {"type": "label", "label": 87416, "output": "log_probability"}, "activation": "exp",
    "truncation_side": "left"})",
                              "p.json");
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(p->name, "mine");
  EXPECT_EQ(p->prefix, "<|im_start|>");
  EXPECT_EQ(p->suffix, "<|im_end|>");
  EXPECT_EQ(p->head.kind, HeadKind::kLabel);
  EXPECT_EQ(p->head.positive.id, 87416);
  EXPECT_EQ(p->head.output, LabelOutput::kLogProbability);
  EXPECT_EQ(p->activation, Activation::kExp);
  EXPECT_EQ(p->truncation_side, TruncationSide::kLeft);
}

TEST(ProfileJson, ABaseFillsInTheRest) {
  const auto p = ParseProfile(R"({"name": "zh", "base": "qwen3-reranker", "default_instruction": "",
    "head": {"type": "label_pair", "negative": "No", "positive": "Yes", "first_token": true}})",
                              "p.json");
  ASSERT_TRUE(p.ok()) << p.status().message();
  const ScoringProfile& base = *FindBuiltInProfile("qwen3-reranker");
  EXPECT_EQ(p->prefix, base.prefix);
  EXPECT_EQ(p->content, base.content);
  EXPECT_EQ(p->default_instruction, "");
  EXPECT_EQ(p->head.positive.text, "Yes");
  EXPECT_TRUE(p->head.negative.first_token);
  EXPECT_EQ(p->activation, Activation::kSigmoid);
}

TEST(ProfileJson, FaultsNameTheField) {
  const auto fault = [](std::string_view json) {
    const auto p = ParseProfile(json, "p.json");
    EXPECT_FALSE(p.ok()) << json;
    EXPECT_TRUE(p.status().message().starts_with("p.json: "));
    return p.status().message();
  };
  const auto expect = [&](std::string_view fields, std::string_view part) {
    const std::string message = fault("{\"name\": \"n\", \"base\": \"qwen3-reranker\", " + std::string(fields) + "}");
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  fault("");
  fault("[]");
  fault("{");
  fault(std::string(100000, '['));
  EXPECT_NE(fault("{\"name\": \"n\"}").find("head: found nothing"), std::string::npos);
  EXPECT_NE(fault("{\"base\": \"raw\"}").find("name: found nothing"), std::string::npos);
  EXPECT_NE(fault("{\"base\": \"nope\"}").find("expected one of qwen3-reranker"), std::string::npos);
  expect("\"prefx\": \"\"", "prefx: found a field");
  expect("\"suffix\": 3", "suffix: found 3, expected a string");
  expect("\"content\": \"{query}\"", "content: found {document} 0 times, expected once");
  expect("\"content\": \"{query} {document} {document}\"", "{document} 2 times");
  expect("\"content\": \"{instruction}{instruction}{query} {document}\"", "at most once");
  expect("\"prefix\": \"{query}\"", "prefix: found {query}");
  expect("\"head\": {\"type\": \"pair\"}", "head.type: found \"pair\"");
  expect("\"head\": {\"type\": \"label_pair\", \"positive\": \"a\"}", "head.negative: found nothing");
  expect("\"head\": {\"type\": \"label\", \"label\": -1}", "head.label: found -1");
  expect("\"head\": {\"type\": \"score\", \"label\": 1}", "head.label: found a field");
  expect("\"head\": {\"type\": \"label\", \"label\": \"a\", \"output\": \"p\"}", "head.output: found \"p\"");
  expect("\"activation\": \"exp\"", "activation: found \"exp\"");
  expect("\"activation\": \"tanh\"", "expected \"sigmoid\" or \"none\" or \"exp\"");
  expect("\"head\": {\"type\": \"label\", \"label\": \"a\", \"output\": \"log_probability\"}", "activation: found");
  expect("\"truncation_side\": \"middle\"", "truncation_side: found \"middle\"");
}

}  // namespace
}  // namespace tamis
