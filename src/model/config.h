// config.json of a Qwen3 model, in the style of transformers 4 or 5, checked against what tamis can run.
#pragma once

#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis {

struct Qwen3Config {
  std::string architecture;  // "Qwen3ForCausalLM" or "Qwen3ForSequenceClassification"
  int hidden_size = 0;
  int layers = 0;
  int q_heads = 0;
  int kv_heads = 0;  // divides q_heads
  int head_dim = 0;  // even
  int intermediate_size = 0;
  int vocab_size = 0;
  int max_positions = 0;  // tokens
  float rms_norm_eps = 0;
  double rope_theta = 0;
  bool tied_embeddings = false;

  bool sequence_classification() const { return architecture == "Qwen3ForSequenceClassification"; }
};

// Errors: DataLoss (not JSON, a field missing or of the wrong kind), Unimplemented (an architecture, rope, attention or
// activation variant that tamis does not run), naming file, field, what was found and what was expected.
Result<Qwen3Config> ParseQwen3Config(std::string_view json, const std::string& file_name);

// The shapes of the published models: "qwen3-reranker-0.6b", "qwen3-reranker-4b", "qwen3-reranker-8b".
// Errors: NotFound, listing the names.
Result<Qwen3Config> ShapePreset(std::string_view name);

}  // namespace tamis
