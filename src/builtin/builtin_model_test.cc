#include "builtin/builtin_model.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tamis {
namespace {

TEST(BuiltinModel, HoldsTheFiles) {
  const BuiltinModel model = GetBuiltinModel();
  EXPECT_EQ(model.config_json.front(), '{');
  EXPECT_NE(model.config_json.find("Qwen3ForCausalLM"), std::string_view::npos);
  EXPECT_GT(model.tokenizer_json.size(), 1000000u);
  EXPECT_EQ(model.safetensors.size(), 16001432u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(model.safetensors.data()) % 64, 0u);
  EXPECT_NE(BuiltinNotice().find("Debian"), std::string_view::npos);
}

}  // namespace
}  // namespace tamis
