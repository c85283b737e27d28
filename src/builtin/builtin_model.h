// The demonstration model that is part of the library: tamis-mini (models/tamis-mini/README.md).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tamis {

struct BuiltinModel {
  std::string_view name;
  std::string_view config_json;
  std::string_view tokenizer_json;
  std::span<const std::byte> safetensors;
};

// The bytes live as long as the program.
BuiltinModel GetBuiltinModel();

// Where the model's training data comes from and under which licences.
std::string_view BuiltinNotice();

}  // namespace tamis
