#include "text/json_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace tamis {
namespace {

TEST(JsonReader, ReadsMembersStringsAndIntegers) {
  const std::string_view json =
      R"( { "a" : 1 , "b\u0041\ud83d\ude00\n": -22, "skip": [1, {"x": "]\"}"}, null], "last": "\u00e9" } )";
  JsonReader reader(json, "f.json");
  std::string scratch, other;
  std::vector<std::string> seen;
  EXPECT_TRUE(reader.ForEachMember(&scratch, [&](std::string_view key) {
    seen.emplace_back(key);
    std::int64_t number = 0;
    std::string_view text;
    if (key == "skip") {
      const bool ok = reader.SkipValue(&text);
      EXPECT_EQ(text, R"([1, {"x": "]\"}"}, null])");
      return ok;
    }
    if (key == "last") {
      const bool ok = (reader.Peek(), reader.ReadString(&text, &other));
      EXPECT_EQ(text, "\u00e9");
      return ok;
    }
    const bool ok = reader.ReadInteger(&number);
    EXPECT_EQ(number, seen.size() == 1 ? 1 : -22);
    return ok;
  }));
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "bA\U0001f600\n", "skip", "last"}));
}

std::string SkipFault(std::string_view json) {
  JsonReader reader(json, "f.json");
  std::string_view value;
  EXPECT_FALSE(reader.SkipValue(&value)) << json;
  return reader.status().message();
}

TEST(JsonReader, FaultsNameTheFileAndPlace) {
  EXPECT_EQ(SkipFault(""), "f.json: at byte 0: expected a value");
  EXPECT_NE(SkipFault("[1, 2").find("ends inside"), std::string::npos);
  EXPECT_NE(SkipFault("\"abc").find("ends inside a string"), std::string::npos);
  EXPECT_NE(SkipFault("\"abc\\").find("ends inside a string"), std::string::npos);
  EXPECT_NE(SkipFault(std::string(100000, '[')).find("levels of nesting"), std::string::npos);
}

TEST(JsonReader, BadStringsAndNumbersAreRefused) {
  for (const std::string_view bad : {"\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\u12g4\"", "\"\\u12",
                                     "\"\\x\"", "\"a\nb\"", "\"", "abc"}) {
    JsonReader reader(bad, "f");
    std::string_view value;
    std::string scratch;
    EXPECT_FALSE(reader.ReadString(&value, &scratch)) << bad;
    EXPECT_FALSE(reader.ok());
  }
  for (const std::string_view bad : {"", "-", "1.5", "1e3", "99999999999999999999", "x", "\"1\""}) {
    JsonReader reader(bad, "f");
    std::int64_t value = 0;
    EXPECT_FALSE(reader.ReadInteger(&value)) << bad;
  }
}

}  // namespace
}  // namespace tamis
