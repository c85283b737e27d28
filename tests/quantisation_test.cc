// Int8 must not mind how a model's channels are scaled. The built-in model is changed in ways that leave its function
// as it is (or nearly), which ruins a plain one-scale-a-row quantisation, and int8 must go on agreeing with fp32.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "builtin/builtin_model.h"
#include "eval/correlation.h"
#include "model/qwen3.h"
#include "text/label.h"
#include "text/prompt.h"

namespace tamis {
namespace {

// The built-in model's tensors as a safetensors file of fp32 that can be edited.
class EditableModel {
 public:
  EditableModel() {
    const BuiltinModel builtin = GetBuiltinModel();
    auto model = LoadQwen3FromMemory(builtin.config_json, builtin.safetensors, "mini");
    EXPECT_TRUE(model.ok());
    config_ = std::string(builtin.config_json);
    Add(model->embedding, true);
    Add(model->final_norm, false);
    for (const Qwen3Layer& l : model->layers) {
      for (const Tensor* t : {&l.q_proj, &l.k_proj, &l.v_proj, &l.o_proj, &l.gate_proj, &l.up_proj, &l.down_proj})
        Add(*t, true);
      for (const Tensor* t : {&l.input_norm, &l.q_norm, &l.k_norm, &l.post_attention_norm}) Add(*t, false);
    }
    layers_ = model->config.layers;
  }

  int layers() const { return layers_; }
  static std::string Layer(int i, const char* name) {
    return "model.layers." + std::to_string(i) + "." + name + ".weight";
  }

  void ScaleElement(const std::string& vector, std::size_t i, float factor) { tensors_.at(vector).values[i] *= factor; }
  void ScaleColumn(const std::string& matrix, std::size_t column, float factor) {
    Values& m = tensors_.at(matrix);
    for (std::size_t r = 0; r < m.rows; ++r) m.values[r * m.cols + column] *= factor;
  }
  void ScaleRow(const std::string& matrix, std::size_t row, float factor) {
    Values& m = tensors_.at(matrix);
    for (std::size_t c = 0; c < m.cols; ++c) m.values[row * m.cols + c] *= factor;
  }

  Qwen3Model Build() {
    std::string header = "{";
    std::size_t at = 0;
    for (const auto& [name, t] : tensors_) {
      const std::size_t size = t.values.size() * sizeof(float);
      const std::string shape =
          t.matrix ? std::to_string(t.rows) + "," + std::to_string(t.cols) : std::to_string(t.cols);
      header += (at > 0 ? ",\"" : "\"") + name + R"(":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" +
                std::to_string(at) + "," + std::to_string(at + size) + "]}";
      at += size;
    }
    header += "}";
    bytes_.resize(8 + header.size() + at);
    const std::uint64_t length = header.size();
    std::memcpy(bytes_.data(), &length, 8);
    std::memcpy(bytes_.data() + 8, header.data(), header.size());
    std::size_t to = 8 + header.size();
    for (const auto& [name, t] : tensors_) {
      std::memcpy(bytes_.data() + to, t.values.data(), t.values.size() * sizeof(float));
      to += t.values.size() * sizeof(float);
    }
    auto model = LoadQwen3FromMemory(config_, bytes_, "edited");
    EXPECT_TRUE(model.ok()) << model.status().message();
    return std::move(model).value();
  }

 private:
  struct Values {
    bool matrix = false;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<float> values;
  };

  void Add(const Tensor& tensor, bool matrix) {
    Values v{matrix, static_cast<std::size_t>(tensor.rows()), static_cast<std::size_t>(tensor.cols()), {}};
    v.values.resize(v.rows * v.cols);
    tensor.ReadRows(0, tensor.rows(), v.values.data());
    tensors_.emplace(tensor.name(), std::move(v));
  }

  std::string config_;
  std::map<std::string, Values> tensors_;
  std::vector<std::byte> bytes_;
  int layers_ = 0;
};

// The prompts of the everyday cases.
class Cases {
 public:
  Cases() {
    auto tokenizer = ParseTokenizer(GetBuiltinModel().tokenizer_json, "mini");
    EXPECT_TRUE(tokenizer.ok());
    tokenizer_ = std::move(tokenizer).value();
    auto prompts = PromptBuilder::Create(tokenizer_.get(), *FindBuiltInProfile("qwen3-reranker"), 4096);
    EXPECT_TRUE(prompts.ok());
    std::ifstream file(std::string(TAMIS_TEST_DATA) + "/sanity.json");
    const boost::json::value root = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    for (const auto& item : root.get_array()) {
      const auto query = prompts->EncodeQuery(std::nullopt, std::string_view(item.at("query").get_string()));
      EXPECT_TRUE(query.ok());
      for (const auto& text : item.at("docs").get_array()) {
        std::vector<TokenId> ids = query->prefix_ids;
        const EncodedDocument tail = prompts->EncodeDocument(*query, std::string_view(text.get_string()));
        ids.insert(ids.end(), tail.tail_ids.begin(), tail.tail_ids.end());
        prompts_.push_back(std::move(ids));
      }
    }
    yes_ = *tokenizer_->TokenToId("yes");
    no_ = *tokenizer_->TokenToId("no");
  }

  std::vector<double> Margins(Qwen3Model model, Precision precision, bool rotate = true) const {
    CpuBackendOptions options;
    options.precision = precision;
    options.threads = 2;
    options.head.positive = yes_;
    options.head.negative = no_;
    options.rotate = rotate;
    auto backend = MakeCpuBackend(std::move(model), options);
    EXPECT_TRUE(backend.ok()) << backend.status().message();
    std::vector<Segment> segments;
    for (const auto& ids : prompts_) segments.push_back({-1, nullptr, ids, true, false});
    const auto results = (*backend)->Run(segments, nullptr);
    EXPECT_TRUE(results.ok()) << results.status().message();
    std::vector<double> out;
    for (const SegmentResult& r : *results) out.push_back(static_cast<double>(r.logits.margin()));
    return out;
  }

 private:
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<std::vector<TokenId>> prompts_;
  TokenId yes_ = 0;
  TokenId no_ = 0;
};

double LargestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Quantisation, TheEditableCopyIsTheModel) {
  const BuiltinModel builtin = GetBuiltinModel();
  const Cases cases;
  EditableModel copy;
  EXPECT_EQ(cases.Margins(copy.Build(), Precision::kFp32),
            cases.Margins(*LoadQwen3FromMemory(builtin.config_json, builtin.safetensors, "mini"), Precision::kFp32));
}

TEST(Quantisation, Int8FollowsFp32OnTheEverydayCases) {
  const Cases cases;
  EditableModel model;
  const auto fp32 = cases.Margins(model.Build(), Precision::kFp32);
  const auto int8 = cases.Margins(model.Build(), Precision::kInt8);
  ASSERT_GE(fp32.size(), 60u);
  EXPECT_GE(eval::Spearman(int8, fp32), 0.995);
}

TEST(Quantisation, RescalingChannelsLeavesInt8ScoresAlone) {
  const Cases cases;
  EditableModel plain;
  EditableModel scaled;
  for (int i = 0; i < scaled.layers(); ++i) {
    for (std::size_t channel : {3u, 77u, 130u, 201u}) {
      scaled.ScaleElement(EditableModel::Layer(i, "input_layernorm"), channel, 128.0f);
      for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}) {
        scaled.ScaleColumn(EditableModel::Layer(i, name), channel, 1.0f / 128.0f);
      }
      scaled.ScaleElement(EditableModel::Layer(i, "post_attention_layernorm"), channel, 128.0f);
      for (const char* name : {"mlp.gate_proj", "mlp.up_proj"})
        scaled.ScaleColumn(EditableModel::Layer(i, name), channel, 1.0f / 128.0f);
    }
  }
  const auto expected = cases.Margins(plain.Build(), Precision::kInt8);
  EXPECT_LE(LargestDifference(cases.Margins(scaled.Build(), Precision::kInt8), expected), 0.01);
}

TEST(Quantisation, ResidualOutliersAreSpread) {
  const Cases cases;
  EditableModel model;
  for (std::size_t channel : {5u, 64u, 140u, 250u}) {  // what is written to these channels grows, what is read shrinks
    model.ScaleColumn("model.embed_tokens.weight", channel, 60.0f);
    for (int i = 0; i < model.layers(); ++i) {
      model.ScaleRow(EditableModel::Layer(i, "self_attn.o_proj"), channel, 60.0f);
      model.ScaleRow(EditableModel::Layer(i, "mlp.down_proj"), channel, 60.0f);
      model.ScaleElement(EditableModel::Layer(i, "input_layernorm"), channel, 1.0f / 60.0f);
      model.ScaleElement(EditableModel::Layer(i, "post_attention_layernorm"), channel, 1.0f / 60.0f);
    }
    model.ScaleElement("model.norm.weight", channel, 1.0f / 3600.0f);  // the tied head's columns grew too
  }
  const auto fp32 = cases.Margins(model.Build(), Precision::kFp32);
  EXPECT_GE(eval::Spearman(cases.Margins(model.Build(), Precision::kInt8), fp32), 0.98);
}

}  // namespace
}  // namespace tamis
