#include "text_width.h"

#include <gtest/gtest.h>

#include <clocale>

namespace tamis::app {
namespace {

class TextWidthTest : public testing::Test {
 protected:
  void SetUp() override { std::setlocale(LC_CTYPE, "C.UTF-8"); }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_F(TextWidthTest, Columns) {
  EXPECT_EQ(TextWidth("abc"), 3);
  EXPECT_EQ(TextWidth("退款"), 4);
  EXPECT_EQ(TextWidth("é"), 1);
  EXPECT_EQ(TextWidth("e\u0301"), 1);  // a combining accent
  EXPECT_EQ(TextWidth("😀"), 2);
  EXPECT_EQ(TextWidth(""), 0);
}

TEST_F(TextWidthTest, WideWithoutAUtf8Locale) {
  std::setlocale(LC_CTYPE, "C");
  EXPECT_EQ(TextWidth("退款a"), 5);
  EXPECT_EQ(TextWidth("😀"), 2);
}

TEST_F(TextWidthTest, CutsToFit) {
  EXPECT_EQ(FitText("abc", 3), "abc");
  EXPECT_EQ(FitText("abcd", 3), "ab…");
  EXPECT_EQ(FitText("退款需要", 8), "退款需要");
  EXPECT_EQ(FitText("退款需要", 7), "退款需…");
  EXPECT_EQ(FitText("退款需要", 6), "退款…");  // the third would leave no column for the ellipsis
  EXPECT_EQ(FitText("abcdef", 5, "..."), "ab...");
  EXPECT_EQ(FitText("abcdef", 0), "");
}

TEST_F(TextWidthTest, KeepsToOneLineAndOneDirection) {
  EXPECT_EQ(FitText("a\nb\tc\x1b[31m", 20), "a b c [31m");
  EXPECT_EQ(FitText("a\u202Eb\u2028c", 20), "a b c");
  EXPECT_EQ(FitText("a\xFF", 20), "a\uFFFD");
}

TEST_F(TextWidthTest, NeverWiderThanAsked) {
  const std::string text = "mixed 文字 and 😀 e\u0301 text, long enough to be cut";
  for (int columns = 0; columns < 60; ++columns) EXPECT_LE(TextWidth(FitText(text, columns)), columns) << columns;
}

}  // namespace
}  // namespace tamis::app
