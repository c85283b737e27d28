#include "backend/cpu/kv_pages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/kernels.h"

namespace tamis::cpu {
namespace {

PageShape Shape(Precision precision, int head_dim) {
  const int padded = (head_dim + 63) / 64 * 64;
  return {3,         2,
          head_dim,  padded,
          precision, precision == Precision::kInt8 ? kernels::PageBytesS8(padded) : kernels::PageBytesF32(head_dim)};
}

// Keys, values and (int8) scales and sums; what a page has beyond them keeps pages apart and is never looked at.
std::size_t ContentBytes(const PageShape& shape) {
  const std::size_t slots = 64;
  if (shape.precision == Precision::kFp32) return 2 * slots * static_cast<std::size_t>(shape.head_dim) * sizeof(float);
  return 2 * slots * static_cast<std::size_t>(shape.head_dim_padded) + 3 * slots * sizeof(float);
}

AlignedBuffer<std::byte> RandomPage(const PageShape& shape, unsigned seed) {
  AlignedBuffer<std::byte> page(shape.page_bytes);
  std::memset(page.data(), 0, page.size());
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < ContentBytes(shape); ++i) page[i] = static_cast<std::byte>(random() & 0x3f);
  return page;
}

class CopySlotsTest : public testing::TestWithParam<Precision> {};

// Copying [0, n) from one page and [n, 64) from another leaves nothing of what was there: together they cover a page
// exactly, and in one go a whole page is copied.
TEST_P(CopySlotsTest, ComplementaryRangesCoverThePage) {
  for (int head_dim : {16, 24, 64, 128}) {
    const PageShape shape = Shape(GetParam(), head_dim);
    const auto a = RandomPage(shape, 1);
    for (int n : {0, 1, 3, 4, 12, 63, 64}) {
      auto target = RandomPage(shape, 2);
      CopySlots(shape, a.data(), target.data(), 0, n);
      CopySlots(shape, a.data(), target.data(), n, 64);
      EXPECT_EQ(std::memcmp(target.data(), a.data(), shape.page_bytes), 0) << head_dim << " " << n;
    }
  }
}

TEST_P(CopySlotsTest, OtherSlotsStay) {
  const PageShape shape = Shape(GetParam(), 64);
  const auto a = RandomPage(shape, 1);
  const auto b = RandomPage(shape, 2);
  for (int n : {1, 5, 12, 60}) {
    auto target = RandomPage(shape, 2);
    CopySlots(shape, a.data(), target.data(), 0, n);
    CopySlots(shape, b.data(), target.data(), 0, n);  // restores the first slots: the rest must still be b's
    EXPECT_EQ(std::memcmp(target.data(), b.data(), shape.page_bytes), 0) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, CopySlotsTest, testing::Values(Precision::kInt8, Precision::kFp32));

TEST(CpuPrefixState, EarlierPagesAreTheParents) {
  const PageShape shape = Shape(Precision::kInt8, 64);
  auto first = std::make_shared<CpuPrefixState>(shape, nullptr, 0, 70, 1);
  auto second = std::make_shared<CpuPrefixState>(shape, first, 70, 200, 1);
  EXPECT_EQ(second->tokens(), 200u);
  EXPECT_EQ(second->first_page(), 1);
  EXPECT_EQ(second->Page(2, 0, 1), first->Page(2, 0, 1));
  EXPECT_NE(second->Page(2, 1, 1), first->Page(2, 1, 1));  // shared page: a copy of its own
  EXPECT_EQ(second->bytes(), 3u * 3 * 2 * shape.page_bytes);
  EXPECT_EQ(second->Page(1, 3, 1) - second->Page(1, 1, 0), static_cast<std::ptrdiff_t>(5 * shape.page_bytes));
}

}  // namespace
}  // namespace tamis::cpu
