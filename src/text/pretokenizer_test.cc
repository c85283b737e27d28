#include "text/pretokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tamis {
namespace {

std::vector<std::string> Pieces(const std::string& text) {
  std::vector<std::string> pieces;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const char* end = QwenPieceEnd(at, text.data() + text.size());
    pieces.emplace_back(at, end);
    at = end;
  }
  return pieces;
}

using List = std::vector<std::string>;

TEST(Pretokenizer, FollowsEachAlternativeOfTheExpression) {
  EXPECT_EQ(Pieces("I'll can't WE'VE it's"), (List{"I", "'ll", " can", "'t", " WE", "'VE", " it", "'s"}));
  EXPECT_EQ(Pieces("'\u017ft ''s 'x"), (List{"'\u017f", "t", " ''", "s", " '", "x"}));
  EXPECT_EQ(Pieces("a1b22"), (List{"a", "1", "b", "2", "2"}));
  EXPECT_EQ(Pieces("\tx \u00a0y -z $a"), (List{"\tx", " ", "\u00a0y", " -", "z", " $", "a"}));
  EXPECT_EQ(Pieces("x;\r\n\ny"), (List{"x", ";\r\n\n", "y"}));
  EXPECT_EQ(Pieces("a  \n  \n   b"), (List{"a", "  \n  \n", "  ", " b"}));
  EXPECT_EQ(Pieces("a   "), (List{"a", "   "}));
  EXPECT_EQ(Pieces("a   1"), (List{"a", "  ", " ", "1"}));
  EXPECT_EQ(Pieces("\u4e2d\u6587\u3002\u5b57"), (List{"\u4e2d\u6587", "\u3002\u5b57"}));
  EXPECT_EQ(Pieces("\u3002\u3002\u5b57"), (List{"\u3002\u3002", "\u5b57"}));
  EXPECT_EQ(Pieces("\u00b2\u0661"), (List{"\u00b2", "\u0661"}));
  EXPECT_EQ(Pieces("a\u0301b"), (List{"a", "\u0301b"}));
}

TEST(Pretokenizer, TheEndOfTextEndsEveryPiece) {
  for (const std::string text : {"'", "'r", "'l", " ", "\n", "\u4e2d", " \u3002", "!\n"})
    EXPECT_EQ(Pieces(text), List{text});
}

}  // namespace
}  // namespace tamis
