#include <gtest/gtest.h>

#include "model/config.h"

namespace tamis {
namespace {

TEST(ShapePreset, KnowsThePublishedSizes) {
  const auto small = ShapePreset("qwen3-reranker-0.6b");
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->hidden_size, 1024);
  EXPECT_EQ(small->layers, 28);
  EXPECT_TRUE(ShapePreset("qwen3-reranker-4b")->tied_embeddings);
  EXPECT_FALSE(ShapePreset("qwen3-reranker-8b")->tied_embeddings);
  EXPECT_EQ(ShapePreset("7b").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tamis
