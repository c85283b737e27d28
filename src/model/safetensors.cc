#include "model/safetensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <boost/json.hpp>
#include <cstring>
#include <limits>
#include <optional>

#include "base/check.h"

namespace tamis {
namespace {

namespace json = boost::json;

constexpr std::size_t kLengthBytes = 8;
// The longest header that config.cc lets be needed, of 1024 layers, takes 2 MB; parsed it takes ten times its size.
constexpr std::size_t kHeaderBytesMax = 16u << 20;
constexpr std::size_t kDimensionsMax = 8;

// Bytes an element of the types that may stand in a file beside the weights.
constexpr std::pair<std::string_view, int> kOtherTypes[] = {
    {"F64", 8}, {"I64", 8}, {"U64", 8}, {"I32", 4},  {"U32", 4},     {"I16", 2},
    {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1},
};

std::string_view View(const json::string& s) { return {s.data(), s.size()}; }

std::optional<DType> FindDType(std::string_view name) {
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    if (DTypeName(dtype) == name) return dtype;
  }
  return std::nullopt;
}

// 0 for a type of unknown size.
std::int64_t ElementBytes(const SafetensorsEntry& entry) {
  if (entry.dtype) return static_cast<std::int64_t>(DTypeBytes(*entry.dtype));
  for (const auto& [name, bytes] : kOtherTypes) {
    if (name == entry.dtype_name) return bytes;
  }
  return 0;
}

std::optional<std::int64_t> AsCount(const json::value& value) {
  if (value.is_uint64() && value.get_uint64() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  if (value.is_uint64()) return static_cast<std::int64_t>(value.get_uint64());
  if (value.is_int64() && value.get_int64() >= 0) return value.get_int64();
  return std::nullopt;
}

// The keys of a JSON object as they are spelt, equal ones too, which Boost.JSON merges. REQUIRES: valid JSON.
std::vector<std::string_view> Keys(std::string_view object) {
  std::vector<std::string_view> keys;
  std::string_view text;
  int depth = 0;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const char c = object[i];
    if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == '"') {
      const std::size_t begin = ++i;
      while (i < object.size() && object[i] != '"') i += object[i] == '\\' ? 2 : 1;
      text = object.substr(begin, i - begin);
    } else if (c == ':' && depth == 1) {
      keys.push_back(text);
    }
  }
  return keys;
}

class Parser {
 public:
  Parser(std::span<const std::byte> bytes, const std::string& file_name) : bytes_(bytes), file_(file_name) {}

  Result<SafetensorsEntries> Parse() {
    TAMIS_ASSIGN_OR_RETURN(const std::string_view header, Header());
    boost::system::error_code error;
    json::parse_options options;
    options.max_depth = 8;
    const json::value root = json::parse({header.data(), header.size()}, error, {}, options);
    if (error) return DataLoss(fmt::format("{}: the header is not JSON: {}", file_, error.message()));
    if (!root.is_object()) return DataLoss(fmt::format("{}: the header is not a JSON object", file_));
    TAMIS_RETURN_IF_ERROR(CheckNames(header, root.get_object().size()));
    SafetensorsEntries entries;
    for (const auto& [key, value] : root.get_object()) {
      const std::string name(key.data(), key.size());
      if (name == "__metadata__") continue;
      TAMIS_ASSIGN_OR_RETURN(SafetensorsEntry entry, Entry(name, value));
      entries.emplace(name, std::move(entry));
    }
    TAMIS_RETURN_IF_ERROR(CheckCover(entries));
    return entries;
  }

 private:
  Result<std::string_view> Header() {
    if (bytes_.size() < kLengthBytes) {
      return DataLoss(fmt::format("{}: {} bytes are too few for a safetensors file (at least {})", file_, bytes_.size(),
                                  kLengthBytes));
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) { length |= static_cast<std::uint64_t>(bytes_[i]) << (8 * i); }
    if (length > kHeaderBytesMax) {
      return DataLoss(
          fmt::format("{}: the header claims {} bytes; at most {} are allowed", file_, length, kHeaderBytesMax));
    }
    if (length > bytes_.size() - kLengthBytes) {
      return DataLoss(fmt::format("{}: the header claims {} bytes, but only {} follow; the file is truncated", file_,
                                  length, bytes_.size() - kLengthBytes));
    }
    data_begin_ = kLengthBytes + static_cast<std::size_t>(length);
    return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + kLengthBytes,
                            static_cast<std::size_t>(length));
  }

  Status CheckNames(std::string_view header, std::size_t distinct) const {
    std::vector<std::string_view> keys = Keys(header);
    if (keys.size() == distinct) return OkStatus();
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return DataLoss(fmt::format("{}: the header has a name twice, spelt differently", file_));
    return Fault(std::string(*twice), "the header has it twice");
  }

  Status Fault(const std::string& tensor, const std::string& what) const {
    return DataLoss(fmt::format("{}: tensor {}: {}", file_, tensor, what));
  }

  Result<std::vector<std::int64_t>> Counts(const std::string& tensor, const json::object& object, const char* field,
                                           std::size_t size_max) const {
    const json::value* value = object.if_contains(field);
    if (value == nullptr || !value->is_array()) return Fault(tensor, fmt::format("{} is not a list", field));
    const json::array& array = value->get_array();
    if (array.size() > size_max) {
      return Fault(tensor, fmt::format("{} has {} entries; at most {} are expected", field, array.size(), size_max));
    }
    std::vector<std::int64_t> out;
    for (const json::value& item : array) {
      const auto count = AsCount(item);
      if (!count)
        return Fault(tensor,
                     fmt::format("{} holds {}; a whole number from 0 on is expected", field, json::serialize(item)));
      out.push_back(*count);
    }
    return out;
  }

  Result<SafetensorsEntry> Entry(const std::string& name, const json::value& value) const {
    if (!value.is_object()) return Fault(name, "its entry is not a JSON object");
    const json::object& object = value.get_object();
    const json::value* dtype = object.if_contains("dtype");
    if (dtype == nullptr || !dtype->is_string()) return Fault(name, "dtype is not a string");
    SafetensorsEntry entry;
    entry.dtype_name = View(dtype->get_string());
    entry.dtype = FindDType(entry.dtype_name);
    TAMIS_ASSIGN_OR_RETURN(entry.shape, Counts(name, object, "shape", kDimensionsMax));
    TAMIS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> range, Counts(name, object, "data_offsets", 2));
    if (range.size() != 2) return Fault(name, "data_offsets is not a pair");
    const std::int64_t data_bytes = static_cast<std::int64_t>(bytes_.size() - data_begin_);
    if (range[0] > range[1] || range[1] > data_bytes) {
      return Fault(name, fmt::format("data_offsets are [{}, {}], but the file has {} bytes of data{}", range[0],
                                     range[1], data_bytes, range[1] > data_bytes ? "; it is truncated" : ""));
    }
    entry.offset = data_begin_ + static_cast<std::size_t>(range[0]);
    entry.bytes = static_cast<std::size_t>(range[1] - range[0]);
    TAMIS_RETURN_IF_ERROR(CheckSize(name, entry));
    return entry;
  }

  Status CheckSize(const std::string& name, const SafetensorsEntry& entry) const {
    std::int64_t expected = ElementBytes(entry);
    if (expected == 0) return OkStatus();
    for (const std::int64_t size : entry.shape) {
      if (__builtin_mul_overflow(expected, size, &expected)) {
        return Fault(name, fmt::format("shape {} is too large", ShapeText(entry.shape)));
      }
    }
    if (expected != static_cast<std::int64_t>(entry.bytes)) {
      return Fault(name, fmt::format("{} of shape {} takes {} bytes, but data_offsets give it {}", entry.dtype_name,
                                     ShapeText(entry.shape), expected, entry.bytes));
    }
    return OkStatus();
  }

  // The tensors lie one after the other from the first byte of data to the last.
  Status CheckCover(const SafetensorsEntries& entries) const {
    std::vector<std::pair<const SafetensorsEntry*, const std::string*>> order;
    for (const auto& [name, entry] : entries) order.emplace_back(&entry, &name);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first->offset, a.first->bytes) < std::pair(b.first->offset, b.first->bytes);
    });
    std::size_t at = data_begin_;
    for (const auto& [entry, name] : order) {
      if (entry->offset < at)
        return Fault(*name, fmt::format("it overlaps the tensor before it by {} bytes", at - entry->offset));
      if (entry->offset > at)
        return Fault(*name, fmt::format("{} bytes before it belong to no tensor", entry->offset - at));
      at += entry->bytes;
    }
    if (at != bytes_.size()) {
      return DataLoss(fmt::format("{}: {} bytes after the last tensor belong to none", file_, bytes_.size() - at));
    }
    return OkStatus();
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::size_t data_begin_ = 0;
};

}  // namespace

Result<SafetensorsEntries> ParseSafetensors(std::span<const std::byte> bytes, const std::string& file_name) {
  return Parser(bytes, file_name).Parse();
}

Tensor MakeTensor(const std::string& name, const SafetensorsEntry& entry, std::shared_ptr<const MappedFile> file) {
  TAMIS_CHECK(entry.shape.size() <= 2 && entry.dtype.has_value());
  const std::int64_t rows = entry.shape.size() == 2 ? entry.shape[0] : 1;
  const std::int64_t cols = entry.shape.empty() ? 1 : entry.shape.back();
  return {name, *entry.dtype, rows, cols, std::move(file), entry.offset};
}

std::string ShapeText(std::span<const std::int64_t> shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return out + "]";
}

}  // namespace tamis
