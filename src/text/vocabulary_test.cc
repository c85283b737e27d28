#include "text/vocabulary.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(Vocabulary, FindsWhatWasAddedAcrossGrowth) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.Find("a"), kNoToken);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(vocabulary.Add(i * 2, "token" + std::to_string(i)), Vocabulary::Added::kOk);
  }
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(vocabulary.Find("token" + std::to_string(i)), i * 2);
    EXPECT_EQ(vocabulary.Bytes(i * 2), "token" + std::to_string(i));
  }
  EXPECT_EQ(vocabulary.Find("token5000"), kNoToken);
  EXPECT_EQ(vocabulary.count(), 5000u);
  EXPECT_EQ(vocabulary.end_id(), 9999);
  EXPECT_TRUE(vocabulary.Bytes(1).empty());
  EXPECT_TRUE(vocabulary.Bytes(-1).empty());
  EXPECT_TRUE(vocabulary.Bytes(10000).empty());
}

TEST(Vocabulary, TellsDuplicatesApart) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.Add(3, "a"), Vocabulary::Added::kOk);
  EXPECT_EQ(vocabulary.Add(3, "b"), Vocabulary::Added::kDuplicateId);
  EXPECT_EQ(vocabulary.Add(4, "a"), Vocabulary::Added::kDuplicateToken);
  EXPECT_EQ(vocabulary.count(), 1u);
}

}  // namespace
}  // namespace tamis
