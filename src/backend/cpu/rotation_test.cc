#include "backend/cpu/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tamis::cpu {
namespace {

std::vector<float> Random(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(n);
  for (float& x : out) x = normal(random);
  return out;
}

double Dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

TEST(HadamardBlock, IsTheLargestPowerOfTwoThatDivides) {
  EXPECT_EQ(HadamardBlock(1024), 1024);
  EXPECT_EQ(HadamardBlock(3072), 1024);
  EXPECT_EQ(HadamardBlock(72), 8);
  EXPECT_EQ(HadamardBlock(7), 1);
}

class RotationTest : public testing::TestWithParam<int> {};

TEST_P(RotationTest, KeepsDotProductsAndIsUndone) {
  const int n = GetParam();
  const Rotation rotation(n, true, kernels::KernelsFor(Isa::kReference));
  const std::vector<float> x = Random(static_cast<std::size_t>(n), 1);
  const std::vector<float> y = Random(static_cast<std::size_t>(n), 2);
  std::vector<float> rx = x;
  std::vector<float> ry = y;
  rotation.Apply(rx.data());
  rotation.Apply(ry.data());
  EXPECT_NEAR(Dot(rx, ry), Dot(x, y), 1e-4 * n);
  rotation.Undo(rx.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(rx[i], x[i], 1e-5);
}

TEST_P(RotationTest, ColumnsTurnAsVectorsDo) {
  const int n = GetParam();
  const Rotation rotation(n, true, kernels::KernelsFor(Isa::kReference));
  constexpr std::size_t kColumns = 5;
  constexpr std::size_t kStride = 7;
  std::vector<float> w = Random(static_cast<std::size_t>(n) * kStride, 3);
  std::vector<std::vector<float>> columns(kColumns, std::vector<float>(static_cast<std::size_t>(n)));
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) columns[c][r] = w[r * kStride + c];
    rotation.Apply(columns[c].data());
  }
  const float untouched = w[kColumns];
  rotation.ApplyToColumns(w.data(), kColumns, kStride);
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) {
      EXPECT_NEAR(w[r * kStride + c], columns[c][r], 1e-5) << "column " << c << " row " << r;
    }
  }
  EXPECT_EQ(w[kColumns], untouched);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RotationTest, testing::Values(1, 7, 24, 64, 72, 640, 1024, 2560));

TEST(Rotation, SpreadsAnOutlierOverTheBlock) {
  const Rotation rotation(256, true, kernels::KernelsFor(Isa::kReference));
  std::vector<float> x(256, 0.0f);
  x[17] = 16.0f;
  rotation.Apply(x.data());
  for (float v : x) EXPECT_NEAR(std::abs(v), 1.0f, 1e-5);
}

}  // namespace
}  // namespace tamis::cpu
