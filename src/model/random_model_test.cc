#include <gtest/gtest.h>

#include <vector>

#include "model/qwen3.h"

namespace tamis {
namespace {

TEST(RandomQwen3, HasTheShapeAndIsReproducible) {
  const Qwen3Config config = *ShapePreset("qwen3-reranker-8b");
  const Qwen3Model a = RandomQwen3(config, 1);
  const Qwen3Model b = RandomQwen3(config, 1);
  const Qwen3Model c = RandomQwen3(config, 2);
  ASSERT_EQ(a.layers.size(), 36u);
  EXPECT_EQ(a.layers[0].q_proj.rows(), 4096);
  EXPECT_EQ(a.layers[0].k_proj.rows(), 1024);
  EXPECT_EQ(a.layers[35].down_proj.cols(), 12288);
  ASSERT_TRUE(a.lm_head.has_value());
  std::vector<float> x(4096);
  std::vector<float> y(4096);
  a.layers[3].gate_proj.ReadRows(100, 1, x.data());
  b.layers[3].gate_proj.ReadRows(100, 1, y.data());
  EXPECT_EQ(x, y);
  c.layers[3].gate_proj.ReadRows(100, 1, y.data());
  EXPECT_NE(x, y);
  a.layers[3].up_proj.ReadRows(100, 1, y.data());
  EXPECT_NE(x, y);
}

}  // namespace
}  // namespace tamis
