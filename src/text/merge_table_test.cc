#include "text/merge_table.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(MergeTable, GivesRanksInOrderOfAdding) {
  for (const std::size_t reserved : {std::size_t{0}, std::size_t{1000}, std::size_t{100000}}) {
    MergeTable table;
    table.Reserve(reserved);
    for (TokenId i = 0; i < 3000; ++i) table.Add(i, i * 7 % 3000, i + 10);
    ASSERT_EQ(table.size(), 3000u);
    for (TokenId i = 0; i < 3000; ++i) {
      ASSERT_EQ(table.Rank(i, i * 7 % 3000), static_cast<std::uint32_t>(i));
      ASSERT_EQ(table.Merged(static_cast<std::uint32_t>(i)), i + 10);
      ASSERT_EQ(table.Rank(i, i * 7 % 3000 + 3000), MergeTable::kNone);
    }
  }
}

TEST(MergeTable, KeepsTheFirstOfEqualPairs) {
  MergeTable table;
  const TokenId last = MergeTable::kTokensMax - 1;
  table.Add(last, last, 5);
  table.Add(last, last, 6);
  EXPECT_EQ(table.Rank(last, last), 0u);
  EXPECT_EQ(table.Rank(last, 0), MergeTable::kNone);
}

}  // namespace
}  // namespace tamis
