#include "model/checkpoint.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <filesystem>
#include <set>

namespace tamis {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kIndexBytesMax = 16u << 20;  // ten times the index of the largest model that config.cc lets pass

// The index is not trusted: it may name files beside it and nothing else.
bool IsPlainFileName(std::string_view name) {
  constexpr std::string_view kSeparators("/\\\0", 3);
  return !name.empty() && name != "." && name != ".." && name.find_first_of(kSeparators) == std::string_view::npos;
}

}  // namespace

Result<std::map<std::string, std::string>> ParseShardIndex(std::string_view text, const std::string& file) {
  boost::system::error_code error;
  const json::value root = json::parse({text.data(), text.size()}, error);
  if (error) return DataLoss(fmt::format("{}: not JSON: {}", file, error.message()));
  const json::value* map = root.is_object() ? root.get_object().if_contains("weight_map") : nullptr;
  if (map == nullptr || !map->is_object()) return DataLoss(fmt::format("{}: weight_map is not an object", file));
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : map->get_object()) {
    const std::string tensor(key.data(), key.size());
    if (!value.is_string()) return DataLoss(fmt::format("{}: weight_map.{} is not a string", file, tensor));
    std::string shard(value.get_string().data(), value.get_string().size());
    if (!IsPlainFileName(shard)) {
      return DataLoss(fmt::format("{}: weight_map.{} names {}; a file beside the index is expected", file, tensor,
                                  json::serialize(value)));
    }
    out.emplace(tensor, std::move(shard));
  }
  return out;
}

Status Checkpoint::Add(const std::shared_ptr<const MappedFile>& file) {
  TAMIS_ASSIGN_OR_RETURN(SafetensorsEntries entries, ParseSafetensors(file->bytes(), file->name()));
  for (auto& [name, entry] : entries) {
    const auto [at, added] = tensors_.emplace(name, Located{std::move(entry), file});
    if (!added) {
      return DataLoss(fmt::format("{}: tensor {} is in {} too", file->name(), name, at->second.file->name()));
    }
  }
  return OkStatus();
}

Status Checkpoint::AddShards(const std::map<std::string, std::string>& index, const std::string& folder) {
  const auto path = [&folder](const std::string& shard) { return (fs::path(folder) / shard).string(); };
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : index) shards.insert(shard);
  for (const std::string& shard : shards) {
    auto file = MappedFile::Open(path(shard));
    if (!file.ok()) {
      return {file.status().code(), fmt::format("{} (a shard that {} names)", file.status().message(), source_)};
    }
    TAMIS_RETURN_IF_ERROR(Add(*file));
  }
  for (const auto& [tensor, shard] : index) {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end() || found->second.file->name() != path(shard)) {
      return DataLoss(fmt::format("{}: tensor {} is not in it, where {} places it", path(shard), tensor, source_));
    }
  }
  return OkStatus();
}

Result<Checkpoint> Checkpoint::OpenFolder(const std::string& folder) {
  const std::string single = (fs::path(folder) / "model.safetensors").string();
  const std::string index = (fs::path(folder) / "model.safetensors.index.json").string();
  std::error_code error;
  if (fs::exists(single, error)) {
    TAMIS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(single));
    return FromFile(file);
  }
  if (!fs::exists(index, error)) {
    return NotFound(fmt::format("{}: neither model.safetensors nor model.safetensors.index.json is there", folder));
  }
  Checkpoint out(index);
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(index, kIndexBytesMax));
  TAMIS_ASSIGN_OR_RETURN(const auto shards, ParseShardIndex(text, index));
  TAMIS_RETURN_IF_ERROR(out.AddShards(shards, folder));
  return out;
}

Result<Checkpoint> Checkpoint::FromFile(const std::shared_ptr<const MappedFile>& file) {
  Checkpoint out(file->name());
  TAMIS_RETURN_IF_ERROR(out.Add(file));
  return out;
}

Result<Tensor> Checkpoint::Take(std::string_view name, const std::vector<std::int64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    return DataLoss(fmt::format("{}: tensor {} is missing; expected one of shape {}", source_, name, ShapeText(shape)));
  }
  const auto& [entry, file] = found->second;
  if (entry.shape != shape) {
    return DataLoss(fmt::format("{}: tensor {} has shape {}; expected {}", file->name(), name, ShapeText(entry.shape),
                                ShapeText(shape)));
  }
  if (!entry.dtype) {
    return Unimplemented(
        fmt::format("{}: tensor {} has dtype {}; expected F32, F16 or BF16", file->name(), name, entry.dtype_name));
  }
  return MakeTensor(found->first, entry, file);
}

}  // namespace tamis
