#include "model/tensor.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/check.h"

namespace tamis {
namespace {

float FromBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// IEEE half to single. Scaling by 2^112 moves the exponent's bias and makes subnormals right; infinities and NaN keep
// their all-ones exponent.
float FromF16(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  constexpr std::uint32_t kScale = (127u + 112u) << 23;  // 2^112
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(FromBits(magnitude) * FromBits(kScale));
  const std::uint32_t special = magnitude | 0x7f800000u;
  return FromBits(sign | ((half & 0x7c00u) == 0x7c00u ? special : finite));
}

// Elements may lie at odd addresses: safetensors does not promise alignment.
template <class Word, class Convert>
void ConvertElements(const std::byte* in, std::int64_t count, float* out, const Convert& convert) {
  for (std::int64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, in + static_cast<std::size_t>(i) * sizeof(Word), sizeof(Word));
    out[i] = convert(word);
  }
}

std::uint64_t Mix(std::uint64_t x) {  // finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kF32: return "F32";
    case DType::kF16: return "F16";
    case DType::kBF16: return "BF16";
  }
  return "?";
}

std::size_t DTypeBytes(DType dtype) { return dtype == DType::kF32 ? 4 : 2; }

Tensor::Tensor(std::string name, DType dtype, std::int64_t rows, std::int64_t cols,
               std::shared_ptr<const MappedFile> file, std::size_t offset)
    : name_(std::move(name)), dtype_(dtype), rows_(rows), cols_(cols), file_(std::move(file)), offset_(offset) {
  TAMIS_CHECK(file_ != nullptr);
  TAMIS_CHECK(offset_ + static_cast<std::size_t>(rows * cols) * DTypeBytes(dtype) <= file_->bytes().size());
}

Tensor Tensor::Random(std::string name, std::int64_t rows, std::int64_t cols, std::uint64_t seed, float mean,
                      float deviation) {
  Tensor tensor;
  tensor.name_ = std::move(name);
  tensor.rows_ = rows;
  tensor.cols_ = cols;
  tensor.seed_ = seed;
  tensor.mean_ = mean;
  tensor.deviation_ = deviation;
  return tensor;
}

const std::string& Tensor::file_name() const {
  static const std::string kRandom = "random weights";
  return file_ ? file_->name() : kRandom;
}

const std::byte* Tensor::RowBytes(std::int64_t row) const {
  return file_->bytes().data() + offset_ + static_cast<std::size_t>(row * cols_) * DTypeBytes(dtype_);
}

void Tensor::ReadRows(std::int64_t begin, std::int64_t count, float* out) const {
  TAMIS_DCHECK(begin >= 0 && begin + count <= rows_);
  if (!file_) {
    for (std::int64_t r = 0; r < count; ++r) ReadRandomRow(begin + r, out + r * cols_);
    return;
  }
  const std::byte* bytes = RowBytes(begin);
  const std::int64_t elements = count * cols_;
  switch (dtype_) {
    case DType::kF32: std::memcpy(out, bytes, static_cast<std::size_t>(elements) * sizeof(float)); break;
    case DType::kF16: ConvertElements<std::uint16_t>(bytes, elements, out, FromF16); break;
    case DType::kBF16:
      ConvertElements<std::uint16_t>(bytes, elements, out,
                                     [](std::uint16_t x) { return FromBits(static_cast<std::uint32_t>(x) << 16); });
      break;
  }
}

// The sum of four uniform 16-bit numbers is near enough to a normal one, and takes one multiplication or two a value.
// Its variance is 4 * (2^16)^2 / 12.
void Tensor::ReadRandomRow(std::int64_t row, float* out) const {
  constexpr float kUnit = 1.0f / 37837.23f;  // 1 / sqrt(4 * 65536^2 / 12)
  const float scale = deviation_ * kUnit;
  const float offset = mean_ - scale * 2.0f * 65535.0f;
  std::uint64_t state = Mix(seed_ * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(row) + 1);
  for (std::int64_t i = 0; i < cols_; ++i) {
    state += 0x9e3779b97f4a7c15u;
    const std::uint64_t z = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9u;
    const std::uint64_t x = z ^ (z >> 32);
    const std::uint32_t sum = static_cast<std::uint32_t>(x & 0xffff) + static_cast<std::uint32_t>(x >> 16 & 0xffff) +
                              static_cast<std::uint32_t>(z >> 32 & 0xffff) + static_cast<std::uint32_t>(z >> 48);
    out[i] = static_cast<float>(sum) * scale + offset;
  }
}

Status Tensor::CheckFinite(std::int64_t begin, std::int64_t count) const {
  if (!file_) return OkStatus();
  std::vector<float> row(static_cast<std::size_t>(cols_));
  for (std::int64_t r = begin; r < begin + count; ++r) {
    ReadRows(r, 1, row.data());
    // An all-ones exponent marks NaN and infinity; looking at bits keeps the loop free of branches.
    std::uint32_t special = 0;
    for (float x : row)
      special |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(x) & 0x7f800000u) == 0x7f800000u);
    if (special == 0) continue;
    std::int64_t column = 0;
    while (std::isfinite(row[static_cast<std::size_t>(column)])) ++column;
    return DataLoss(fmt::format("{}: tensor {}: element [{}, {}] is {}; every weight must be finite", file_name(),
                                name_, r, column, row[static_cast<std::size_t>(column)]));
  }
  return OkStatus();
}

void Tensor::ReleasePages() const {
  if (file_) file_->Release(offset_, static_cast<std::size_t>(rows_ * cols_) * DTypeBytes(dtype_));
}

}  // namespace tamis
