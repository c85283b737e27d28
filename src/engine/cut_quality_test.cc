#include <gtest/gtest.h>

#include <string_view>

#include "engine/windows.h"

namespace tamis {
namespace {

// The quality of the cut at the first '|' of `marked`, which is not part of the text.
CutQuality At(std::string_view marked) {
  const std::size_t position = marked.find('|');
  const std::string text = std::string(marked.substr(0, position)) + std::string(marked.substr(position + 1));
  return QualityOfCut(text, position);
}

TEST(CutQuality, SentenceEnds) {
  for (const char* text :
       {"|A", "End.|", "One.| Two", "One. |Two", "Why?|\nBecause", "He said \"no.\"| Then", "(Yes!)| No", "完了。|下一",
        "什么？|没有", "他说：“好。”|然后", "line\n|next", "等等……|后来", "一；|二"}) {
    EXPECT_EQ(At(text), CutQuality::kSentence) << text;
  }
}

TEST(CutQuality, Words) {
  for (const char* text : {"one| two", "one |two", "3, |4", "一，|二", "甲、|乙"})
    EXPECT_EQ(At(text), CutQuality::kWord) << text;
}

TEST(CutQuality, Characters) {
  for (const char* text : {"wo|rd", "3.|14", "中|文", "“好。|”", "a.|b", "\x80|\x80", "\xF0|\xF0", "\xC3|a"}) {
    EXPECT_EQ(At(text), CutQuality::kCharacter) << text;
  }
}

TEST(CutQuality, InsideCharacters) {
  for (const char* text : {"\xC3|\xA9", "\xE4\xB8|\xAD", "\xE4|\xB8\xAD", "\xF0\x9F\x98|\x80", "\xF0|\x9F\x98\x80"}) {
    EXPECT_EQ(At(text), CutQuality::kInsideCharacter) << text;
  }
}

}  // namespace
}  // namespace tamis
