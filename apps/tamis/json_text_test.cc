#include "json_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <limits>

namespace tamis::app {
namespace {

TEST(JsonText, ParsesOneValueAndSaysWhereItFails) {
  EXPECT_TRUE(ParseJson("\xEF\xBB\xBF{\"a\": 1} \r\n", "f:1").ok());
  const auto open = ParseJson("{\"a\": ", "f:3");
  ASSERT_FALSE(open.ok());
  EXPECT_NE(open.status().message().find("f:3: column"), std::string::npos) << open.status().message();
  const auto more = ParseJson("{} x", "f:4");
  ASSERT_FALSE(more.ok());
  EXPECT_NE(more.status().message().find("f:4: column"), std::string::npos) << more.status().message();
}

TEST(JsonText, FieldsAreCheckedByName) {
  const boost::json::object object = {{"text", "x"}, {"number", 5}, {"none", nullptr}};
  EXPECT_EQ(*RequiredString(object, "text", "f"), "x");
  EXPECT_FALSE((*StringField(object, "none", "f")).has_value());
  EXPECT_EQ(StringField(object, "number", "f").status().message(), "f: \"number\" is int64; a string is expected");
  EXPECT_EQ(RequiredString(object, "body", "f").status().message(), "f: there is no field \"body\"");
  EXPECT_EQ(*CountField(object, "number", "f"), 5);
  EXPECT_EQ(*CountField(object, "absent", "f"), 0);
  EXPECT_FALSE(CountField({{"n", -1}}, "n", "f").ok());
}

TEST(JsonText, NumbersReadBackAsTheyWere) {
  for (float value : {0.1f, 1.0f / 3.0f, 1e-30f, 123456.789f, -2.5f, 0.0f, std::numeric_limits<float>::denorm_min()}) {
    EXPECT_EQ(std::strtof(NumberText(value).c_str(), nullptr), value) << NumberText(value);
  }
}

TEST(JsonText, QuotesRepairBadBytes) {
  EXPECT_EQ(QuotedText("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(QuotedText("\xff"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace tamis::app
