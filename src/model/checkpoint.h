// The tensors of a checkpoint: one safetensors file, or several beside an index that says which tensor is where.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/mapped_file.h"
#include "model/safetensors.h"
#include "model/tensor.h"
#include "tamis/status.h"

namespace tamis {

class Checkpoint {
 public:
  // model.safetensors, else model.safetensors.index.json with its shards. All files are mapped and checked whole: each
  // tensor is in one file only, and in the one that the index names.
  // Errors: NotFound, DataLoss or Unimplemented, naming file, tensor, what was found and what was expected.
  static Result<Checkpoint> OpenFolder(const std::string& folder);
  static Result<Checkpoint> FromFile(const std::shared_ptr<const MappedFile>& file);

  bool Has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }

  // Errors: DataLoss (missing, or of another shape) or Unimplemented (a dtype that Tensor does not read).
  Result<Tensor> Take(std::string_view name, const std::vector<std::int64_t>& shape) const;

  // Calls visit(tensor name, file name) for each tensor, by name, until it returns an error.
  template <class Visit>
  Status ForEach(const Visit& visit) const {
    for (const auto& [name, located] : tensors_) TAMIS_RETURN_IF_ERROR(visit(name, located.file->name()));
    return OkStatus();
  }

 private:
  struct Located {
    SafetensorsEntry entry;
    std::shared_ptr<const MappedFile> file;
  };

  explicit Checkpoint(std::string source) : source_(std::move(source)) {}
  Status Add(const std::shared_ptr<const MappedFile>& file);
  Status AddShards(const std::map<std::string, std::string>& index, const std::string& folder);

  std::string source_;  // the file, or the index of several
  std::map<std::string, Located, std::less<>> tensors_;
};

// The "weight_map" of an index file: tensor -> shard, each a plain file name beside the index.
// Errors: DataLoss, naming the file and the field.
Result<std::map<std::string, std::string>> ParseShardIndex(std::string_view json, const std::string& file_name);

}  // namespace tamis
