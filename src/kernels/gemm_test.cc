// Every supported instruction set's matrix products against the reference, at ragged shapes and extreme values, and
// against themselves: a row alone equals the row among others, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <tuple>

#include "base/aligned_buffer.h"
#include "kernels/kernels.h"
#include "kernels/pack.h"

namespace tamis::kernels {
namespace {

int RoundUp(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

enum class Fill { kRandom, kExtreme };

// One int8 product with random weights and activations, in the form that a table wants.
struct S8Problem {
  S8Problem(const Kernels& kernels, int rows_in, int n, int k, Fill fill, unsigned seed)
      : rows(rows_in), k_padded(RoundUp(k, kDepthAlignment)) {
    std::mt19937 random(seed);
    const int n_padded = RoundUp(n, kPanelColumns);
    data = AlignedBuffer<std::int8_t>(static_cast<std::size_t>(n_padded) * static_cast<std::size_t>(k_padded));
    scale = AlignedBuffer<float>(static_cast<std::size_t>(n_padded));
    sum = AlignedBuffer<std::int32_t>(static_cast<std::size_t>(n_padded));
    std::memset(data.data(), 0, data.size_bytes());
    std::memset(scale.data(), 0, scale.size_bytes());
    std::memset(sum.data(), 0, sum.size_bytes());
    b = {data.data(), scale.data(), sum.data(), n, k, n_padded, k_padded};
    std::vector<float> column(static_cast<std::size_t>(k));
    for (int c = 0; c < n; ++c) {
      for (float& w : column) w = static_cast<float>(Value(random, fill));
      PackColumnS8(column.data(), b, c, data.data(), scale.data(), sum.data());
    }
    a.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(k_padded),
             static_cast<std::uint8_t>(kernels.activation_bias));
    a_scale.resize(static_cast<std::size_t>(rows));
    for (int m = 0; m < rows; ++m) {
      for (int i = 0; i < k; ++i) {
        a[static_cast<std::size_t>(m) * static_cast<std::size_t>(k_padded) + static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(Value(random, fill) + kernels.activation_bias);
      }
      a_scale[static_cast<std::size_t>(m)] = 0.001f * static_cast<float>(1 + random() % 100);
    }
  }

  static int Value(std::mt19937& random, Fill fill) {
    return fill == Fill::kExtreme ? (random() % 8 == 0 ? -127 : 127) : static_cast<int>(random() % 255) - 127;
  }

  // Runs rows [begin, begin + count) into a buffer with a guard value in every place that must not be written.
  std::vector<float> Run(const Kernels& kernels, int begin, int count, GemmOutput output, int panel_begin,
                         int panel_end) const {
    std::vector<float> c(static_cast<std::size_t>(count) * static_cast<std::size_t>(b.n_padded), 0.5f);
    kernels.gemm_s8({a.data() + static_cast<std::size_t>(begin) * static_cast<std::size_t>(k_padded),
                     static_cast<std::size_t>(k_padded), a_scale.data() + begin, &b, count, panel_begin, panel_end,
                     c.data(), static_cast<std::size_t>(b.n_padded), output});
    return c;
  }

  int rows;
  int k_padded;
  AlignedBuffer<std::int8_t> data;
  AlignedBuffer<float> scale;
  AlignedBuffer<std::int32_t> sum;
  PackedS8 b;
  std::vector<std::uint8_t> a;
  std::vector<float> a_scale;
};

struct F32Problem {
  F32Problem(int rows_in, int n, int k, unsigned seed) : rows(rows_in) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    const int n_padded = RoundUp(n, kPanelColumns);
    data = AlignedBuffer<float>(static_cast<std::size_t>(n_padded) * static_cast<std::size_t>(k));
    std::memset(data.data(), 0, data.size_bytes());
    b = {data.data(), n, k, n_padded};
    std::vector<float> column(static_cast<std::size_t>(k));
    for (int c = 0; c < n; ++c) {
      for (float& w : column) w = normal(random);
      PackColumnF32(column.data(), b, c, data.data());
    }
    a.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(k));
    for (float& x : a) x = normal(random);
  }

  std::vector<float> Run(const Kernels& kernels, int begin, int count, GemmOutput output, int panel_begin,
                         int panel_end) const {
    std::vector<float> c(static_cast<std::size_t>(count) * static_cast<std::size_t>(b.n_padded), 0.5f);
    kernels.gemm_f32({a.data() + static_cast<std::size_t>(begin) * static_cast<std::size_t>(b.k),
                      static_cast<std::size_t>(b.k), &b, count, panel_begin, panel_end, c.data(),
                      static_cast<std::size_t>(b.n_padded), output});
    return c;
  }

  int rows;
  AlignedBuffer<float> data;
  PackedF32 b;
  std::vector<float> a;
};

void ExpectEqualBits(const std::vector<float>& got, const std::vector<float>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(float)), 0)
        << what << " element " << i << ": " << got[i] << " " << want[i];
  }
}

// SiLU's exp differs between instruction sets in the last places.
void ExpectClose(const std::vector<float>& got, const std::vector<float>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], 2e-6f * std::abs(want[i]) + 1e-30f) << what << " element " << i;
  }
}

std::string Name(const char* kind, int rows, int n, int k) {
  return std::string(kind) + " " + std::to_string(rows) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

class GemmTest : public testing::TestWithParam<Isa> {
 protected:
  const Kernels& kernels() const { return KernelsFor(GetParam()); }
  const Kernels& reference() const { return KernelsFor(Isa::kReference); }
};

constexpr std::tuple<int, int, int> kShapes[] = {{1, 1, 1},      {1, 64, 64},    {2, 16, 4},     {5, 72, 72},
                                                 {6, 100, 130},  {7, 64, 640},   {16, 128, 65},  {17, 192, 40},
                                                 {33, 288, 256}, {49, 65, 1030}, {100, 130, 515}};

TEST_P(GemmTest, Int8EqualsTheReference) {
  unsigned seed = 0;
  for (const auto& [rows, n, k] : kShapes) {
    for (Fill fill : {Fill::kRandom, Fill::kExtreme}) {
      const S8Problem ours(kernels(), rows, n, k, fill, ++seed);
      const S8Problem theirs(reference(), rows, n, k, fill, seed);
      const int panels = ours.b.n_padded / kPanelColumns;
      for (GemmOutput output : {GemmOutput::kStore, GemmOutput::kAdd}) {
        ExpectEqualBits(ours.Run(kernels(), 0, rows, output, 0, panels),
                        theirs.Run(reference(), 0, rows, output, 0, panels), Name("s8", rows, n, k));
      }
    }
  }
}

TEST_P(GemmTest, Int8SiluMulFollowsTheReference) {
  for (const auto& [rows, n, k] : kShapes) {
    if (n % 32 != 0) continue;
    const S8Problem ours(kernels(), rows, n, k, Fill::kRandom, 3);
    const S8Problem theirs(reference(), rows, n, k, Fill::kRandom, 3);
    const int panels = ours.b.n_padded / kPanelColumns;
    ExpectClose(ours.Run(kernels(), 0, rows, GemmOutput::kSiluMul, 0, panels),
                theirs.Run(reference(), 0, rows, GemmOutput::kSiluMul, 0, panels), Name("silu", rows, n, k));
  }
}

TEST_P(GemmTest, F32EqualsTheReference) {
  unsigned seed = 0;
  for (const auto& [rows, n, k] : kShapes) {
    const F32Problem problem(rows, n, k, ++seed);
    const int panels = problem.b.n_padded / kPanelColumns;
    for (GemmOutput output : {GemmOutput::kStore, GemmOutput::kAdd}) {
      ExpectEqualBits(problem.Run(kernels(), 0, rows, output, 0, panels),
                      problem.Run(reference(), 0, rows, output, 0, panels), Name("f32", rows, n, k));
    }
    if (n % 32 == 0) {
      ExpectClose(problem.Run(kernels(), 0, rows, GemmOutput::kSiluMul, 0, panels),
                  problem.Run(reference(), 0, rows, GemmOutput::kSiluMul, 0, panels), Name("f32 silu", rows, n, k));
    }
  }
}

TEST_P(GemmTest, ARowAloneEqualsTheRowAmongOthers) {
  constexpr int kRows = 131;
  const S8Problem s8(kernels(), kRows, 160, 200, Fill::kRandom, 11);
  const F32Problem f32(kRows, 160, 200, 12);
  const std::size_t width = static_cast<std::size_t>(s8.b.n_padded);
  for (GemmOutput output : {GemmOutput::kStore, GemmOutput::kAdd, GemmOutput::kSiluMul}) {
    const auto all_s8 = s8.Run(kernels(), 0, kRows, output, 0, 3);
    const auto all_f32 = f32.Run(kernels(), 0, kRows, output, 0, 3);
    for (int m = 0; m < kRows; ++m) {
      const auto row = [&](const std::vector<float>& all) {
        return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m) * width),
                                  all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m + 1) * width));
      };
      ExpectEqualBits(s8.Run(kernels(), m, 1, output, 0, 3), row(all_s8), "s8 row " + std::to_string(m));
      ExpectEqualBits(f32.Run(kernels(), m, 1, output, 0, 3), row(all_f32), "f32 row " + std::to_string(m));
    }
  }
}

TEST_P(GemmTest, OnlyThePanelsAskedForAreWritten) {
  const S8Problem s8(kernels(), 9, 200, 64, Fill::kRandom, 5);
  const auto whole = s8.Run(kernels(), 0, 9, GemmOutput::kStore, 0, 4);
  const auto part = s8.Run(kernels(), 0, 9, GemmOutput::kStore, 1, 3);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const int column = static_cast<int>(i % static_cast<std::size_t>(s8.b.n_padded));
    const bool inside = column >= 64 && column < 192;
    EXPECT_EQ(part[i], inside ? whole[i] : 0.5f) << column;
    if (column >= 200) { EXPECT_EQ(whole[i], 0.5f) << column; }
  }
}

TEST_P(GemmTest, PeakLoopsCountTheirWork) {
  EXPECT_GT(kernels().peak_s8(10), 0);
  EXPECT_DOUBLE_EQ(kernels().peak_s8(20), 2 * kernels().peak_s8(10));
  EXPECT_DOUBLE_EQ(kernels().peak_f32(20), 2 * kernels().peak_f32(10));
}

INSTANTIATE_TEST_SUITE_P(Isas, GemmTest, testing::ValuesIn(SupportedIsas()),
                         [](const auto& param) { return std::string(IsaName(param.param)); });

}  // namespace
}  // namespace tamis::kernels
