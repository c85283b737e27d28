#include "model/qwen3.h"

#include <fmt/core.h>

#include <filesystem>

#include "model/checkpoint.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kConfigBytesMax = 4u << 20;

// What stands before the names of the tensors but the head's: base-model exports lack the "model." of the others.
std::string_view NamePrefix(const Checkpoint& checkpoint) {
  const bool bare = !checkpoint.Has("model.embed_tokens.weight") && checkpoint.Has("embed_tokens.weight");
  return bare ? "" : "model.";
}

Result<Qwen3Layer> TakeLayer(const Checkpoint& from, const Qwen3Config& c, int index) {
  const std::int64_t hidden = c.hidden_size;
  const std::int64_t q = static_cast<std::int64_t>(c.q_heads) * c.head_dim;
  const std::int64_t kv = static_cast<std::int64_t>(c.kv_heads) * c.head_dim;
  const std::int64_t inner = c.intermediate_size;
  const std::string prefix = fmt::format("{}layers.{}.", NamePrefix(from), index);
  const auto take = [&](const char* name, const std::vector<std::int64_t>& shape) {
    return from.Take(fmt::format("{}{}.weight", prefix, name), shape);
  };
  Qwen3Layer layer;
  TAMIS_ASSIGN_OR_RETURN(layer.input_norm, take("input_layernorm", {hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.q_proj, take("self_attn.q_proj", {q, hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.k_proj, take("self_attn.k_proj", {kv, hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.v_proj, take("self_attn.v_proj", {kv, hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.o_proj, take("self_attn.o_proj", {hidden, q}));
  TAMIS_ASSIGN_OR_RETURN(layer.q_norm, take("self_attn.q_norm", {c.head_dim}));
  TAMIS_ASSIGN_OR_RETURN(layer.k_norm, take("self_attn.k_norm", {c.head_dim}));
  TAMIS_ASSIGN_OR_RETURN(layer.post_attention_norm, take("post_attention_layernorm", {hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.gate_proj, take("mlp.gate_proj", {inner, hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.up_proj, take("mlp.up_proj", {inner, hidden}));
  TAMIS_ASSIGN_OR_RETURN(layer.down_proj, take("mlp.down_proj", {hidden, inner}));
  return layer;
}

Status TakeHead(const Checkpoint& from, Qwen3Model* model) {
  const Qwen3Config& c = model->config;
  if (c.sequence_classification()) {
    if (!from.Has("score.weight")) {
      return DataLoss(
          fmt::format("{}: score.weight is missing: the sequence classifier has no head to score with", model->source));
    }
    TAMIS_ASSIGN_OR_RETURN(model->score, from.Take("score.weight", {1, c.hidden_size}));
    return OkStatus();
  }
  if (c.tied_embeddings) return OkStatus();
  if (!from.Has("lm_head.weight")) {
    return DataLoss(
        fmt::format("{}: lm_head.weight is missing and tie_word_embeddings is false: the model has no head to "
                    "score with",
                    model->source));
  }
  TAMIS_ASSIGN_OR_RETURN(model->lm_head, from.Take("lm_head.weight", {c.vocab_size, c.hidden_size}));
  return OkStatus();
}

// Weights that the graph has no place for must not be ignored in silence: the scores would be another model's.
Status RefuseUnknown(const Checkpoint& checkpoint, const Qwen3Config& config) {
  const std::string beyond = fmt::format("{}layers.{}.", NamePrefix(checkpoint), config.layers);
  return checkpoint.ForEach([&](const std::string& name, const std::string& file) -> Status {
    if (name.starts_with(beyond)) {
      return DataLoss(fmt::format("{}: tensor {} is one layer too many; expected {}, by num_hidden_layers", file, name,
                                  config.layers));
    }
    for (const char* ending : {".bias", ".lora_A.weight", ".lora_B.weight"}) {
      if (name.ends_with(ending)) {
        return Unimplemented(fmt::format("{}: tensor {}: Qwen3 has no such weight; it would be ignored", file, name));
      }
    }
    return OkStatus();
  });
}

Result<Qwen3Model> Assemble(const Qwen3Config& config, const Checkpoint& from, const std::string& source) {
  Qwen3Model model;
  model.config = config;
  model.source = source;
  const std::string prefix(NamePrefix(from));
  TAMIS_ASSIGN_OR_RETURN(model.embedding,
                         from.Take(prefix + "embed_tokens.weight", {config.vocab_size, config.hidden_size}));
  TAMIS_ASSIGN_OR_RETURN(model.final_norm, from.Take(prefix + "norm.weight", {config.hidden_size}));
  for (int i = 0; i < config.layers; ++i) {
    TAMIS_ASSIGN_OR_RETURN(Qwen3Layer layer, TakeLayer(from, config, i));
    model.layers.push_back(std::move(layer));
  }
  TAMIS_RETURN_IF_ERROR(TakeHead(from, &model));
  TAMIS_RETURN_IF_ERROR(RefuseUnknown(from, config));
  return model;
}

Status CheckFolder(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::directory) return OkStatus();
  if (fs::exists(status)) return NotFound(fmt::format("{}: not a folder; a model folder is expected", folder));
  const bool missing = status.type() == fs::file_type::not_found;
  return NotFound(fmt::format("{}: {}", folder, missing ? "no such model folder" : error.message()));
}

}  // namespace

Result<Qwen3Model> LoadQwen3Folder(const std::string& folder) {
  TAMIS_RETURN_IF_ERROR(CheckFolder(folder));
  const std::string config_path = (fs::path(folder) / "config.json").string();
  TAMIS_ASSIGN_OR_RETURN(const std::string config_text, ReadTextFile(config_path, kConfigBytesMax));
  TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ParseQwen3Config(config_text, config_path));
  TAMIS_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::OpenFolder(folder));
  return Assemble(config, checkpoint, folder);
}

Result<Qwen3Model> LoadQwen3FromMemory(std::string_view config_json, std::span<const std::byte> safetensors,
                                       const std::string& name) {
  TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ParseQwen3Config(config_json, name + "/config.json"));
  TAMIS_ASSIGN_OR_RETURN(const Checkpoint checkpoint,
                         Checkpoint::FromFile(MappedFile::FromMemory(safetensors, name + "/model.safetensors")));
  return Assemble(config, checkpoint, name);
}

}  // namespace tamis
