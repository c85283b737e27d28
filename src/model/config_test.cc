#include "model/config.h"

#include <gtest/gtest.h>

#include <string>

namespace tamis {
namespace {

const std::string kBase = R"({
  "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2,
  "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 100,
  "max_position_embeddings": 512, "rms_norm_eps": 1e-05, "rope_theta": 123456, "hidden_act": "silu",
  "tie_word_embeddings": true, "attention_bias": false, "use_sliding_window": false, "rope_scaling": null,
  "sliding_window": null, "torch_dtype": "bfloat16"})";

// The base with `from` (a piece of it) replaced.
std::string With(const std::string& from, const std::string& to) {
  std::string text = kBase;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void ExpectRefused(const std::string& json, StatusCode code, const std::string& part) {
  const auto config = ParseQwen3Config(json, "x/config.json");
  ASSERT_FALSE(config.ok()) << part;
  EXPECT_EQ(config.status().code(), code) << config.status().message();
  EXPECT_NE(config.status().message().find("x/config.json"), std::string::npos) << config.status().message();
  EXPECT_NE(config.status().message().find(part), std::string::npos) << config.status().message();
}

TEST(Config, ReadsTheOlderStyle) {
  const auto config = ParseQwen3Config(kBase, "config.json");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->hidden_size, 64);
  EXPECT_EQ(config->layers, 2);
  EXPECT_EQ(config->q_heads, 4);
  EXPECT_EQ(config->kv_heads, 2);
  EXPECT_EQ(config->head_dim, 16);
  EXPECT_EQ(config->intermediate_size, 128);
  EXPECT_EQ(config->vocab_size, 100);
  EXPECT_EQ(config->max_positions, 512);
  EXPECT_FLOAT_EQ(config->rms_norm_eps, 1e-5f);
  EXPECT_EQ(config->rope_theta, 123456);
  EXPECT_TRUE(config->tied_embeddings);
  EXPECT_FALSE(config->sequence_classification());
}

TEST(Config, ReadsTheNewerStyle) {
  const auto config =
      ParseQwen3Config(With(R"("rope_theta": 123456)",
                            R"("rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}, "dtype": "float32",
              "layer_types": ["full_attention", "full_attention"])"),
                       "config.json");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->rope_theta, 5e5);
}

TEST(Config, RefusesWhatItDoesNotRun) {
  const auto kNo = StatusCode::kUnimplemented;
  ExpectRefused(With("Qwen3ForCausalLM", "LlamaForCausalLM"), kNo, "architectures is [\"LlamaForCausalLM\"]");
  ExpectRefused(With("\"qwen3\"", "\"qwen2\""), kNo, "model_type");
  ExpectRefused(With(R"("rope_scaling": null)", R"("rope_scaling": {"rope_type": "yarn", "factor": 4})"), kNo,
                "rope_scaling.rope_type is \"yarn\"");
  ExpectRefused(With(R"("rope_scaling": null)", R"("rope_scaling": {"type": "linear"})"), kNo, "rope_scaling.type");
  ExpectRefused(With(R"("rope_theta": 123456)", R"("rope_parameters": {"rope_theta": 1e4, "rope_type": "dynamic"})"),
                kNo, "rope_parameters.rope_type");
  ExpectRefused(With(R"("use_sliding_window": false)", R"("use_sliding_window": true)"), kNo, "use_sliding_window");
  ExpectRefused(With(R"("torch_dtype")", R"("layer_types": ["full_attention", "sliding_attention"], "torch_dtype")"),
                kNo, "layer_types is \"sliding_attention\"");
  ExpectRefused(With(R"("attention_bias": false)", R"("attention_bias": true)"), kNo, "attention_bias");
  ExpectRefused(With("\"silu\"", "\"gelu\""), kNo, "hidden_act is \"gelu\"");
  ExpectRefused(With(R"("torch_dtype")", R"("quantization_config": {"bits": 4}, "torch_dtype")"), kNo,
                "quantization_config");
}

TEST(Config, RefusesBadFields) {
  const auto kBad = StatusCode::kDataLoss;
  ExpectRefused("{", kBad, "not JSON");
  ExpectRefused("[]", kBad, "not a JSON object");
  ExpectRefused(With(R"("hidden_size": 64)", R"("hidden_size": "64")"), kBad,
                "hidden_size is \"64\"; expected a whole number");
  ExpectRefused(With(R"("hidden_size": 64)", R"("hidden_size": 64.5)"), kBad, "hidden_size");
  ExpectRefused(With(R"("hidden_size": 64)", R"("hidden_size": -1)"), kBad, "hidden_size is -1");
  ExpectRefused(With(R"("hidden_size": 64,)", ""), kBad, "hidden_size is missing");
  ExpectRefused(With(R"("vocab_size": 100)", R"("vocab_size": 99999999999)"), kBad, "vocab_size");
  ExpectRefused(With(R"("num_key_value_heads": 2)", R"("num_key_value_heads": 3)"), kBad, "not a multiple");
  ExpectRefused(With(R"("head_dim": 16)", R"("head_dim": 15)"), kBad, "head_dim 15 is odd");
  ExpectRefused(With(R"("rope_theta": 123456)", R"("rope_theta": 0)"), kBad, "rope_theta is 0");
  ExpectRefused(With(R"("rope_theta": 123456)", R"("rope_theta": 1e400)"), kBad, "");
  ExpectRefused(With(R"("rms_norm_eps": 1e-05)", R"("rms_norm_eps": "small")"), kBad, "rms_norm_eps");
  ExpectRefused(With(R"("rms_norm_eps": 1e-05)", R"("rms_norm_eps": 1e300)"), kBad, "a positive number up to 1");
  ExpectRefused(With(R"("tie_word_embeddings": true)", R"("tie_word_embeddings": 1)"), kBad, "tie_word_embeddings");
  ExpectRefused(With(R"(["Qwen3ForCausalLM"])", "[]"), kBad, "architectures");
  ExpectRefused(With(R"("torch_dtype")", R"("layer_types": ["full_attention"], "torch_dtype")"), kBad,
                "layer_types has 1 entries; expected 2");
  ExpectRefused(With(R"("rope_theta": 123456)", R"("rope_parameters": {"rope_type": "default"})"), kBad,
                "rope_theta is missing");
  ExpectRefused(With(R"("rope_theta": 123456)", R"("rope_parameters": {"rope_theta": -1})"), kBad, "rope_theta is -1");
}

TEST(Config, LongValuesAreCutInMessages) {
  const auto config =
      ParseQwen3Config(With(R"("hidden_size": 64)", "\"hidden_size\": \"" + std::string(5000, 'x') + "\""), "c");
  ASSERT_FALSE(config.ok());
  EXPECT_LT(config.status().message().size(), 300u);
}

TEST(Config, ASequenceClassifierHasOneLabel) {
  const std::string classifier = With("Qwen3ForCausalLM", "Qwen3ForSequenceClassification");
  ExpectRefused(classifier, StatusCode::kDataLoss, "id2label is missing");
  const auto add = [&](const std::string& field) { return std::string(classifier).insert(1, field + ", "); };
  EXPECT_TRUE(ParseQwen3Config(add(R"("id2label": {"0": "LABEL_0"})"), "c").ok());
  EXPECT_TRUE(ParseQwen3Config(add(R"("num_labels": 1)"), "c").ok());
  ExpectRefused(add(R"("id2label": {"0": "a", "1": "b"})"), StatusCode::kUnimplemented, "one label");
  ExpectRefused(add(R"("num_labels": 3)"), StatusCode::kUnimplemented, "num_labels is 3");
}

TEST(Config, DeepNestingIsRefused) { ExpectRefused(std::string(100000, '['), StatusCode::kDataLoss, "not JSON"); }

}  // namespace
}  // namespace tamis
