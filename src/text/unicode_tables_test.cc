// Every code point, against the reference's classes and normalisation.
#include "text/unicode_tables.h"

#include <gtest/gtest.h>

#include <map>

#include "text/nfc.h"
#include "text/test_support.h"
#include "text/utf8.h"

namespace tamis {
namespace {

using test::Golden;
using test::ReadJson;

bool IsSurrogate(std::uint32_t cp) { return cp >= 0xD800 && cp < 0xE000; }

TEST(UnicodeTables, EveryCodePointHasTheReferencesClass) {
  const auto spec = ReadJson(Golden("unicode_classes.json"));
  std::vector<CharClass> expected(kCodePoints, CharClass::kOther);
  for (const auto& [name, char_class] :
       {std::pair{"L", CharClass::kLetter}, std::pair{"N", CharClass::kNumber}, std::pair{"S", CharClass::kSpace}}) {
    for (const auto& range : spec.at(name).as_array()) {
      for (auto cp = range.at(0).as_int64(); cp <= range.at(1).as_int64(); ++cp) {
        expected[static_cast<std::size_t>(cp)] = char_class;
      }
    }
  }
  for (std::uint32_t cp = 0; cp < kCodePoints; ++cp) {
    ASSERT_EQ(PropertyOf(cp).char_class, expected[cp]) << std::hex << cp;
  }
}

TEST(UnicodeTables, EveryCodePointNormalisesAsInTheReference) {
  const auto spec = ReadJson(Golden("unicode_classes.json"));
  std::map<std::uint32_t, std::string> changed;
  for (const auto& [code, parts] : spec.at("nfc_singletons").as_object()) {
    std::string text;
    for (const auto& part : parts.as_array()) {
      AppendUtf8(static_cast<std::uint32_t>(std::stoul(test::Text(part), nullptr, 16)), &text);
    }
    changed[static_cast<std::uint32_t>(std::stoul(std::string(code), nullptr, 16))] = text;
  }
  std::string buffer;
  for (std::uint32_t cp = 0; cp < kCodePoints; ++cp) {
    if (IsSurrogate(cp)) continue;
    std::string text;
    AppendUtf8(cp, &text);
    const auto found = changed.find(cp);
    ASSERT_EQ(NormalizeText(text, true, &buffer, nullptr), found == changed.end() ? text : found->second)
        << std::hex << cp;
  }
}

TEST(UnicodeTables, MarksUnknownToTheReferenceAreNotReordered) {
  const auto spec = ReadJson(Golden("unicode_classes.json"));
  for (const auto& entry : spec.at("nfc_old_tables").at("ccc_differs_vs_unicode14").as_array()) {
    const auto cp = static_cast<std::uint32_t>(std::stoul(test::Text(entry.at(0)), nullptr, 16));
    EXPECT_EQ(CombiningClass(cp), 0) << std::hex << cp;
  }
  EXPECT_EQ(Composition(0x11935, 0x11930), 0u);
}

}  // namespace
}  // namespace tamis
