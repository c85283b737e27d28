#include "model/config.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <optional>

namespace tamis {
namespace {

namespace json = boost::json;

// Bounds keep every product of two sizes inside 64 bits and refuse nonsense before memory is asked for.
constexpr int kWidthMax = 1 << 17;
constexpr int kLayersMax = 1024;
constexpr int kHeadsMax = 1024;
constexpr int kHeadDimMax = 512;  // the kernels' limit
constexpr int kVocabMax = 1 << 22;
constexpr int kPositionsMax = 1 << 24;

class ConfigReader {
 public:
  ConfigReader(const json::object& object, const std::string& file) : object_(object), file_(file) {}

  // The field's value, or null where it is missing or null.
  const json::value* Find(std::string_view field) const {
    const json::value* value = object_.if_contains(boost::json::string_view(field.data(), field.size()));
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  Status Bad(std::string_view field, const json::value* found, std::string_view expected) const {
    return DataLoss(fmt::format("{}: {} is {}; expected {}", file_, field, found ? json::serialize(*found) : "missing", expected));
  }
  Status Unsupported(std::string_view field, const json::value& found, std::string_view expected) const {
    return Unimplemented(fmt::format("{}: {} is {}, which tamis does not run; expected {}", file_, field,
                                     json::serialize(found), expected));
  }

  Result<int> Size(std::string_view field, int min, int max) const {
    const json::value* value = Find(field);
    const std::string expected = fmt::format("a whole number from {} to {}", min, max);
    if (value == nullptr) return Bad(field, value, expected);
    boost::system::error_code error;
    const auto number = value->is_number() ? value->to_number<std::int64_t>(error) : 0;
    if (!value->is_number() || error || number < min || number > max) return Bad(field, value, expected);
    return static_cast<int>(number);
  }

  Result<double> Positive(std::string_view field) const {
    const json::value* value = Find(field);
    if (value == nullptr || !value->is_number() || !(value->to_number<double>() > 0) ||
        !std::isfinite(value->to_number<double>())) {
      return Bad(field, value, "a positive number");
    }
    return value->to_number<double>();
  }

  Result<bool> Flag(std::string_view field, bool missing) const {
    const json::value* value = Find(field);
    if (value == nullptr) return missing;
    if (!value->is_bool()) return Bad(field, value, "true or false");
    return value->get_bool();
  }

 private:
  const json::object& object_;
  const std::string& file_;
};

Result<std::string> ReadArchitecture(const ConfigReader& reader) {
  constexpr std::string_view kExpected = "Qwen3ForCausalLM or Qwen3ForSequenceClassification";
  const json::value* list = reader.Find("architectures");
  if (list == nullptr || !list->is_array() || list->get_array().size() != 1 || !list->get_array()[0].is_string()) {
    return reader.Bad("architectures", list, fmt::format("a list with {}", kExpected));
  }
  const json::string& name = list->get_array()[0].get_string();
  const std::string architecture(name.data(), name.size());
  if (architecture != "Qwen3ForCausalLM" && architecture != "Qwen3ForSequenceClassification") {
    return reader.Unsupported("architectures", *list, kExpected);
  }
  if (const json::value* type = reader.Find("model_type")) {
    if (!type->is_string() || type->get_string() != "qwen3") return reader.Unsupported("model_type", *type, "\"qwen3\"");
  }
  return architecture;
}

Status CheckRopeType(const ConfigReader& reader, const json::value& container, std::string_view field) {
  if (!container.is_object()) return reader.Bad(field, &container, "an object");
  for (const char* key : {"rope_type", "type"}) {
    const json::value* type = container.get_object().if_contains(key);
    if (type == nullptr || type->is_null()) continue;
    if (!type->is_string() || type->get_string() != "default") {
      return reader.Unsupported(fmt::format("{}.{}", field, key), *type, "\"default\" (no scaling)");
    }
  }
  if (const json::value* factor = container.get_object().if_contains("factor")) {
    return reader.Unsupported(fmt::format("{}.factor", field), *factor, "no scaling");
  }
  if (const json::value* partial = container.get_object().if_contains("partial_rotary_factor")) {
    if (!partial->is_number() || partial->to_number<double>() != 1.0) {
      return reader.Unsupported(fmt::format("{}.partial_rotary_factor", field), *partial, "1");
    }
  }
  return OkStatus();
}

Result<double> ReadRopeTheta(const ConfigReader& reader, const std::string& file) {
  if (const json::value* scaling = reader.Find("rope_scaling")) {
    TAMIS_RETURN_IF_ERROR(CheckRopeType(reader, *scaling, "rope_scaling"));
  }
  if (const json::value* parameters = reader.Find("rope_parameters")) {
    TAMIS_RETURN_IF_ERROR(CheckRopeType(reader, *parameters, "rope_parameters"));
    if (parameters->get_object().contains("rope_theta")) {
      const ConfigReader inner(parameters->get_object(), file);
      return inner.Positive("rope_theta");
    }
  }
  return reader.Positive("rope_theta");
}

Status CheckAttention(const ConfigReader& reader) {
  for (const char* field : {"attention_bias", "mlp_bias", "use_sliding_window"}) {
    TAMIS_ASSIGN_OR_RETURN(const bool flag, reader.Flag(field, false));
    if (flag) return reader.Unsupported(field, json::value(true), "false");
  }
  if (const json::value* types = reader.Find("layer_types")) {
    if (!types->is_array()) return reader.Bad("layer_types", types, "a list");
    for (const json::value& type : types->get_array()) {
      if (!type.is_string() || type.get_string() != "full_attention") {
        return reader.Unsupported("layer_types", type, "\"full_attention\" everywhere");
      }
    }
  }
  if (const json::value* activation = reader.Find("hidden_act")) {
    if (!activation->is_string() || activation->get_string() != "silu") {
      return reader.Unsupported("hidden_act", *activation, "\"silu\"");
    }
  }
  for (const char* field : {"quantization_config", "num_experts"}) {
    const json::value* value = reader.Find(field);
    if (value != nullptr && !(value->is_number() && value->to_number<double>() == 0)) {
      return reader.Unsupported(field, *value, "none");
    }
  }
  return OkStatus();
}

// A sequence classifier must have one label: its logit is the score.
Status CheckLabels(const ConfigReader& reader) {
  std::int64_t labels = 2;  // transformers' default
  const json::value* found = nullptr;
  if (const json::value* names = reader.Find("id2label")) {
    if (!names->is_object()) return reader.Bad("id2label", names, "an object");
    labels = static_cast<std::int64_t>(names->get_object().size());
    found = names;
  }
  if (const json::value* count = reader.Find("num_labels")) {
    labels = count->is_int64() ? count->get_int64() : -1;
    found = count;
  }
  if (labels == 1) return OkStatus();
  return found ? reader.Unsupported(found == reader.Find("num_labels") ? "num_labels" : "id2label", *found, "one label")
               : reader.Bad("id2label", found, "one label");
}

Status ReadSizes(const ConfigReader& reader, const std::string& file, Qwen3Config* config) {
  TAMIS_ASSIGN_OR_RETURN(config->hidden_size, reader.Size("hidden_size", 1, kWidthMax));
  TAMIS_ASSIGN_OR_RETURN(config->layers, reader.Size("num_hidden_layers", 1, kLayersMax));
  TAMIS_ASSIGN_OR_RETURN(config->q_heads, reader.Size("num_attention_heads", 1, kHeadsMax));
  config->kv_heads = config->q_heads;
  if (reader.Find("num_key_value_heads") != nullptr) {
    TAMIS_ASSIGN_OR_RETURN(config->kv_heads, reader.Size("num_key_value_heads", 1, kHeadsMax));
  }
  config->head_dim = 128;  // Qwen3's default, whatever hidden_size and heads are
  if (reader.Find("head_dim") != nullptr) {
    TAMIS_ASSIGN_OR_RETURN(config->head_dim, reader.Size("head_dim", 2, kHeadDimMax));
  }
  TAMIS_ASSIGN_OR_RETURN(config->intermediate_size, reader.Size("intermediate_size", 1, kWidthMax));
  TAMIS_ASSIGN_OR_RETURN(config->vocab_size, reader.Size("vocab_size", 1, kVocabMax));
  TAMIS_ASSIGN_OR_RETURN(config->max_positions, reader.Size("max_position_embeddings", 1, kPositionsMax));
  if (config->q_heads % config->kv_heads != 0) {
    return DataLoss(fmt::format("{}: num_attention_heads {} is not a multiple of num_key_value_heads {}", file,
                                config->q_heads, config->kv_heads));
  }
  if (config->head_dim % 2 != 0) {
    return DataLoss(fmt::format("{}: head_dim {} is odd; rotary embedding needs pairs", file, config->head_dim));
  }
  return OkStatus();
}

}  // namespace

Result<Qwen3Config> ParseQwen3Config(std::string_view text, const std::string& file) {
  boost::system::error_code error;
  const json::value root = json::parse({text.data(), text.size()}, error);
  if (error) return DataLoss(fmt::format("{}: not JSON: {}", file, error.message()));
  if (!root.is_object()) return DataLoss(fmt::format("{}: not a JSON object", file));
  const ConfigReader reader(root.get_object(), file);
  Qwen3Config config;
  TAMIS_ASSIGN_OR_RETURN(config.architecture, ReadArchitecture(reader));
  TAMIS_RETURN_IF_ERROR(CheckAttention(reader));
  TAMIS_RETURN_IF_ERROR(ReadSizes(reader, file, &config));
  TAMIS_ASSIGN_OR_RETURN(config.rope_theta, ReadRopeTheta(reader, file));
  config.rms_norm_eps = 1e-6f;
  if (reader.Find("rms_norm_eps") != nullptr) {
    TAMIS_ASSIGN_OR_RETURN(const double eps, reader.Positive("rms_norm_eps"));
    config.rms_norm_eps = static_cast<float>(eps);
  }
  TAMIS_ASSIGN_OR_RETURN(config.tied_embeddings, reader.Flag("tie_word_embeddings", false));
  if (config.sequence_classification()) TAMIS_RETURN_IF_ERROR(CheckLabels(reader));
  return config;
}

Result<Qwen3Config> ShapePreset(std::string_view name) {
  Qwen3Config config;
  config.architecture = "Qwen3ForCausalLM";
  config.head_dim = 128;
  config.kv_heads = 8;
  config.vocab_size = 151669;
  config.max_positions = 40960;
  config.rms_norm_eps = 1e-6f;
  config.rope_theta = 1e6;
  const auto sizes = [&config](int hidden, int layers, int q_heads, int intermediate, bool tied) {
    config.hidden_size = hidden;
    config.layers = layers;
    config.q_heads = q_heads;
    config.intermediate_size = intermediate;
    config.tied_embeddings = tied;
  };
  if (name == "qwen3-reranker-0.6b") {
    sizes(1024, 28, 16, 3072, true);
  } else if (name == "qwen3-reranker-4b") {
    sizes(2560, 36, 32, 9728, true);
  } else if (name == "qwen3-reranker-8b") {
    sizes(4096, 36, 32, 12288, false);
  } else {
    return NotFound(fmt::format("no shape \"{}\"; there are qwen3-reranker-0.6b, qwen3-reranker-4b and qwen3-reranker-8b", name));
  }
  return config;
}

}  // namespace tamis
