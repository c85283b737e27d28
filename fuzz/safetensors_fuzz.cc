// Fuzzes the reader of safetensors files; whatever it accepts must lie inside the bytes and be readable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "model/checkpoint.h"
#include "model/safetensors.h"

namespace {

constexpr std::int64_t kElementsMax = 1 << 16;

void Read(const tamis::Tensor& tensor) {
  if (tensor.cols() == 0 || tensor.rows() > kElementsMax || tensor.cols() > kElementsMax ||
      tensor.rows() * tensor.cols() > kElementsMax) {
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(tensor.rows() * tensor.cols()));
  tensor.ReadRows(0, tensor.rows(), values.data());
  (void)tensor.CheckFinite(0, tensor.rows());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto entries = tamis::ParseSafetensors(bytes, "fuzz");
  const auto checkpoint = tamis::Checkpoint::FromFile(tamis::MappedFile::FromMemory(bytes, "fuzz"));
  if (entries.ok() != checkpoint.ok()) std::abort();
  if (!entries.ok()) return 0;
  for (const auto& [name, entry] : *entries) {
    if (entry.offset > size || entry.bytes > size - entry.offset) std::abort();
    if (entry.shape.empty() || entry.shape.size() > 2) continue;
    const auto tensor = checkpoint->Take(name, entry.shape);
    if (tensor.ok() != entry.dtype.has_value()) std::abort();
    if (tensor.ok()) Read(*tensor);
  }
  return 0;
}
