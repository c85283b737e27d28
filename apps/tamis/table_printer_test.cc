#include "table_printer.h"

#include <gtest/gtest.h>

#include <clocale>
#include <sstream>
#include <vector>

#include "text_width.h"

namespace tamis::app {
namespace {

class TablePrinterTest : public testing::Test {
 protected:
  void SetUp() override { std::setlocale(LC_CTYPE, "C.UTF-8"); }
};

DocumentScore Result(std::size_t index, float score) {
  DocumentScore result;
  result.index = index;
  result.score = score;
  return result;
}

TEST_F(TablePrinterTest, LinesFitWhateverTheText) {
  const std::vector<DocumentScore> results = {Result(0, 0.9f), Result(12345, 0.1f), Result(2, 1e-6f)};
  const std::vector<std::string_view> texts = {"a long text of many words that goes on and on and on", "火星是红色的行星，因为它的尘土里有氧化铁，所以是红色的",
                                               "line\nbreak\ttab\x1b[31m"};
  for (int columns : {60, 80, 120}) {
    std::istringstream lines(FormatTable(results, texts, {columns, true, false, false}));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(TextWidth(line), columns) << line;
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
    EXPECT_EQ(count, 4);
  }
}

TEST_F(TablePrinterTest, BarsFollowTheScore) {
  const std::vector<DocumentScore> results = {Result(0, 1.0f), Result(1, 0.5f), Result(2, 0.0f)};
  const std::vector<std::string_view> texts = {"a", "b", "c"};
  const std::string table = FormatTable(results, texts, {80, false, false, false});
  EXPECT_NE(table.find("##########"), std::string::npos);
  EXPECT_NE(table.find("#####....."), std::string::npos);
  EXPECT_NE(table.find(" .........."), std::string::npos);
}

TEST_F(TablePrinterTest, CutsWideTextAtItsWidth) {
  EXPECT_EQ(FitText("abc", 3), "abc");
  EXPECT_EQ(FitText("abcd", 3), "ab…");
  EXPECT_EQ(FitText("火星火星", 5), "火星…");
  EXPECT_EQ(FitText("火星火星", 4), "火…");
  EXPECT_EQ(FitText("a\nb", 3), "a b");
  EXPECT_EQ(FitText("", 3), "");
}

}  // namespace
}  // namespace tamis::app
