// Models of any shape without a download: for benchmarks of the published sizes, and for tests.
#include <cmath>

#include "model/qwen3.h"

namespace tamis {
namespace {

// Hands out tensors with seeds of their own.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : seed_(seed) {}

  Tensor Vector(std::string name, std::int64_t size, float mean = 1.0f) {
    return Tensor::Random(std::move(name), 1, size, Next(), mean, 0.05f * mean);
  }
  // Outputs keep the inputs' variance, times gain squared.
  Tensor Matrix(std::string name, std::int64_t rows, std::int64_t cols, float gain = 1.0f) {
    return Tensor::Random(std::move(name), rows, cols, Next(), 0.0f, gain / std::sqrt(static_cast<float>(cols)));
  }

 private:
  std::uint64_t Next() { return seed_ * 1000003 + ++count_; }

  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

}  // namespace

Qwen3Model RandomQwen3(const Qwen3Config& config, std::uint64_t seed) {
  Qwen3Model model;
  model.config = config;
  model.source = "random weights";
  Maker make(seed);
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t q = static_cast<std::int64_t>(config.q_heads) * config.head_dim;
  const std::int64_t kv = static_cast<std::int64_t>(config.kv_heads) * config.head_dim;
  const std::int64_t inner = config.intermediate_size;
  // Each of the 2 L additions to the residual stream is scaled so that its variance doubles in all.
  const float residual_gain = 1.0f / std::sqrt(2.0f * static_cast<float>(config.layers));
  model.embedding = Tensor::Random("model.embed_tokens.weight", config.vocab_size, hidden, seed, 0.0f, 1.0f);
  // Logits have a deviation of about 1: an embedding of deviation 1 that serves as the head needs the smaller norm.
  const bool head_is_embedding = config.tied_embeddings && !config.sequence_classification();
  const float final_scale = head_is_embedding ? 1.0f / std::sqrt(static_cast<float>(hidden)) : 1.0f;
  model.final_norm = make.Vector("model.norm.weight", hidden, final_scale);
  for (int i = 0; i < config.layers; ++i) {
    Qwen3Layer layer;
    layer.input_norm = make.Vector("input_layernorm", hidden);
    layer.q_proj = make.Matrix("q_proj", q, hidden);
    layer.k_proj = make.Matrix("k_proj", kv, hidden);
    layer.v_proj = make.Matrix("v_proj", kv, hidden);
    layer.o_proj = make.Matrix("o_proj", hidden, q, residual_gain);
    layer.q_norm = make.Vector("q_norm", config.head_dim);
    layer.k_norm = make.Vector("k_norm", config.head_dim);
    layer.post_attention_norm = make.Vector("post_attention_layernorm", hidden);
    layer.gate_proj = make.Matrix("gate_proj", inner, hidden);
    layer.up_proj = make.Matrix("up_proj", inner, hidden);
    layer.down_proj = make.Matrix("down_proj", hidden, inner, 2.0f * residual_gain);
    model.layers.push_back(std::move(layer));
  }
  if (config.sequence_classification()) {
    model.score = make.Matrix("score.weight", 1, hidden);
  } else if (!config.tied_embeddings) {
    model.lm_head = make.Matrix("lm_head.weight", config.vocab_size, hidden);
  }
  return model;
}

}  // namespace tamis
