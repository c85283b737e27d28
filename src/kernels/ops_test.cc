// Norms, quantisation, transforms and head preparation of every instruction set give the reference's very bits.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "kernels/kernels.h"

namespace tamis::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint8_t kGuard = 0x5a;

std::vector<float> Gaussian(int n, unsigned seed, float deviation = 1.0f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& value : x) value = normal(random);
  return x;
}

int Padded(int n) { return (n + kDepthAlignment - 1) / kDepthAlignment * kDepthAlignment; }

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Codes {
  std::vector<std::uint8_t> bytes;  // without the bias, with guard bytes at the end
  float scale = -1;
};

// Runs a quantising function on a copy of x.
using QuantizeCall = std::function<void(const Kernels&, float* x, int n, int n_padded, void* out, float* scale)>;
Codes QuantizeWith(const Kernels& kernels, std::vector<float> x, const QuantizeCall& call) {
  const int n = static_cast<int>(x.size());
  Codes codes;
  codes.bytes.assign(static_cast<std::size_t>(Padded(n)) + 16, kGuard);
  call(kernels, x.data(), n, Padded(n), codes.bytes.data(), &codes.scale);
  for (int i = 0; i < Padded(n); ++i)
    codes.bytes[i] = static_cast<std::uint8_t>(codes.bytes[i] - kernels.activation_bias);
  return codes;
}

class OpsTest : public testing::TestWithParam<Isa> {
 protected:
  const Kernels& kernels() const { return KernelsFor(GetParam()); }
  const Kernels& reference() const { return KernelsFor(Isa::kReference); }

  void ExpectSameCodes(const std::vector<float>& x, const QuantizeCall& call) const {
    const Codes expected = QuantizeWith(reference(), x, call);
    const Codes found = QuantizeWith(kernels(), x, call);
    EXPECT_EQ(found.bytes, expected.bytes) << "n = " << x.size();
    if (std::isnan(expected.scale)) {
      EXPECT_TRUE(std::isnan(found.scale));
    } else {
      EXPECT_EQ(found.scale, expected.scale) << "n = " << x.size();
    }
  }
};

const QuantizeCall kQuantize = [](const Kernels& k, float* x, int n, int n_padded, void* out, float* scale) {
  k.quantize(x, n, n_padded, out, scale);
};
const QuantizeCall kRmsNormQuantize = [](const Kernels& k, float* x, int n, int n_padded, void* out, float* scale) {
  k.rms_norm_quantize(x, n, n_padded, 1e-6f, out, scale);
};

constexpr int kLengths[] = {1, 7, 16, 17, 24, 40, 63, 64, 65, 100, 128, 250, 896, 1000, 1024, 2560, 3072};

TEST_P(OpsTest, QuantizesEveryLength) {
  for (const int n : kLengths) {
    ExpectSameCodes(Gaussian(n, 1u + n), kQuantize);
    ExpectSameCodes(Gaussian(n, 2u + n, 1e-12f), kQuantize);
    ExpectSameCodes(Gaussian(n, 3u + n, 1e30f), kQuantize);
  }
}

TEST_P(OpsTest, NormalisesAndQuantizesEveryLength) {
  for (const int n : kLengths) {
    ExpectSameCodes(Gaussian(n, 4u + n), kRmsNormQuantize);
    ExpectSameCodes(Gaussian(n, 5u + n, 1e-5f), kRmsNormQuantize);
  }
}

TEST_P(OpsTest, QuantizesExtremeRows) {
  for (const QuantizeCall& call : {kQuantize, kRmsNormQuantize}) {
    for (const int n : {5, 64, 100, 1024}) {
      const std::size_t size = static_cast<std::size_t>(n);
      ExpectSameCodes(std::vector<float>(size, 0.0f), call);
      ExpectSameCodes(std::vector<float>(size, -0.0f), call);
      ExpectSameCodes(std::vector<float>(size, 1e-42f), call);
      ExpectSameCodes(std::vector<float>(size, 1e-30f), call);
      ExpectSameCodes(std::vector<float>(size, -3.0f), call);
      ExpectSameCodes(std::vector<float>(size, std::numeric_limits<float>::max()), call);
      for (const float bad : {kInf, -kInf, kNan}) {
        std::vector<float> x = Gaussian(n, 6);
        x[size - 2] = bad;
        ExpectSameCodes(x, call);
        EXPECT_TRUE(std::isnan(QuantizeWith(kernels(), x, call).scale));
      }
    }
  }
}

TEST_P(OpsTest, CodesStayWithin127AndUseIt) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Codes codes = QuantizeWith(kernels(), Gaussian(192, seed), kQuantize);
    int largest = 0;
    for (int i = 0; i < 192; ++i) largest = std::max(largest, std::abs(static_cast<std::int8_t>(codes.bytes[i])));
    EXPECT_EQ(largest, 127) << "seed " << seed;
  }
}

TEST_P(OpsTest, NormalisesFloats) {
  for (const int n : kLengths) {
    const std::vector<float> x = Gaussian(n, 7u + n);
    const std::vector<float> weight = Gaussian(n, 8u + n);
    std::vector<float> expected(x.size() + 4, 7.0f);
    std::vector<float> found = expected;
    reference().rms_norm_f32(x.data(), weight.data(), n, 1e-6f, expected.data());
    kernels().rms_norm_f32(x.data(), weight.data(), n, 1e-6f, found.data());
    EXPECT_TRUE(SameBits(found, expected)) << "n = " << n;
  }
}

struct Blocks {
  int n;
  int block;
};
constexpr Blocks kBlocks[] = {{5, 1},       {24, 8},      {40, 8},      {6, 2},        {12, 4},
                              {16, 16},     {48, 16},     {96, 32},     {64, 64},      {320, 64},
                              {128, 128},   {256, 256},   {768, 256},   {512, 512},    {2560, 512},
                              {1024, 1024}, {3072, 1024}, {2048, 2048}, {12288, 4096}, {8192, 8192}};

TEST_P(OpsTest, Transforms) {
  for (const auto& [n, block] : kBlocks) {
    std::vector<float> expected = Gaussian(n, 9u + n);
    expected.resize(expected.size() + 4, 7.0f);
    std::vector<float> found = expected;
    reference().hadamard(expected.data(), n, block);
    kernels().hadamard(found.data(), n, block);
    EXPECT_TRUE(SameBits(found, expected)) << n << " in blocks of " << block;
    const int block_size = block;
    ExpectSameCodes(Gaussian(n, 10u + n),
                    [block_size](const Kernels& k, float* x, int length, int n_padded, void* out, float* scale) {
                      k.hadamard_quantize(x, length, n_padded, block_size, out, scale);
                    });
  }
}

TEST_P(OpsTest, TransformsTwiceToTheSame) {
  for (const auto& [n, block] : kBlocks) {
    const std::vector<float> x = Gaussian(n, 11u + n);
    std::vector<float> y = x;
    kernels().hadamard(y.data(), n, block);
    kernels().hadamard(y.data(), n, block);
    for (int i = 0; i < n; ++i) ASSERT_NEAR(y[i], x[i], 2e-5f) << n << " in blocks of " << block;
  }
}

TEST_P(OpsTest, TransformsNanToNan) {
  std::vector<float> x = Gaussian(3072, 12);
  x[1500] = kNan;
  const Codes codes =
      QuantizeWith(kernels(), x, [](const Kernels& k, float* row, int n, int n_padded, void* out, float* scale) {
        k.hadamard_quantize(row, n, n_padded, 1024, out, scale);
      });
  EXPECT_TRUE(std::isnan(codes.scale));
}

TEST_P(OpsTest, ButterfliesAndDots) {
  for (const int n : kLengths) {
    std::vector<float> a = Gaussian(n, 13u + n);
    std::vector<float> b = Gaussian(n, 14u + n);
    const std::size_t size = static_cast<std::size_t>(n);
    EXPECT_EQ(kernels().dot_f32(a.data(), b.data(), size), reference().dot_f32(a.data(), b.data(), size))
        << "n = " << n;
    std::vector<float> expected_a = a;
    std::vector<float> expected_b = b;
    reference().butterfly(expected_a.data(), expected_b.data(), size);
    kernels().butterfly(a.data(), b.data(), size);
    EXPECT_TRUE(SameBits(a, expected_a) && SameBits(b, expected_b)) << "n = " << n;
  }
}

// A row's heads and where they go.
struct HeadRow {
  HeadRow(const Kernels& k, int head_dim, int q_heads, int kv_heads, int slot, bool int8) : kernels(k) {
    heads.q_heads = q_heads;
    heads.kv_heads = kv_heads;
    heads.head_dim = head_dim;
    heads.head_dim_padded = Padded(head_dim);
    heads.eps = 1e-6f;
    heads.hadamard_block = head_dim & -head_dim;
    q_norm = Gaussian(head_dim, 20);
    k_norm = Gaussian(head_dim, 21);
    qkv = Gaussian((q_heads + 2 * kv_heads) * head_dim, 22u + slot);
    for (int i = 0; i < head_dim / 2; ++i) {
      rope_cos.push_back(std::cos(0.37f * static_cast<float>(i * slot)));
      rope_sin.push_back(std::sin(0.37f * static_cast<float>(i * slot)));
    }
    q_bytes = AlignedBuffer<std::uint8_t>(static_cast<std::size_t>(q_heads) * heads.head_dim_padded * sizeof(float));
    std::memset(q_bytes.data(), kGuard, q_bytes.size());
    q_scale.assign(static_cast<std::size_t>(q_heads), -1.0f);
    const std::size_t page_bytes = int8 ? PageBytesS8(heads.head_dim_padded) : PageBytesF32(head_dim);
    for (int h = 0; h < kv_heads; ++h) {
      page_buffers.emplace_back(page_bytes);
      std::memset(page_buffers.back().data(), kGuard, page_bytes);
      pages.push_back(page_buffers.back().data());
    }
    args.heads = &heads;
    args.slot = slot;
    heads.q_norm = q_norm.data();
    heads.k_norm = k_norm.data();
    args.qkv = qkv.data();
    args.rope_cos = rope_cos.data();
    args.rope_sin = rope_sin.data();
    args.q = q_bytes.data();
    args.q_scale = q_scale.data();
    args.pages = pages.data();
  }
  HeadRow(const HeadRow&) = delete;

  const Kernels& kernels;
  HeadArgs heads;
  HeadRowArgs args;
  std::vector<float> q_norm, k_norm, qkv, rope_cos, rope_sin, q_scale;
  AlignedBuffer<std::uint8_t> q_bytes;
  std::vector<AlignedBuffer<std::uint8_t>> page_buffers;
  std::vector<void*> pages;
};

void ExpectSameBytes(const AlignedBuffer<std::uint8_t>& found, const AlignedBuffer<std::uint8_t>& expected, int flip,
                     std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(found[i] ^ flip, expected[i]) << "byte " << i;
}

constexpr int kHeadDims[] = {16, 24, 40, 64, 80, 96, 128, 256};

TEST_P(OpsTest, PreparesHeadsInt8) {
  for (const int head_dim : kHeadDims) {
    for (const int slot : {0, 1, 2, 31, 63}) {
      SCOPED_TRACE(testing::Message() << "head_dim " << head_dim << ", slot " << slot);
      HeadRow expected(reference(), head_dim, 4, 2, slot, true);
      HeadRow found(kernels(), head_dim, 4, 2, slot, true);
      reference().head_row_s8(expected.args);
      kernels().head_row_s8(found.args);
      EXPECT_EQ(found.q_scale, expected.q_scale);
      // The bias of queries is the table's own affair: the padding's or a zero's code tells it.
      const std::size_t q_size = 4 * static_cast<std::size_t>(found.heads.head_dim_padded);
      const int flip = (found.q_bytes[0] ^ expected.q_bytes[0]) & 0x80;
      ExpectSameBytes(found.q_bytes, expected.q_bytes, flip, q_size);
      for (int h = 0; h < 2; ++h) {
        ExpectSameBytes(found.page_buffers[h], expected.page_buffers[h], 0, found.page_buffers[h].size());
      }
    }
  }
}

TEST_P(OpsTest, PreparesHeadsF32) {
  for (const int head_dim : kHeadDims) {
    SCOPED_TRACE(testing::Message() << "head_dim " << head_dim);
    HeadRow expected(reference(), head_dim, 5, 1, 17, false);
    HeadRow found(kernels(), head_dim, 5, 1, 17, false);
    reference().head_row_f32(expected.args);
    kernels().head_row_f32(found.args);
    ExpectSameBytes(found.q_bytes, expected.q_bytes, 0, found.q_bytes.size());
    ExpectSameBytes(found.page_buffers[0], expected.page_buffers[0], 0, found.page_buffers[0].size());
  }
}

TEST_P(OpsTest, HeadsWithNanGiveNanScales) {
  HeadRow row(kernels(), 128, 2, 1, 3, true);
  row.qkv[5] = kNan;            // query head 0
  row.qkv[2 * 128 + 7] = kInf;  // key
  row.qkv[3 * 128] = kNan;      // value
  kernels().head_row_s8(row.args);
  const PageS8 page = ViewPageS8(row.pages[0], 128);
  EXPECT_TRUE(std::isnan(row.q_scale[0]));
  EXPECT_FALSE(std::isnan(row.q_scale[1]));
  EXPECT_TRUE(std::isnan(page.k_scale[3]));
  EXPECT_TRUE(std::isnan(page.v_scale[3]));
  EXPECT_EQ(page.k_sum[3], 0);
}

INSTANTIATE_TEST_SUITE_P(Isas, OpsTest, testing::ValuesIn(SupportedIsas()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace tamis::kernels
