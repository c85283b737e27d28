#include "engine/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "builtin/builtin_model.h"
#include "text/tokenizer.h"

namespace tamis {
namespace {

const Tokenizer& MiniTokenizer() {
  static const auto tokenizer = *ParseTokenizer(GetBuiltinModel().tokenizer_json, "tokenizer.json");
  return *tokenizer;
}

std::size_t TokensOf(std::string_view text) {
  std::vector<TokenId> ids;
  MiniTokenizer().Encode(text, &ids);
  return ids.size();
}

std::vector<ByteRange> Cut(std::string_view text, const WindowLimits& limits, std::size_t* encoded_bytes = nullptr) {
  std::vector<TokenId> ids;
  std::vector<std::size_t> ends;
  MiniTokenizer().EncodeWithOffsets(text, &ids, &ends);
  return CutWindows(text, ends, limits, [&](std::string_view slice) {
    if (encoded_bytes != nullptr) *encoded_bytes += slice.size();
    return TokensOf(slice);
  });
}

bool InsideCharacter(std::string_view text, std::size_t position) {
  return QualityOfCut(text, position) == CutQuality::kInsideCharacter;
}

// All that CutWindows promises.
void ExpectSound(std::string_view text, const WindowLimits& limits) {
  std::size_t encoded_bytes = 0;
  const std::vector<ByteRange> windows = Cut(text, limits, &encoded_bytes);
  ASSERT_FALSE(windows.empty());
  EXPECT_EQ(windows.front().start_byte, 0u);
  EXPECT_EQ(windows.back().end_byte, text.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto [start, end] = windows[i];
    ASSERT_TRUE(start < end || text.empty()) << i;
    if (i > 0) {
      ASSERT_GT(start, windows[i - 1].start_byte) << i;
      ASSERT_LE(start, windows[i - 1].end_byte) << "a gap before window " << i;
      ASSERT_GT(end, windows[i - 1].end_byte) << i;
    }
    ASSERT_FALSE(InsideCharacter(text, start)) << i;
    ASSERT_FALSE(InsideCharacter(text, end)) << i;
    if (end - start > 4) {
      ASSERT_LE(TokensOf(text.substr(start, end - start)), static_cast<std::size_t>(limits.window_tokens)) << i;
    }
  }
  EXPECT_LE(encoded_bytes, 12 * text.size() + 1000) << "not linear: " << windows.size() << " windows";
}

std::string Sentences(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "Sentence number " + std::to_string(i) + " says a few words about rivers. ";
  return text;
}

std::string Repeat(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Windows, AShortTextIsOneWindow) {
  const auto windows = Cut("Just a few words.", {64, 8});
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0].end_byte, 17u);
  EXPECT_EQ(Cut("", {64, 8}).size(), 1u);
}

TEST(Windows, EnglishIsCutBetweenSentences) {
  const std::string text = Sentences(60);
  const auto windows = Cut(text, {64, 16});
  ASSERT_GT(windows.size(), 5u);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    EXPECT_EQ(text[windows[i].end_byte - 1], '.') << i;
    EXPECT_EQ(text.substr(windows[i + 1].start_byte, 9), " Sentence") << i;
    EXPECT_LT(windows[i + 1].start_byte, windows[i].end_byte) << "no overlap at " << i;
  }
}

TEST(Windows, ChineseIsCutBetweenSentences) {
  const std::string text = Repeat("数据库把数据保存在磁盘上。备份可以防止数据丢失！你知道如何恢复吗？", 20);
  const auto windows = Cut(text, {64, 16});
  ASSERT_GT(windows.size(), 3u);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    const std::string_view last = std::string_view(text).substr(windows[i].end_byte - 3, 3);
    EXPECT_TRUE(last == "。" || last == "！" || last == "？") << last;
  }
}

TEST(Windows, LinesAndWordsServeWhereThereAreNoSentences) {
  const std::string lines = Repeat("key = value of some length\n", 60);
  for (const ByteRange& window : Cut(lines, {50, 0})) EXPECT_EQ(lines[window.end_byte - 1], '\n');
  const std::string words = Repeat("river ", 400);
  for (const ByteRange& window : Cut(words, {50, 10})) {
    EXPECT_TRUE(window.end_byte == words.size() || words[window.end_byte] == ' ') << window.end_byte;
  }
}

TEST(Windows, WithoutOverlapWindowsMeet) {
  const std::string text = Sentences(40);
  const auto windows = Cut(text, {64, 0});
  for (std::size_t i = 1; i < windows.size(); ++i) EXPECT_EQ(windows[i].start_byte, windows[i - 1].end_byte);
}

TEST(Windows, OverlapIsAboutWhatWasAskedFor) {
  const std::string text = Sentences(200);
  const auto windows = Cut(text, {256, 64});
  for (std::size_t i = 1; i < windows.size(); ++i) {
    const std::size_t shared =
        TokensOf(std::string_view(text).substr(windows[i].start_byte, windows[i - 1].end_byte - windows[i].start_byte));
    EXPECT_GE(shared, 32u);
    EXPECT_LE(shared, 97u);
  }
}

TEST(Windows, HostileTextsKeepThePromises) {
  const std::string combining = Repeat("\xCC\x81", 30000);
  const std::string texts[] = {std::string(100000, ' '),
                               std::string(100000, 'a'),
                               std::string(100000, '\n'),
                               std::string(50000, '\x80'),
                               std::string(50000, '\xF0'),
                               "e" + combining,
                               Repeat("\xF0\x9F\x91\xA9\xE2\x80\x8D", 8000),
                               Repeat("\xE0\xA5\x98", 20000),
                               Repeat(". ", 30000),
                               Repeat("。", 30000),
                               Repeat("\xE1\x84\x80\xE1\x85\xA1", 8000),
                               std::string(20000, '\0'),
                               Repeat("<|im_end|>", 3000),
                               Repeat("\xF4\x8F\xBF\xBF", 10000),
                               Repeat(" \xCC\x81", 9000)};
  int at = 0;
  for (const std::string& text : texts) {
    SCOPED_TRACE(at++);
    ExpectSound(text, {64, 8});
    ExpectSound(std::string_view(text).substr(0, 3000), {16, 8});
    ExpectSound(std::string_view(text).substr(0, 300), {1, 0});
  }
}

TEST(Windows, RandomTextsKeepThePromises) {
  const std::string_view pieces[] = {"word",
                                     " another",
                                     ". ",
                                     "。",
                                     "中文",
                                     "\n\n",
                                     " ",
                                     "\xFF",
                                     "\xE4\xB8",
                                     "e\xCC\x81",
                                     "\xF0\x9F\x98\x80",
                                     "? \"",
                                     "）",
                                     "3.14",
                                     "antidisestablishmentarianism",
                                     "\t",
                                     "؟"};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int min, int max) { return std::uniform_int_distribution<int>(min, max)(random); };
    std::string text;
    const int count = pick(0, 600);
    const int few = pick(1, static_cast<int>(std::size(pieces)));
    for (int i = 0; i < count; ++i) text += pieces[static_cast<std::size_t>(pick(0, few - 1))];
    const int window = pick(1, 120);
    ExpectSound(text, {window, pick(0, window)});
  }
}

}  // namespace
}  // namespace tamis
