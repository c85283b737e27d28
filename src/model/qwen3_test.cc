// Loading whole models: the reference ones, and broken copies of one of them.
#include "model/qwen3.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tamis {
namespace {

namespace fs = std::filesystem;

const fs::path kMiniModel = fs::path(TAMIS_TEST_DATA).parent_path().parent_path() / "models" / "tamis-mini";
const fs::path kModels = fs::path(TAMIS_TEST_DATA) / "goldens" / "models";

// A folder that goes away with the test.
class ScratchModel {
 public:
  explicit ScratchModel(const std::string& model) {
    path_ = fs::path(testing::TempDir()) / ("tamis_qwen3_" + std::to_string(getpid()) + "_" + model);
    fs::remove_all(path_);
    fs::copy(kModels / model, path_);
    for (const auto& entry : fs::directory_iterator(path_)) fs::permissions(entry, fs::perms::owner_all);
  }
  ~ScratchModel() { fs::remove_all(path_); }

  std::string path() const { return path_.string(); }
  std::string Read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  // Replaces the first `from` in a file by `to`; same length where the file is binary.
  void Replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = Read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    Write(name, text.replace(at, from.size(), to));
  }
  void Remove(const std::string& name) const { fs::remove(path_ / name); }

 private:
  fs::path path_;
};

// Bytes behind the header of a safetensors file.
std::size_t DataBytes(const std::string& bytes) {
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  return bytes.size() - sizeof header - header;
}

void ExpectRefused(const std::string& folder, StatusCode code, const std::vector<std::string>& parts) {
  const auto model = LoadQwen3Folder(folder);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), code) << model.status().message();
  for (const std::string& part : parts) {
    EXPECT_NE(model.status().message().find(part), std::string::npos) << model.status().message();
  }
}

TEST(LoadQwen3, LoadsEachReferenceModel) {
  int loaded = 0;
  for (const auto& entry : fs::directory_iterator(kModels)) {
    const auto model = LoadQwen3Folder(entry.path().string());
    ASSERT_TRUE(model.ok()) << model.status().message();
    EXPECT_EQ(static_cast<int>(model->layers.size()), model->config.layers);
    EXPECT_EQ(model->score.has_value(), model->config.sequence_classification());
    EXPECT_EQ(model->lm_head.has_value(), !model->config.tied_embeddings && !model->score) << entry.path();
    ++loaded;
  }
  EXPECT_GE(loaded, 8);
}

TEST(LoadQwen3, LoadsTheMiniModel) {
  const auto model = LoadQwen3Folder(kMiniModel.string());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->config.hidden_size, 256);
  for (const Qwen3Layer& layer : model->layers)
    EXPECT_TRUE(layer.down_proj.CheckFinite(0, layer.down_proj.rows()).ok());
}

TEST(LoadQwen3, FromMemoryEqualsFromTheFolder) {
  const ScratchModel copy("a-tied-f32");
  const std::string config = copy.Read("config.json");
  const std::string bytes = copy.Read("model.safetensors");
  const auto memory = LoadQwen3FromMemory(config, std::as_bytes(std::span(bytes)), "inside");
  ASSERT_TRUE(memory.ok()) << memory.status().message();
  const auto folder = LoadQwen3Folder(copy.path());
  std::vector<float> a(static_cast<std::size_t>(memory->config.hidden_size));
  std::vector<float> b(a.size());
  memory->embedding.ReadRows(17, 1, a.data());
  folder->embedding.ReadRows(17, 1, b.data());
  EXPECT_EQ(a, b);
}

// Base-model exports name their tensors without "model.".
TEST(LoadQwen3, NamesWithoutPrefix) {
  const ScratchModel copy("a-tied-f32");
  const std::string bytes = copy.Read("model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::string header = bytes.substr(8, length);
  for (std::size_t at = 0; (at = header.find("\"model.", at)) != std::string::npos;) header.erase(at + 1, 6);
  length = header.size();
  std::string renamed(reinterpret_cast<const char*>(&length), sizeof length);
  copy.Write("model.safetensors", renamed + header + bytes.substr(bytes.size() - DataBytes(bytes)));
  const auto model = LoadQwen3Folder(copy.path());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->layers[1].q_proj.name(), "layers.1.self_attn.q_proj.weight");
}

TEST(LoadQwen3, MoreLayersThanTheConfigurationSays) {
  const ScratchModel copy("a-tied-f32");
  const std::string layers = std::to_string(LoadQwen3Folder(copy.path())->config.layers);
  copy.Replace("config.json", "\"num_hidden_layers\": " + layers, "\"num_hidden_layers\": 1");
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"tensor model.layers.1.", "one layer too many", "expected 1"});
}

TEST(LoadQwen3, AFileIsNoFolder) {
  ExpectRefused((kMiniModel / "config.json").string(), StatusCode::kNotFound, {"config.json", "not a folder"});
}

TEST(LoadQwen3, MissingFiles) {
  ExpectRefused("/nowhere/model", StatusCode::kNotFound, {"/nowhere/model", "no such model folder"});
  const ScratchModel copy("a-tied-f32");
  copy.Remove("model.safetensors");
  ExpectRefused(copy.path(), StatusCode::kNotFound, {"neither model.safetensors nor model.safetensors.index.json"});
  copy.Remove("config.json");
  ExpectRefused(copy.path(), StatusCode::kNotFound, {"config.json", "no such file"});
}

TEST(LoadQwen3, WrongShapeNamesBoth) {
  const ScratchModel copy("a-tied-f32");
  const std::string config = copy.Read("config.json");
  const std::size_t at = config.find("\"intermediate_size\": ");
  ASSERT_NE(at, std::string::npos);
  copy.Write("config.json", std::string(config).insert(at + 21, "1"));
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"model.safetensors", "gate_proj", "has shape", "expected"});
}

TEST(LoadQwen3, MissingTensorIsNamed) {
  const ScratchModel copy("a-tied-f32");
  copy.Replace("model.safetensors", "model.layers.0.mlp.up_proj.weight", "model.layers.0.mlp.up_prox.weight");
  ExpectRefused(copy.path(), StatusCode::kDataLoss,
                {"tensor model.layers.0.mlp.up_proj.weight is missing", "expected one of shape ["});
}

TEST(LoadQwen3, AHeadThatIsNotThere) {
  const ScratchModel untied("b-untied-bf16");
  untied.Replace("model.safetensors", "lm_head.weight", "lm_hea_.weight");
  ExpectRefused(untied.path(), StatusCode::kDataLoss, {"lm_head.weight is missing and tie_word_embeddings is false"});
  const ScratchModel classifier("e-seqcls-f32");
  classifier.Replace("model.safetensors", "score.weight", "scora.weight");
  ExpectRefused(classifier.path(), StatusCode::kDataLoss, {"score.weight is missing"});
}

TEST(LoadQwen3, ABiasIsNotIgnored) {
  const ScratchModel copy("b-untied-bf16");
  copy.Replace("config.json", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true");
  EXPECT_TRUE(LoadQwen3Folder(copy.path()).ok());  // tied wins over an lm_head in the file
  copy.Replace("model.safetensors", "\"lm_head.weight\"", "\"lm_he.fg.bias\" ");
  ExpectRefused(copy.path(), StatusCode::kUnimplemented, {"lm_he.fg.bias"});
}

TEST(LoadQwen3, Shards) {
  const ScratchModel copy("d-sharded-bf16");
  const std::string index = copy.Read("model.safetensors.index.json");
  copy.Replace("model.safetensors.index.json", "model-00003-of-00007", "../model-00003-of");
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"weight_map", "a file beside the index is expected"});
  copy.Write("model.safetensors.index.json", "{}");
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"weight_map is not an object"});
  copy.Write("model.safetensors.index.json", index);
  copy.Replace("model.safetensors.index.json", "model-00003-of-00007", "model-00002-of-00007");
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"model-00002-of-00007.safetensors", "is not in it", "places it"});
  copy.Write("model.safetensors.index.json", index);
  copy.Remove("model-00003-of-00007.safetensors");
  ExpectRefused(copy.path(), StatusCode::kNotFound, {"model-00003-of-00007.safetensors", "a shard that"});
}

TEST(LoadQwen3, ATruncatedFileIsRefused) {
  const ScratchModel copy("a-tied-f32");
  const std::string bytes = copy.Read("model.safetensors");
  copy.Write("model.safetensors", bytes.substr(0, bytes.size() - 100));
  ExpectRefused(copy.path(), StatusCode::kDataLoss, {"model.safetensors", "truncated"});
}

}  // namespace
}  // namespace tamis
