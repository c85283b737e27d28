#include "json_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>
#include <random>

namespace tamis::app {
namespace {

TEST(JsonTextTest, SaysWhereTextIsNotJson) {
  const std::string message = ParseJson(R"({"a": 1,, "b": 2})", "f.jsonl:3").status().message();
  EXPECT_TRUE(message.starts_with("f.jsonl:3: column 9: not JSON: ")) << message;
  EXPECT_NE(ParseJson(R"({"a": 1} x)", "f").status().message().find("column 10: more text after"), std::string::npos);
  EXPECT_FALSE(ParseJson("", "f").ok());
  EXPECT_FALSE(ParseJson(R"({"a": "open)", "f").ok());
  EXPECT_TRUE(ParseJson(" [1] \n", "f").ok());
}

TEST(JsonTextTest, LoneSurrogatesAreRefused) {
  EXPECT_FALSE(ParseJson(R"({"text": "\ud800"})", "f").ok());
  EXPECT_FALSE(ParseJson(R"({"text": "\ud800\u0041"})", "f").ok());
  EXPECT_FALSE(ParseJson(R"({"text": "\udc00"})", "f").ok());
  EXPECT_TRUE(ParseJson(R"({"text": "\ud83d\ude00"})", "f").ok());
}

TEST(JsonTextTest, DepthIsLimited) {
  EXPECT_TRUE(ParseJson(std::string(500, '[') + std::string(500, ']'), "f").ok());
  EXPECT_FALSE(ParseJson(std::string(100'000, '['), "f").ok());
}

TEST(JsonTextTest, FieldsByKind) {
  const auto object =
      ParseJsonObject(R"({"s": "x", "n": 3, "z": null, "neg": -1, "f": 1.5, "big": 99999999999})", "f:1");
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(*RequiredString(*object, "s", "f:1"), "x");
  EXPECT_EQ(RequiredString(*object, "n", "f:1").status().message(), "f:1: \"n\" is int64; a string is expected");
  EXPECT_EQ(RequiredString(*object, "none", "f:1").status().message(), "f:1: there is no field \"none\"");
  EXPECT_FALSE(StringField(*object, "z", "f:1")->has_value());
  EXPECT_EQ(*CountField(*object, "n", "f:1"), 3);
  EXPECT_EQ(*CountField(*object, "z", "f:1"), 0);
  for (const char* field : {"neg", "f", "big", "s"}) EXPECT_FALSE(CountField(*object, field, "f:1").ok()) << field;
  EXPECT_EQ(ParseJsonObject("[1]", "f:1").status().message(), "f:1: a JSON object is expected, found array");
}

TEST(JsonTextTest, NumbersReadBackAsTheyWere) {
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const auto value = std::bit_cast<float>(bits);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtof(NumberText(value).c_str(), nullptr), value) << NumberText(value);
  }
  EXPECT_EQ(NumberText(1.0f), "1.0");
  EXPECT_EQ(NumberText(0.0f), "0.0");
  EXPECT_EQ(NumberText(0.1f), "0.1");
  EXPECT_TRUE(ParseJson(NumberText(std::numeric_limits<float>::min()), "f").ok());
  EXPECT_TRUE(ParseJson(NumberText(std::numeric_limits<float>::max()), "f").ok());
}

TEST(JsonTextTest, QuotedText) {
  EXPECT_EQ(QuotedText("a\"\\\n\x01 é"), "\"a\\\"\\\\\\n\\u0001 é\"");
  EXPECT_EQ(QuotedText("\xFF"), "\"\uFFFD\"");
}

}  // namespace
}  // namespace tamis::app
