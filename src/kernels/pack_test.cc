#include "kernels/pack.h"

#include <gtest/gtest.h>

#include <vector>

namespace tamis::kernels {
namespace {

TEST(PackS8, PlacesQuantisedWeightsInTheirPanel) {
  constexpr int kN = 70;
  constexpr int kK = 6;
  std::vector<std::int8_t> data(128 * 64, 0);
  std::vector<float> scale(128, 0);
  std::vector<std::int32_t> sum(128, 0);
  const PackedS8 layout{data.data(), scale.data(), sum.data(), kN, kK, 128, 64};
  const std::vector<float> weights = {127.0f, -127.0f, 0.5f, 1.5f, -2.5f, 63.4f};
  PackColumnS8(weights.data(), layout, 66, data.data(), scale.data(), sum.data());
  EXPECT_EQ(scale[66], 1.0f);
  const int expected[kK] = {127, -127, 0, 2, -2, 63};  // halves go to the even neighbour
  int total = 0;
  for (int k = 0; k < kK; ++k) {
    EXPECT_EQ(data[static_cast<std::size_t>(64 * 64 + k / 4 * 256 + 2 * 4 + k % 4)], expected[k]) << k;
    total += expected[k];
  }
  EXPECT_EQ(sum[66], total);
  EXPECT_EQ(data[64 * 64 + 256 + 2 * 4 + 2], 0);  // past k
}

TEST(PackS8, ZerosStayZero) {
  std::vector<std::int8_t> data(64 * 64, 1);
  std::vector<float> scale(64, 5);
  std::vector<std::int32_t> sum(64, 5);
  const PackedS8 layout{data.data(), scale.data(), sum.data(), 1, 8, 64, 64};
  const std::vector<float> weights(8, 0.0f);
  PackColumnS8(weights.data(), layout, 0, data.data(), scale.data(), sum.data());
  EXPECT_EQ(scale[0], 0.0f);
  EXPECT_EQ(sum[0], 0);
  EXPECT_EQ(data[0], 0);
}

TEST(PackF32, PlacesColumns) {
  std::vector<float> data(64 * 3, 0.0f);
  const PackedF32 layout{data.data(), 40, 3, 64};
  const std::vector<float> weights = {1, 2, 3};
  PackColumnF32(weights.data(), layout, 35, data.data());
  for (int k = 0; k < 3; ++k) EXPECT_EQ(data[static_cast<std::size_t>(k * 64 + 35)], static_cast<float>(k + 1));
}

}  // namespace
}  // namespace tamis::kernels
