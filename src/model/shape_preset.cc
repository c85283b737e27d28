// The sizes of the published Qwen3-Reranker models, by name.
#include <fmt/core.h>

#include "model/config.h"

namespace tamis {

Result<Qwen3Config> ShapePreset(std::string_view name) {
  Qwen3Config config;
  config.architecture = "Qwen3ForCausalLM";
  config.head_dim = 128;
  config.kv_heads = 8;
  config.vocab_size = 151669;
  config.max_positions = 40960;
  config.rms_norm_eps = 1e-6f;
  config.rope_theta = 1e6;
  const auto sizes = [&config](int hidden, int layers, int q_heads, int intermediate, bool tied) {
    config.hidden_size = hidden;
    config.layers = layers;
    config.q_heads = q_heads;
    config.intermediate_size = intermediate;
    config.tied_embeddings = tied;
  };
  if (name == "qwen3-reranker-0.6b") {
    sizes(1024, 28, 16, 3072, true);
  } else if (name == "qwen3-reranker-4b") {
    sizes(2560, 36, 32, 9728, true);
  } else if (name == "qwen3-reranker-8b") {
    sizes(4096, 36, 32, 12288, false);
  } else {
    return NotFound(
        fmt::format("no shape \"{}\"; there are qwen3-reranker-0.6b, qwen3-reranker-4b and qwen3-reranker-8b", name));
  }
  return config;
}

}  // namespace tamis
