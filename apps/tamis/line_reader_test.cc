#include "line_reader.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace tamis::app {
namespace {

std::vector<std::string> Lines(const std::string& content, std::optional<std::string>* warning = nullptr) {
  const TempFile file("lines.txt", content);
  auto reader = LineReader::Open(file.path());
  EXPECT_TRUE(reader.ok());
  std::vector<std::string> out;
  std::string line;
  while (*reader->Next(&line)) out.push_back(line);
  if (warning != nullptr) *warning = reader->warning();
  return out;
}

using Texts = std::vector<std::string>;

TEST(LineReaderTest, EndsOfLines) {
  EXPECT_EQ(Lines("a\nb\n"), (Texts{"a", "b"}));
  EXPECT_EQ(Lines("a\r\nb"), (Texts{"a", "b"}));
  EXPECT_EQ(Lines("a\n\nb\n"), (Texts{"a", "", "b"}));
  EXPECT_EQ(Lines("a\rb\n"), (Texts{"a\rb"}));
  EXPECT_EQ(Lines(""), Texts{});
}

TEST(LineReaderTest, ByteOrderMarkOnlyAtTheStart) {
  EXPECT_EQ(Lines("\xEF\xBB\xBF"
                  "a\n\xEF\xBB\xBF"
                  "b"),
            (Texts{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
}

TEST(LineReaderTest, NulIsACharacter) {
  EXPECT_EQ(Lines(std::string("a\0b\nc", 5)), (Texts{std::string("a\0b", 3), "c"}));
}

TEST(LineReaderTest, BadUtf8IsReplacedAndTold) {
  std::optional<std::string> warning;
  EXPECT_EQ(Lines("good\nb\xFF\xC3\n\xE4\xBD", &warning), (Texts{"good", "b\uFFFD\uFFFD", "\uFFFD"}));
  ASSERT_TRUE(warning.has_value());
  EXPECT_NE(warning->find("lines.txt:2: "), std::string::npos);
  Lines("good: 你好\n", &warning);
  EXPECT_FALSE(warning.has_value());
}

TEST(LineReaderTest, LongLine) {
  const std::string line(5'000'000, 'x');
  EXPECT_EQ(Lines(line + "\n" + line).size(), 2u);
}

TEST(LineReaderTest, CountsLinesAndSkipsBlankOnes) {
  const TempFile file("lines.txt", "\n \t\nfirst\n\nsecond\n");
  auto reader = LineReader::Open(file.path());
  std::string line;
  ASSERT_TRUE(*reader->NextNotBlank(&line));
  EXPECT_EQ(line, "first");
  EXPECT_EQ(reader->where(), file.path() + ":3");
  ASSERT_TRUE(*reader->NextNotBlank(&line));
  EXPECT_EQ(reader->line_number(), 5u);
  EXPECT_DOUBLE_EQ(*reader->share_read(), 1.0);
  EXPECT_FALSE(*reader->NextNotBlank(&line));
}

TEST(LineReaderTest, WholeFileKeepsItsLineEnds) {
  const TempFile file("whole",
                      "\xEF\xBB\xBF"
                      "a\r\nb\n\nc");
  EXPECT_EQ(ReadWhole(file.path())->text, "a\r\nb\n\nc");
}

TEST(LineReaderTest, NamesWhatCannotBeRead) {
  EXPECT_EQ(LineReader::Open("no/such/file").status().message(), "no/such/file: no such file");
  EXPECT_NE(LineReader::Open(".").status().message().find("is a folder"), std::string::npos);
}

}  // namespace
}  // namespace tamis::app
