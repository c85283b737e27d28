#include "raw_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace tamis::app {
namespace {

std::string Joined(const RawFields& fields) {
  std::string out;
  for (const RawField& field : fields) out += field.name + "=" + field.value + ";";
  return out;
}

TEST(RawJsonTest, KeepsNumbersAndOrderAsWritten) {
  EXPECT_EQ(Joined(SplitObject(R"( {"b":1.10,"a":-0.0, "c" : 12345678901234567890123, "d":1E+2} )")),
            "b=1.10;a=-0.0;c=12345678901234567890123;d=1E+2;");
}

TEST(RawJsonTest, StringsMayHoldAnything) {
  EXPECT_EQ(Joined(SplitObject(R"({"a":"x, \"y\" } ]: \\","b\u0041":"\u00e9","":null})")),
            R"(a="x, \"y\" } ]: \\";bA="\u00e9";=null;)");
}

TEST(RawJsonTest, NestedValuesComeOnOneLine) {
  EXPECT_EQ(Joined(SplitObject("{\n  \"a\": {\"x\": [1, 2,\r\n 3],\t\"y\": \"a  b\"},\n  \"b\": [ ]\n}")),
            R"(a={"x":[1,2,3],"y":"a  b"};b=[];)");
}

TEST(RawJsonTest, LastOfARepeatedName) { EXPECT_EQ(Joined(SplitObject(R"({"a":1,"b":2,"\u0061":3})")), "a=3;b=2;"); }

TEST(RawJsonTest, Empty) {
  EXPECT_TRUE(SplitObject("{}").empty());
  EXPECT_TRUE(SplitObject(" { } ").empty());
  EXPECT_TRUE(SplitList(" [ ] ").empty());
}

TEST(RawJsonTest, Lists) {
  const auto parts = SplitList(R"( [ "a,]" , {"b":[1,2]}, 3.50 ,null,[[]] ] )");
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0], R"("a,]")");
  EXPECT_EQ(parts[1], R"({"b":[1,2]})");
  EXPECT_EQ(parts[2], "3.50");
  EXPECT_EQ(parts[3], "null");
  EXPECT_EQ(parts[4], "[[]]");
}

TEST(RawJsonTest, FindsAMember) {
  EXPECT_EQ(FindValue(R"({"a":[1, 2],"b":3})", "a"), "[1, 2]");
  EXPECT_EQ(FindValue(R"({"a":[1, 2],"b":3})", "c"), "");
}

TEST(RawJsonTest, PlainText) {
  EXPECT_EQ(PlainText(R"("a\nb")"), "a\nb");
  EXPECT_EQ(PlainText(R"("")"), "");
  EXPECT_EQ(PlainText("[1, 2]"), "[1,2]");
}

TEST(ObjectWriterTest, GivesWayWithoutLosingAnything) {
  ObjectWriter writer({"score"});
  writer.AddField({"score", "1"});
  writer.AddField({"input_score", "2"});
  writer.Add("score", "0.5");
  EXPECT_EQ(writer.Take(), R"({"input_score":1,"input_input_score":2,"score":0.5})");
}

TEST(RawJsonTest, PartsPutTogetherAreTheSameValue) {
  constexpr std::string_view kText =
      R"({"id": 7, "t": "caf\u00e9 \ud83d\ude00", "m": {"k": [true, false, {"z": 1e-7}]}, "e": ""})";
  ObjectWriter writer({});
  for (const RawField& field : SplitObject(kText)) writer.AddField(field);
  EXPECT_EQ(boost::json::parse(writer.Take()), boost::json::parse({kText.data(), kText.size()}));
}

}  // namespace
}  // namespace tamis::app
