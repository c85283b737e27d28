#include "table_printer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "text_width.h"

namespace tamis::app {
namespace {

DocumentScore Score(std::size_t index, float score) {
  DocumentScore out;
  out.index = index;
  out.score = score;
  return out;
}

TEST(TablePrinterTest, Ascii) {
  TableStyle style;
  style.columns = 60;
  style.unicode = false;
  const std::vector<DocumentScore> results = {Score(2, 1.0f), Score(0, 0.5f), Score(1, 0.0f)};
  const std::vector<std::string_view> texts = {"first", "a text that is too long for the table", "third"};
  EXPECT_EQ(FormatTable(results, texts, style),
            "rank     score             index  document\n"
            "   1    1.0000 ##########      2  first\n"
            "   2    0.5000 #####.....      0  a text that is too long...\n"
            "   3    0.0000 ..........      1  third\n");
}

TEST(TablePrinterTest, UnicodeBarsHaveEighths) {
  TableStyle style;
  const std::vector<DocumentScore> results = {Score(0, 1.0f), Score(1, 0.55f), Score(2, 0.0125f)};
  const std::vector<std::string_view> texts = {"a", "b", "c"};
  const std::string table = FormatTable(results, texts, style);
  EXPECT_NE(table.find(" ██████████  "), std::string::npos);
  EXPECT_NE(table.find(" █████▌      "), std::string::npos);
  EXPECT_NE(table.find(" ▏           "), std::string::npos);
}

TEST(TablePrinterTest, FitsTheTerminal) {
  const std::string chinese = "今天下午有雨，出门请带伞。备份数据库之前先停止写入，然后把数据文件复制到另一台机器上。";
  for (const int columns : {40, 59, 60, 80, 200}) {
    TableStyle style;
    style.columns = columns;
    DocumentScore cut = Score(123456, 0.5f);
    cut.truncated_tokens = 7;
    const std::vector<DocumentScore> results = {Score(0, 0.9f), cut};
    const std::vector<std::string_view> texts = {chinese, chinese};
    std::istringstream lines(FormatTable(results, texts, style));
    for (std::string line; std::getline(lines, line);) {
      if (columns < 60 && line.find("cut") != std::string::npos) continue;  // the note has no room there
      EXPECT_LE(TextWidth(line), columns) << line;
    }
  }
}

TEST(TablePrinterTest, RawScoresFillByPlace) {
  TableStyle style;
  style.unicode = false;
  style.raw_scores = true;
  const std::vector<DocumentScore> results = {Score(0, 7.5f), Score(1, -2.5f)};
  const std::vector<std::string_view> texts = {"a", "b"};
  const std::string table = FormatTable(results, texts, style);
  EXPECT_NE(table.find("  7.5000 ##########"), std::string::npos);
  EXPECT_NE(table.find(" -2.5000 .........."), std::string::npos);
}

TEST(TablePrinterTest, SaysWhatWasCutAndWhichWindowWasBest) {
  DocumentScore window = Score(0, 0.5f);
  window.window = ByteRange{100, 250};
  DocumentScore cut = Score(1, 0.5f);
  cut.truncated_tokens = 12;
  const std::vector<DocumentScore> results = {window, cut};
  const std::vector<std::string_view> texts = {"a", "b"};
  const std::string table = FormatTable(results, texts, {});
  EXPECT_NE(table.find("a [bytes 100-250]"), std::string::npos);
  EXPECT_NE(table.find("b [12 tokens cut]"), std::string::npos);
}

TEST(TablePrinterTest, NoResults) { EXPECT_EQ(FormatTable({}, {}, {}).find("rank"), 0u); }

TEST(TablePrinterTest, Colour) {
  TableStyle style;
  const std::vector<DocumentScore> results = {Score(0, 0.5f)};
  const std::vector<std::string_view> texts = {"a"};
  EXPECT_EQ(FormatTable(results, texts, style).find("\033["), std::string::npos);
  style.colour = true;
  EXPECT_NE(FormatTable(results, texts, style).find("\033[36m"), std::string::npos);
}

}  // namespace
}  // namespace tamis::app
