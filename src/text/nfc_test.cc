#include "text/nfc.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tamis {
namespace {

std::string Nfc(std::string_view text) {
  std::string buffer;
  return std::string(NormalizeText(text, true, &buffer, nullptr));
}

TEST(Nfc, ComposesAndOrders) {
  EXPECT_EQ(Nfc("e\u0301"), "\u00e9");
  EXPECT_EQ(Nfc("a\u0302\u0323"), "\u1ead");          // reordered, then composed in two steps
  EXPECT_EQ(Nfc("a\u0323\u0302"), "\u1ead");
  EXPECT_EQ(Nfc("\u00e9\u0323"), "\u1eb9\u0301");     // taken apart and put together differently
  EXPECT_EQ(Nfc("\u1112\u1161\u11ab"), "\ud55c");
  EXPECT_EQ(Nfc("\ud558\u11ab"), "\ud55c");
  EXPECT_EQ(Nfc("\u212b"), "\u00c5");                 // singleton
  EXPECT_EQ(Nfc("\u0958"), "\u0915\u093c");           // excluded from composition
  EXPECT_EQ(Nfc("<\u0338"), "\u226e");                // ASCII takes marks too
  EXPECT_EQ(Nfc("\u0301e"), "\u0301e");               // a mark with nothing before it
  EXPECT_EQ(Nfc("a\u0315\u0300"), "\u00e0\u0315");    // a mark of a lower class passes one of a higher
}

TEST(Nfc, NormalTextIsNotCopied) {
  std::string buffer;
  for (const std::string_view text :
       {"", "plain", "\u4e2d\u6587", "caf\u00e9", "q\u0301", "\u0915\u093f\u0924\u093e\u092c"}) {
    EXPECT_EQ(NormalizeText(text, true, &buffer, nullptr).data(), text.data()) << text;
  }
}

TEST(Nfc, BadBytesAreReplacedAndTakeMarks) {
  EXPECT_EQ(Nfc("a\xFF\u0301z"), "a\uFFFD\u0301z");
  EXPECT_EQ(Nfc("\xE4\xB8"), "\uFFFD");
  std::string buffer;
  EXPECT_EQ(NormalizeText("e\u0301\xFF", false, &buffer, nullptr), "e\u0301\uFFFD");  // without composing
}

TEST(Nfc, OffsetsLeadBackToTheInput) {
  const std::string text = "ab e\u0301 c\xFFx a\u0323\u0302z";
  std::string buffer;
  OffsetMap map;
  const std::string_view normal = NormalizeText(text, true, &buffer, &map);
  ASSERT_EQ(normal, "ab \u00e9 c\uFFFDx \u1eadz");
  EXPECT_EQ(map.InputEnd(0), 0u);
  EXPECT_EQ(map.InputEnd(3), 3u);
  EXPECT_EQ(map.InputEnd(4), text.find(" c"));  // inside the composed character: its end
  EXPECT_EQ(map.InputEnd(5), text.find(" c"));
  EXPECT_EQ(map.InputEnd(7), text.find('\xFF'));
  EXPECT_EQ(map.InputEnd(normal.find('x')), text.find('x'));
  EXPECT_EQ(map.InputEnd(normal.size() - 1), text.size() - 1);
  EXPECT_EQ(map.InputEnd(normal.size()), text.size());
}

// A million marks would take hours if sorting or composing were quadratic.
TEST(Nfc, MillionMarksAreQuick) {
  std::string text = "a";
  for (int i = 0; i < 500000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0323";
  const auto start = std::chrono::steady_clock::now();
  const std::string once = Nfc(text);
  EXPECT_EQ(once.substr(0, 3), "\u1ea1");  // a with dot below; the acute accents follow the other dots
  EXPECT_EQ(Nfc(once), once);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tamis
