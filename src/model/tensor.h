// Tensor: a matrix of weights, read as fp32 rows wherever its bytes are: a mapped file, or nowhere (random weights).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/mapped_file.h"
#include "tamis/status.h"

namespace tamis {

enum class DType : std::uint8_t { kF32, kF16, kBF16 };

std::string_view DTypeName(DType dtype);  // as safetensors spells it: "F32", "F16", "BF16"
std::size_t DTypeBytes(DType dtype);

// A value: copies share the storage. Reading is thread-safe.
class Tensor {
 public:
  Tensor() = default;
  // rows x cols elements at `offset` of `file`, row-major. REQUIRES: they lie inside the file.
  Tensor(std::string name, DType dtype, std::int64_t rows, std::int64_t cols, std::shared_ptr<const MappedFile> file,
         std::size_t offset);
  // Random values of mean `mean` and standard deviation `deviation`, the same for the same seed, row and column.
  static Tensor Random(std::string name, std::int64_t rows, std::int64_t cols, std::uint64_t seed, float mean,
                       float deviation);

  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }  // 1 for a vector
  std::int64_t cols() const { return cols_; }
  DType dtype() const { return dtype_; }
  const std::string& file_name() const;

  // out: [count][cols] floats. REQUIRES: 0 <= begin, begin + count <= rows().
  void ReadRows(std::int64_t begin, std::int64_t count, float* out) const;

  // Errors: DataLoss naming file, tensor, place and value of the first element of these rows that is NaN or infinite.
  Status CheckFinite(std::int64_t begin, std::int64_t count) const;

  // Gives the pages that only this tensor uses back to the system.
  void ReleasePages() const;

 private:
  void ReadRandomRow(std::int64_t row, float* out) const;
  const std::byte* RowBytes(std::int64_t row) const;

  std::string name_;
  DType dtype_ = DType::kF32;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::shared_ptr<const MappedFile> file_;  // null for a random tensor
  std::size_t offset_ = 0;
  std::uint64_t seed_ = 0;
  float mean_ = 0;
  float deviation_ = 0;
};

}  // namespace tamis
