#include "text/byte_level.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(ByteLevel, EveryByteGoesThereAndBack) {
  std::string bytes;
  for (int b = 0; b < 256; ++b) bytes.push_back(static_cast<char>(b));
  std::string back;
  EXPECT_TRUE(AppendByteLevelBytes(ByteLevelText(bytes), &back));
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(ByteLevelText(" \n\x7f\xad!~"), "\u0120\u010a\u0121\u0143!~");
}

TEST(ByteLevel, OtherCharactersStandForNoByte) {
  for (const std::string_view bad : {" ", "\n", "\u0144", "\u4e2d", "\xff", "a\x80"}) {
    std::string bytes;
    EXPECT_FALSE(AppendByteLevelBytes(bad, &bytes)) << bad;
  }
}

}  // namespace
}  // namespace tamis
