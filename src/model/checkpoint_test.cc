#include "model/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace tamis {
namespace {

namespace fs = std::filesystem;

// A file with one tensor of two elements.
std::string OneTensor(const std::string& name, const std::string& dtype, std::size_t data_bytes) {
  const std::string header = "{\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[2],\"data_offsets\":[0," +
                             std::to_string(data_bytes) + "]}}";
  const std::uint64_t length = header.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + std::string(data_bytes, '\0');
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tamis_checkpoint_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void WriteIndex(const std::string& weight_map) const {
    Write("model.safetensors.index.json", "{\"weight_map\": {" + weight_map + "}}");
  }
  Result<Checkpoint> Open() const { return Checkpoint::OpenFolder(folder_.string()); }
  void ExpectRefused(StatusCode code, const std::string& part) const {
    const auto checkpoint = Open();
    ASSERT_FALSE(checkpoint.ok()) << part;
    EXPECT_EQ(checkpoint.status().code(), code) << checkpoint.status().message();
    EXPECT_NE(checkpoint.status().message().find(part), std::string::npos) << checkpoint.status().message();
  }

  fs::path folder_;
};

TEST_F(CheckpointTest, TypesMayDifferWithinACheckpoint) {
  Write("one", OneTensor("a", "F32", 8));
  Write("two", OneTensor("b", "BF16", 4));
  WriteIndex(R"("a": "one", "b": "two")");
  const auto checkpoint = Open();
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->Take("a", {2})->dtype(), DType::kF32);
  EXPECT_EQ(checkpoint->Take("b", {2})->dtype(), DType::kBF16);
}

TEST_F(CheckpointTest, TakeSaysWhatIsWrong) {
  Write("model.safetensors", OneTensor("a", "I64", 16));
  const auto checkpoint = Open();
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();  // another type is no fault until it is needed
  const std::string file = (folder_ / "model.safetensors").string();
  EXPECT_EQ(checkpoint->Take("a", {2}).status().message(),
            file + ": tensor a has dtype I64; expected F32, F16 or BF16");
  EXPECT_EQ(checkpoint->Take("a", {2, 1}).status().message(), file + ": tensor a has shape [2]; expected [2, 1]");
  EXPECT_EQ(checkpoint->Take("b", {3}).status().message(), file + ": tensor b is missing; expected one of shape [3]");
}

TEST_F(CheckpointTest, ATensorIsInOneShardOnly) {
  Write("one", OneTensor("a", "F32", 8));
  Write("two", OneTensor("a", "F32", 8));
  WriteIndex(R"("a": "one", "b": "two")");
  ExpectRefused(StatusCode::kDataLoss, "tensor a is in");
}

TEST_F(CheckpointTest, ShardsLieBesideTheIndex) {
  Write("one", OneTensor("a", "F32", 8));
  for (const char* name : {"../one", "/etc/passwd", "..", ".", "", "sub/one", R"(sub\\one)", R"(one\u0000)"}) {
    WriteIndex("\"a\": \"" + std::string(name) + "\"");
    ExpectRefused(StatusCode::kDataLoss, "a file beside the index is expected");
  }
  WriteIndex(R"("a": 5)");
  ExpectRefused(StatusCode::kDataLoss, "weight_map.a is not a string");
  WriteIndex(R"("a": "two")");
  ExpectRefused(StatusCode::kNotFound, "a shard that");
  WriteIndex(R"("b": "one")");
  ExpectRefused(StatusCode::kDataLoss, "tensor b is not in it");
  Write("model.safetensors.index.json", "{");
  ExpectRefused(StatusCode::kDataLoss, "not JSON");
}

TEST_F(CheckpointTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ / "model.safetensors").c_str(), 0600), 0);
  ExpectRefused(StatusCode::kDataLoss, "not a regular file");
}

}  // namespace
}  // namespace tamis
