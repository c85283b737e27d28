// Fuzzes the readers of config.json and of a shard index; what they accept keeps the bounds that others rely on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/checkpoint.h"
#include "model/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto config = tamis::ParseQwen3Config(text, "fuzz"); config.ok()) {
    for (const int positive : {config->hidden_size, config->layers, config->q_heads, config->kv_heads, config->head_dim,
                               config->intermediate_size, config->vocab_size, config->max_positions}) {
      if (positive < 1) std::abort();
    }
    if (config->q_heads % config->kv_heads != 0 || config->head_dim % 2 != 0) std::abort();
    if (!(config->rope_theta > 0) || !(config->rms_norm_eps >= 0 && config->rms_norm_eps <= 1)) std::abort();
  }
  if (const auto index = tamis::ParseShardIndex(text, "fuzz"); index.ok()) {
    for (const auto& [tensor, shard] : *index) {
      if (shard.empty() || shard.find('/') != std::string::npos || shard == "..") std::abort();
    }
  }
  return 0;
}
