#include "model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tamis {
namespace {

std::vector<std::byte> File(const std::string& header, std::size_t data_bytes) {
  std::vector<std::byte> out(8 + header.size() + data_bytes);
  const std::uint64_t length = header.size();
  std::memcpy(out.data(), &length, 8);
  std::memcpy(out.data() + 8, header.data(), header.size());
  return out;
}

void ExpectRefused(const std::vector<std::byte>& bytes, const std::string& part) {
  const auto entries = ParseSafetensors(bytes, "m.safetensors");
  ASSERT_FALSE(entries.ok()) << part;
  EXPECT_EQ(entries.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(entries.status().message().find("m.safetensors"), std::string::npos) << entries.status().message();
  EXPECT_NE(entries.status().message().find(part), std::string::npos) << entries.status().message();
}

constexpr const char* kTwo =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})";

TEST(Safetensors, ReadsEntries) {
  const auto bytes = File(kTwo, 32);
  const auto entries = ParseSafetensors(bytes, "m.safetensors");
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 2u);
  const SafetensorsEntry& b = entries->at("b");
  EXPECT_EQ(b.dtype, DType::kBF16);
  EXPECT_EQ(b.shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(b.offset, bytes.size() - 8);
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const auto whole = File(kTwo, 32);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(ParseSafetensors(part, "m.safetensors").ok()) << size;
  }
  ExpectRefused(File(kTwo, 31), "truncated");
}

TEST(Safetensors, HeaderLengthIsBounded) {
  auto bytes = File(kTwo, 32);
  std::uint64_t length = 200u << 20;
  std::memcpy(bytes.data(), &length, 8);
  ExpectRefused(bytes, "the header claims 209715200 bytes; at most 16777216 are allowed");
  length = ~0ull;
  std::memcpy(bytes.data(), &length, 8);
  ExpectRefused(bytes, "at most");
  length = 5000;
  std::memcpy(bytes.data(), &length, 8);
  ExpectRefused(bytes, "only");
}

TEST(Safetensors, TensorsMustCoverTheDataExactly) {
  const auto two = [](const std::string& a_range, const std::string& b_range) {
    const std::string type = R"({"dtype":"U8","shape":[8],"data_offsets":)";
    return File("{\"a\":" + type + a_range + "},\"b\":" + type + b_range + "}}", 20);
  };
  ExpectRefused(two("[0,8]", "[4,12]"), "tensor b: it overlaps the tensor before it by 4 bytes");
  ExpectRefused(two("[12,20]", "[0,8]"), "tensor a: 4 bytes before it belong to no tensor");
  ExpectRefused(two("[0,8]", "[8,16]"), "4 bytes after the last tensor");
}

TEST(Safetensors, EntriesAreChecked) {
  const auto one = [](const std::string& entry) { return File("{\"a\":" + entry + "}", 8); };
  ExpectRefused(one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"),
                "F32 of shape [3] takes 12 bytes, but data_offsets give it 8");
  ExpectRefused(one(R"({"dtype":"I64","shape":[2],"data_offsets":[0,8]})"), "I64 of shape [2] takes 16 bytes");
  ExpectRefused(one(R"({"dtype":5,"shape":[1],"data_offsets":[0,8]})"), "dtype is not a string");
  ExpectRefused(one(R"({"dtype":"F32","shape":"x","data_offsets":[0,8]})"), "shape is not a list");
  ExpectRefused(one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), "shape holds -2");
  ExpectRefused(one(R"({"dtype":"F32","shape":[2.5],"data_offsets":[0,8]})"), "shape holds 2.5");
  ExpectRefused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), "data_offsets is not a pair");
  ExpectRefused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "data_offsets are [8, 0]");
  ExpectRefused(one(R"({"dtype":"F32","shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,8]})"),
                "too large");
  ExpectRefused(one(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})"), "shape holds");
  ExpectRefused(one("3"), "not a JSON object");
  ExpectRefused(File("[]", 0), "not a JSON object");
  ExpectRefused(File("{\"a\":", 0), "not JSON");
  ExpectRefused(File(std::string(4096, '['), 0), "not JSON");
}

TEST(Safetensors, EachNameStandsOnce) {
  const auto entry = [](const char* name, const char* range) {
    return std::string("\"") + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":)" + range + "}";
  };
  ExpectRefused(File("{" + entry("a", "[0,4]") + "," + entry("a", "[0,4]") + "}", 4),
                "tensor a: the header has it twice");
  ExpectRefused(File("{" + entry("a", "[0,4]") + "," + entry("\\u0061", "[0,4]") + "}", 4), "a name twice");
  EXPECT_TRUE(ParseSafetensors(File("{" + entry("a\\\":{", "[0,4]") + "," + entry("a:", "[4,8]") + "}", 8), "m").ok());
}

TEST(Safetensors, KeepsTensorsOfOtherTypes) {
  const auto bytes = File(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                          R"("b":{"dtype":"F4","shape":[2],"data_offsets":[8,9]}})",
                          9);
  const auto entries = ParseSafetensors(bytes, "m");
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  EXPECT_FALSE(entries->at("a").dtype.has_value());
  EXPECT_EQ(entries->at("b").dtype_name, "F4");
}

TEST(Safetensors, MakesTensors) {
  auto bytes = File(R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})", 8);
  const float values[2] = {1.5f, -2.0f};
  std::memcpy(bytes.data() + bytes.size() - 8, values, 8);
  const auto entries = ParseSafetensors(bytes, "m");
  ASSERT_TRUE(entries.ok());
  const Tensor tensor = MakeTensor("a", entries->at("a"), MappedFile::FromMemory(bytes, "m"));
  EXPECT_EQ(tensor.rows(), 2);
  EXPECT_EQ(tensor.cols(), 1);
  float row = 0;
  tensor.ReadRows(1, 1, &row);
  EXPECT_EQ(row, -2.0f);
}

}  // namespace
}  // namespace tamis
