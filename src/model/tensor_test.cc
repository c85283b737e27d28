#include "model/tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace tamis {
namespace {

template <class Word>
Tensor Make(DType dtype, const std::vector<Word>& words, std::int64_t rows, std::int64_t cols,
            std::vector<std::byte>* bytes,
            std::size_t offset = 1) {  // an odd offset: the format promises no alignment
  bytes->resize(offset + words.size() * sizeof(Word));
  std::memcpy(bytes->data() + offset, words.data(), words.size() * sizeof(Word));
  return Tensor("t", dtype, rows, cols, MappedFile::FromMemory(*bytes, "file"), offset);
}

// The value of a half-precision number by its definition.
float HalfValue(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  const float sign = (h & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

TEST(Tensor, EveryHalfIsReadRight) {
  std::vector<std::uint16_t> words(65536);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i);
  std::vector<std::byte> bytes;
  const Tensor tensor = Make(DType::kF16, words, 256, 256, &bytes);
  std::vector<float> values(65536);
  tensor.ReadRows(0, 256, values.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float want = HalfValue(words[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(want)) << i;
    }
  }
}

TEST(Tensor, ReadsBf16AndF32Rows) {
  std::vector<std::byte> bytes;
  const Tensor bf16 = Make<std::uint16_t>(DType::kBF16, {0x3f80, 0xc000, 0x0000, 0x4049}, 2, 2, &bytes);
  float row[2];
  bf16.ReadRows(1, 1, row);
  EXPECT_EQ(row[0], 0.0f);
  EXPECT_EQ(row[1], 3.140625f);
  std::vector<std::byte> more;
  const Tensor f32 = Make<float>(DType::kF32, {1, 2, 3, 4, 5, 6}, 3, 2, &more);
  float two[4];
  f32.ReadRows(1, 2, two);
  EXPECT_EQ(two[3], 6.0f);
}

TEST(Tensor, NamesTheFirstValueThatIsNotFinite) {
  for (float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<std::byte> bytes;
    const Tensor tensor = Make<float>(DType::kF32, {1, 2, 3, 4, bad, 6}, 3, 2, &bytes);
    EXPECT_TRUE(tensor.CheckFinite(0, 2).ok());
    const Status status = tensor.CheckFinite(0, 3);
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_NE(status.message().find("file: tensor t: element [2, 0]"), std::string::npos) << status.message();
  }
}

TEST(Tensor, RandomRowsAreReproducibleAndNormalEnough) {
  const Tensor tensor = Tensor::Random("r", 200, 500, 7, 0.5f, 2.0f);
  std::vector<float> all(200 * 500);
  tensor.ReadRows(0, 200, all.data());
  std::vector<float> row(500);
  tensor.ReadRows(77, 1, row.data());
  EXPECT_EQ(std::memcmp(row.data(), all.data() + 77 * 500, 500 * sizeof(float)), 0);
  double sum = 0;
  double squares = 0;
  for (float x : all) {
    sum += x;
    squares += (x - 0.5) * (x - 0.5);
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2.0, 0.03);
  EXPECT_NE(all[0], all[500]);
  EXPECT_TRUE(tensor.CheckFinite(0, 200).ok());
}

}  // namespace
}  // namespace tamis
