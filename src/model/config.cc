#include "model/config.h"

#include <fmt/core.h>

#include <boost/json.hpp>

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
constexpr double kRopeThetaMax = 1e12;

// The value as JSON, cut where it is too long for a message.
std::string Shown(const json::value& value) {
  constexpr std::size_t kBytesMax = 120;
  std::string text = json::serialize(value);
  if (text.size() <= kBytesMax) return text;
  std::size_t end = kBytesMax;
  while ((text[end] & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + "...";
}

class ConfigReader {
 public:
  ConfigReader(const json::object& object, const std::string& file) : object_(object), file_(file) {}

  const std::string& file() const { return file_; }

  // The field's value, or null where it is missing or null.
  const json::value* Find(std::string_view field) const {
    const json::value* value = object_.if_contains(boost::json::string_view(field.data(), field.size()));
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  Status Bad(std::string_view field, const json::value* found, std::string_view expected) const {
    return DataLoss(
        fmt::format("{}: {} is {}; expected {}", file_, field, found ? Shown(*found) : "missing", expected));
  }
  Status Unsupported(std::string_view field, const json::value& found, std::string_view expected) const {
    return Unimplemented(
        fmt::format("{}: {} is {}, which tamis does not run; expected {}", file_, field, Shown(found), expected));
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

  Result<double> Positive(std::string_view field, double max) const {
    const json::value* value = Find(field);
    const double number = value != nullptr && value->is_number() ? value->to_number<double>() : 0.0;
    if (number > 0 && number <= max) return number;
    return Bad(field, value, fmt::format("a positive number up to {}", max));
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
    if (!type->is_string() || type->get_string() != "qwen3")
      return reader.Unsupported("model_type", *type, "\"qwen3\"");
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

Result<double> ReadRopeTheta(const ConfigReader& reader) {
  if (const json::value* scaling = reader.Find("rope_scaling")) {
    TAMIS_RETURN_IF_ERROR(CheckRopeType(reader, *scaling, "rope_scaling"));
  }
  if (const json::value* parameters = reader.Find("rope_parameters")) {
    TAMIS_RETURN_IF_ERROR(CheckRopeType(reader, *parameters, "rope_parameters"));
    if (parameters->get_object().contains("rope_theta")) {
      const ConfigReader inner(parameters->get_object(), reader.file());
      return inner.Positive("rope_theta", kRopeThetaMax);
    }
  }
  return reader.Positive("rope_theta", kRopeThetaMax);
}

Status CheckAttention(const ConfigReader& reader, int layers) {
  for (const char* field : {"attention_bias", "mlp_bias", "use_sliding_window"}) {
    TAMIS_ASSIGN_OR_RETURN(const bool flag, reader.Flag(field, false));
    if (flag) return reader.Unsupported(field, json::value(true), "false");
  }
  if (const json::value* types = reader.Find("layer_types")) {
    if (!types->is_array()) return reader.Bad("layer_types", types, "a list");
    if (types->get_array().size() != static_cast<std::size_t>(layers)) {
      return DataLoss(fmt::format("{}: layer_types has {} entries; expected {}, by num_hidden_layers", reader.file(),
                                  types->get_array().size(), layers));
    }
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

Status ReadSizes(const ConfigReader& reader, Qwen3Config* config) {
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
    return DataLoss(fmt::format("{}: num_attention_heads {} is not a multiple of num_key_value_heads {}", reader.file(),
                                config->q_heads, config->kv_heads));
  }
  if (config->head_dim % 2 != 0) {
    return DataLoss(
        fmt::format("{}: head_dim {} is odd; rotary embedding needs pairs", reader.file(), config->head_dim));
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
  TAMIS_RETURN_IF_ERROR(ReadSizes(reader, &config));
  TAMIS_RETURN_IF_ERROR(CheckAttention(reader, config.layers));
  TAMIS_ASSIGN_OR_RETURN(config.rope_theta, ReadRopeTheta(reader));
  config.rms_norm_eps = 1e-6f;
  if (reader.Find("rms_norm_eps") != nullptr) {
    TAMIS_ASSIGN_OR_RETURN(const double eps, reader.Positive("rms_norm_eps", 1.0));
    config.rms_norm_eps = static_cast<float>(eps);
  }
  TAMIS_ASSIGN_OR_RETURN(config.tied_embeddings, reader.Flag("tie_word_embeddings", false));
  if (config.sequence_classification()) TAMIS_RETURN_IF_ERROR(CheckLabels(reader));
  return config;
}

}  // namespace tamis
