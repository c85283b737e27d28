#include "text/utf8.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

// The examples of the Unicode standard's table on U+FFFD substitution of maximal subparts, and the corners around them.
TEST(Utf8, OneReplacementForEachMaximalBadSubpart) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(RepairUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(RepairUtf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(RepairUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
  EXPECT_EQ(RepairUtf8("\xE4\xB8"), r);
  EXPECT_EQ(RepairUtf8("\xF0\x9F\x98"), r);
  EXPECT_EQ(RepairUtf8("\xF0\x9F\x98 "), r + " ");
  EXPECT_EQ(RepairUtf8("\xC3"), r);
  EXPECT_EQ(CountBadUtf8("a\x80\x80 \xE4\xB8z\xFF"), 4u);
}

TEST(Utf8, ProperTextIsLeftAlone) {
  std::string all;
  for (std::uint32_t cp = 0; cp < 0x110000; cp += cp < 0x900 ? 1 : 61) {
    if (cp < 0xD800 || cp >= 0xE000) AppendUtf8(cp, &all);
  }
  for (const std::uint32_t cp : {0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string one;
    AppendUtf8(cp, &one);
    const DecodedChar c = DecodeUtf8(one, 0);
    EXPECT_EQ(c.code_point, cp);
    EXPECT_EQ(c.length, one.size());
    EXPECT_FALSE(c.bad);
    EXPECT_EQ(DecodeValidUtf8(one.data()).code_point, cp);
    all += one;
  }
  EXPECT_EQ(RepairUtf8(all), all);
  EXPECT_EQ(CountBadUtf8(all), 0u);
}

TEST(Utf8, AsciiRunStopsAtTheFirstOtherByte) {
  const std::string text(40, 'a');
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = '\xC3';
    EXPECT_EQ(AsciiRun(changed, 0), i);
    EXPECT_EQ(AsciiRun(changed, i), 0u);
    EXPECT_EQ(AsciiRun(changed, i + 1), text.size() - i - 1);
  }
}

}  // namespace
}  // namespace tamis
