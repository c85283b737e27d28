#include "text/instructions.h"

#include <gtest/gtest.h>

#include <set>

#include "text/profile.h"

namespace tamis {
namespace {

TEST(Instructions, WebSearchIsTheOfficialDefault) {
  ASSERT_FALSE(InstructionPresets().empty());
  EXPECT_EQ(InstructionPresets()[0].name, "web-search");
  EXPECT_EQ(InstructionPresets()[0].text, BuiltInProfiles()[0].default_instruction);
}

TEST(Instructions, NamesAreDistinct) {
  std::set<std::string_view> names, texts;
  for (const InstructionPreset& preset : InstructionPresets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_TRUE(texts.insert(preset.text).second) << preset.name;
  }
}

TEST(Instructions, PresetsAreResolvedAndOtherTextStays) {
  EXPECT_EQ(*ResolveInstruction("preset:medical"), std::string(FindInstructionPreset("medical")->text));
  EXPECT_EQ(*ResolveInstruction("find it"), "find it");
  EXPECT_EQ(*ResolveInstruction(""), "");
  EXPECT_EQ(*ResolveInstruction(std::nullopt), std::nullopt);
  const auto unknown = ResolveInstruction("preset:medcal");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.status().message().find("found preset \"medcal\", expected one of web-search, "),
            std::string::npos);
}

}  // namespace
}  // namespace tamis
