// The safetensors container: a JSON header that places named tensors in the bytes that follow.
//
// Layout: 8 bytes little-endian header length n, n bytes of JSON {"name": {"dtype", "shape", "data_offsets": [begin,
// end)}, "__metadata__": {...}}, then the data, which the tensors cover exactly, without gaps or overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/mapped_file.h"
#include "model/tensor.h"
#include "tamis/status.h"

namespace tamis {

struct SafetensorsEntry {
  std::optional<DType> dtype;  // none for a type that Tensor does not read
  std::string dtype_name;      // as the file spells it
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;  // from the start of the file
  std::size_t bytes = 0;
};

using SafetensorsEntries = std::map<std::string, SafetensorsEntry, std::less<>>;

// Parses and checks a whole file. Memory is bounded by the header's own size. A dtype that tamis does not read is no
// error here, as the tensor may not be needed.
// Errors: DataLoss, naming the file, the tensor, what was found and what was expected.
Result<SafetensorsEntries> ParseSafetensors(std::span<const std::byte> bytes, const std::string& file_name);

// The entry as a Tensor. Vectors become one row; REQUIRES: at most two dimensions, a known dtype.
Tensor MakeTensor(const std::string& name, const SafetensorsEntry& entry, std::shared_ptr<const MappedFile> file);

// "[2, 3]".
std::string ShapeText(std::span<const std::int64_t> shape);

}  // namespace tamis
