// A Qwen3 model as it lies on disk (or in memory, or nowhere): its configuration and its tensors, all checked to be
// there in the right shape. Nothing is converted or copied yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/tensor.h"
#include "tamis/status.h"

namespace tamis {

struct Qwen3Layer {
  Tensor input_norm;           // [hidden]
  Tensor q_proj;               // [q_heads * head_dim, hidden]
  Tensor k_proj;               // [kv_heads * head_dim, hidden]
  Tensor v_proj;               // [kv_heads * head_dim, hidden]
  Tensor o_proj;               // [hidden, q_heads * head_dim]
  Tensor q_norm;               // [head_dim]
  Tensor k_norm;               // [head_dim]
  Tensor post_attention_norm;  // [hidden]
  Tensor gate_proj;            // [intermediate, hidden]
  Tensor up_proj;              // [intermediate, hidden]
  Tensor down_proj;            // [hidden, intermediate]
};

// A value; copies share the mapped files.
struct Qwen3Model {
  Qwen3Config config;
  Tensor embedding;               // [vocab, hidden]
  Tensor final_norm;              // [hidden]
  std::optional<Tensor> lm_head;  // [vocab, hidden]; none where it is tied to the embedding
  std::optional<Tensor> score;    // [1, hidden]; sequence classifiers only
  std::vector<Qwen3Layer> layers;
  std::string source;             // folder or name, for messages
};

// A Hugging Face folder: config.json, and model.safetensors or model.safetensors.index.json with its shards.
// A checkpoint that says tie_word_embeddings uses the embedding even where a file holds an lm_head too, as the
// reference does.
// Errors: NotFound, DataLoss or Unimplemented, naming file and tensor or field, what was found and what was expected.
Result<Qwen3Model> LoadQwen3Folder(const std::string& folder);

// The same from bytes, which must outlive the model.
Result<Qwen3Model> LoadQwen3FromMemory(std::string_view config_json, std::span<const std::byte> safetensors,
                                       const std::string& name);

// A model of the given shape with random weights, deterministic by seed, that keeps activations in a normal range. No
// memory is taken: values are made as they are read.
Qwen3Model RandomQwen3(const Qwen3Config& config, std::uint64_t seed);

}  // namespace tamis
