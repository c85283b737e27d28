#include "model/qwen3.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "model/safetensors.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kConfigBytesMax = 4u << 20;
constexpr std::size_t kIndexBytesMax = 64u << 20;

struct Located {
  SafetensorsEntry entry;
  std::shared_ptr<const MappedFile> file;
};
using TensorMap = std::map<std::string, Located, std::less<>>;

Status AddFile(std::shared_ptr<const MappedFile> file, TensorMap* tensors) {
  TAMIS_ASSIGN_OR_RETURN(SafetensorsEntries entries, ParseSafetensors(file->bytes(), file->name()));
  for (auto& [name, entry] : entries) {
    const auto [at, added] = tensors->emplace(name, Located{std::move(entry), file});
    if (!added) {
      return DataLoss(fmt::format("{}: tensor {} is in {} too", file->name(), name, at->second.file->name()));
    }
  }
  return OkStatus();
}

// The shard files that an index names, each a plain file name beside the index.
Result<std::map<std::string, std::string>> ParseIndex(std::string_view text, const std::string& file) {
  boost::system::error_code error;
  const json::value root = json::parse({text.data(), text.size()}, error);
  if (error) return DataLoss(fmt::format("{}: not JSON: {}", file, error.message()));
  const json::value* map = root.is_object() ? root.get_object().if_contains("weight_map") : nullptr;
  if (map == nullptr || !map->is_object()) return DataLoss(fmt::format("{}: weight_map is not an object", file));
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : map->get_object()) {
    const std::string tensor(key.data(), key.size());
    if (!value.is_string()) return DataLoss(fmt::format("{}: weight_map.{} is not a string", file, tensor));
    const std::string shard(value.get_string().data(), value.get_string().size());
    if (shard.empty() || shard.find('/') != std::string::npos || shard == "." || shard == ".." ||
        shard.find('\\') != std::string::npos || shard.find('\0') != std::string::npos) {
      return DataLoss(fmt::format("{}: weight_map.{} names \"{}\"; a file beside the index is expected", file, tensor, shard));
    }
    out.emplace(tensor, shard);
  }
  return out;
}

Result<TensorMap> LoadShards(const fs::path& folder, const std::string& index_path) {
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(index_path, kIndexBytesMax));
  TAMIS_ASSIGN_OR_RETURN(const auto index, ParseIndex(text, index_path));
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : index) shards.insert(shard);
  TensorMap tensors;
  for (const std::string& shard : shards) {
    auto file = MappedFile::Open((folder / shard).string());
    if (!file.ok()) {
      return Status(file.status().code(), fmt::format("{} (a shard that {} names)", file.status().message(), index_path));
    }
    TAMIS_RETURN_IF_ERROR(AddFile(*file, &tensors));
  }
  for (const auto& [tensor, shard] : index) {
    const auto found = tensors.find(tensor);
    if (found == tensors.end() || fs::path(found->second.file->name()).filename() != shard) {
      return DataLoss(fmt::format("{}: tensor {} is not in {}, where {} places it", (folder / shard).string(), tensor,
                                  shard, index_path));
    }
  }
  return tensors;
}

// Takes tensors by name and shape.
class Collector {
 public:
  Collector(const TensorMap& tensors, const std::string& source) : tensors_(tensors), source_(source) {
    // Base-model exports lack the "model." that the others have.
    if (tensors_.find("model.embed_tokens.weight") == tensors_.end() && tensors_.find("embed_tokens.weight") != tensors_.end()) {
      prefix_ = "";
    }
  }

  bool Has(const std::string& name) const { return tensors_.find(name) != tensors_.end(); }

  Result<Tensor> Take(const std::string& name, std::vector<std::int64_t> shape) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return DataLoss(fmt::format("{}: tensor {} is missing; expected one of shape {}", source_, name, ShapeText(shape)));
    }
    if (found->second.entry.shape != shape) {
      return DataLoss(fmt::format("{}: tensor {} has shape {}; expected {}", found->second.file->name(), name,
                                  ShapeText(found->second.entry.shape), ShapeText(shape)));
    }
    return MakeTensor(name, found->second.entry, found->second.file);
  }
  Result<Tensor> TakeInner(const std::string& name, std::vector<std::int64_t> shape) const {
    return Take(prefix_ + name, std::move(shape));
  }

 private:
  const TensorMap& tensors_;
  const std::string& source_;
  std::string prefix_ = "model.";
};

Result<Qwen3Layer> TakeLayer(const Collector& from, const Qwen3Config& c, int index) {
  const std::int64_t hidden = c.hidden_size;
  const std::int64_t q = static_cast<std::int64_t>(c.q_heads) * c.head_dim;
  const std::int64_t kv = static_cast<std::int64_t>(c.kv_heads) * c.head_dim;
  const std::int64_t inner = c.intermediate_size;
  const auto take = [&](const char* name, std::vector<std::int64_t> shape) {
    return from.TakeInner(fmt::format("layers.{}.{}.weight", index, name), std::move(shape));
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

Status TakeHead(const Collector& from, const std::string& source, Qwen3Model* model) {
  const Qwen3Config& c = model->config;
  if (c.sequence_classification()) {
    if (!from.Has("score.weight")) {
      return DataLoss(fmt::format("{}: score.weight is missing: the sequence classifier has no head to score with", source));
    }
    TAMIS_ASSIGN_OR_RETURN(model->score, from.Take("score.weight", {1, c.hidden_size}));
    if (from.Has("score.bias")) {
      return Unimplemented(fmt::format("{}: tensor score.bias: a head with a bias is not run; expected none", source));
    }
    return OkStatus();
  }
  if (c.tied_embeddings) return OkStatus();
  if (!from.Has("lm_head.weight")) {
    return DataLoss(fmt::format("{}: lm_head.weight is missing and tie_word_embeddings is false: the model has no head to "
                                "score with", source));
  }
  TAMIS_ASSIGN_OR_RETURN(model->lm_head, from.Take("lm_head.weight", {c.vocab_size, c.hidden_size}));
  return OkStatus();
}

// A bias or another extra that the graph would need is refused by name.
Status RefuseUnknown(const TensorMap& tensors) {
  for (const auto& [name, located] : tensors) {
    if (name.ends_with(".bias") || name.ends_with(".lora_A.weight") || name.ends_with(".lora_B.weight")) {
      return Unimplemented(fmt::format("{}: tensor {}: Qwen3 has no such weight; it would be ignored", located.file->name(), name));
    }
  }
  return OkStatus();
}

Result<Qwen3Model> Assemble(const Qwen3Config& config, const TensorMap& tensors, const std::string& source) {
  Qwen3Model model;
  model.config = config;
  model.source = source;
  const Collector from(tensors, source);
  TAMIS_ASSIGN_OR_RETURN(model.embedding, from.TakeInner("embed_tokens.weight", {config.vocab_size, config.hidden_size}));
  TAMIS_ASSIGN_OR_RETURN(model.final_norm, from.TakeInner("norm.weight", {config.hidden_size}));
  for (int i = 0; i < config.layers; ++i) {
    TAMIS_ASSIGN_OR_RETURN(Qwen3Layer layer, TakeLayer(from, config, i));
    model.layers.push_back(std::move(layer));
  }
  TAMIS_RETURN_IF_ERROR(TakeHead(from, source, &model));
  TAMIS_RETURN_IF_ERROR(RefuseUnknown(tensors));
  return model;
}

}  // namespace

Result<Qwen3Model> LoadQwen3Folder(const std::string& folder) {
  const fs::path path(folder);
  std::error_code error;
  if (!fs::is_directory(path, error)) return NotFound(fmt::format("{}: no such model folder", folder));
  const std::string config_path = (path / "config.json").string();
  TAMIS_ASSIGN_OR_RETURN(const std::string config_text, ReadTextFile(config_path, kConfigBytesMax));
  TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ParseQwen3Config(config_text, config_path));
  const std::string single = (path / "model.safetensors").string();
  const std::string index = (path / "model.safetensors.index.json").string();
  TensorMap tensors;
  if (fs::exists(single, error)) {
    TAMIS_ASSIGN_OR_RETURN(auto file, MappedFile::Open(single));
    TAMIS_RETURN_IF_ERROR(AddFile(std::move(file), &tensors));
  } else if (fs::exists(index, error)) {
    TAMIS_ASSIGN_OR_RETURN(tensors, LoadShards(path, index));
  } else {
    return NotFound(fmt::format("{}: neither model.safetensors nor model.safetensors.index.json is there", folder));
  }
  return Assemble(config, tensors, folder);
}

Result<Qwen3Model> LoadQwen3FromMemory(std::string_view config_json, std::span<const std::byte> safetensors,
                                       const std::string& name) {
  TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ParseQwen3Config(config_json, name + "/config.json"));
  TensorMap tensors;
  TAMIS_RETURN_IF_ERROR(AddFile(MappedFile::FromMemory(safetensors, name + "/model.safetensors"), &tensors));
  return Assemble(config, tensors, name);
}

}  // namespace tamis
