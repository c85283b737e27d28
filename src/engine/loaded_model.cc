#include "engine/loaded_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "backend/cpu/cpu_backend.h"
#include "builtin/builtin_model.h"
#include "model/mapped_file.h"
#include "model/qwen3.h"
#include "text/label.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenizerBytesMax = 256u << 20;
constexpr std::size_t kProfileBytesMax = 4u << 20;
constexpr int kDefaultMaxLength = 8192;
constexpr std::string_view kRandomPrefix = "random:";
constexpr std::string_view kBuiltinTokenizer = "builtin";
constexpr std::uint64_t kRandomSeed = 1;

Result<Qwen3Model> OpenWeights(const ModelOptions& options) {
  if (options.model.empty()) {
    const BuiltinModel builtin = GetBuiltinModel();
    return LoadQwen3FromMemory(builtin.config_json, builtin.safetensors, std::string(builtin.name));
  }
  if (options.model.starts_with(kRandomPrefix)) {
    TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ShapePreset(options.model.substr(kRandomPrefix.size())));
    return RandomQwen3(config, kRandomSeed);
  }
  return LoadQwen3Folder(options.model);
}

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const ModelOptions& options) {
  std::string path = options.tokenizer;
  if (path == kBuiltinTokenizer || (path.empty() && options.model.empty())) {
    return ParseTokenizer(GetBuiltinModel().tokenizer_json, "the built-in tokenizer.json");
  }
  if (path.empty()) {
    if (options.model.starts_with(kRandomPrefix)) {
      return InvalidArgument(
          fmt::format("{}: a model with random weights has no tokenizer of its own; give one", options.model));
    }
    path = (fs::path(options.model) / "tokenizer.json").string();
  }
  TAMIS_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  if (bytes.size() > kTokenizerBytesMax) {
    return ResourceExhausted(fmt::format("{}: {} bytes; at most {} are read", path, bytes.size(), kTokenizerBytesMax));
  }
  return ParseTokenizer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

Result<ScoringProfile> ReadProfileFile(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(const std::string json, ReadTextFile(path, kProfileBytesMax));
  return ParseProfile(json, path);
}

// The named profile, the one in the model's folder, or the one that goes with its architecture.
Result<ScoringProfile> ChooseProfile(const ModelOptions& options, const Qwen3Config& config) {
  if (!options.profile.empty()) {
    if (const ScoringProfile* found = FindBuiltInProfile(options.profile)) return *found;
    std::error_code error;
    if (fs::exists(options.profile, error)) return ReadProfileFile(options.profile);
    std::string names;
    for (const ScoringProfile& profile : BuiltInProfiles())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", profile.name);
    return NotFound(fmt::format("no scoring profile \"{}\": neither a file nor one of {}", options.profile, names));
  }
  const fs::path own = fs::path(options.model) / "tamis_profile.json";
  std::error_code error;
  if (!options.model.empty() && fs::exists(own, error)) return ReadProfileFile(own.string());
  return *FindBuiltInProfile(config.sequence_classification() ? "qwen3-seq-cls" : "qwen3-reranker");
}

HeadSpec SpecOf(const ResolvedHead& head) {
  HeadSpec spec;
  switch (head.kind) {
    case HeadKind::kLabelPair: spec.kind = HeadSpec::Kind::kLabelPair; break;
    case HeadKind::kLabel: spec.kind = HeadSpec::Kind::kLabel; break;
    case HeadKind::kScore: spec.kind = HeadSpec::Kind::kScoreRow; break;
  }
  spec.positive = head.positive;
  spec.negative = head.negative;
  spec.log_sum_exp = head.kind == HeadKind::kLabel && head.output == LabelOutput::kLogProbability;
  return spec;
}

Result<int> ChooseMaxLength(const ModelOptions& options, const Qwen3Config& config) {
  if (options.max_length == 0) return std::min(kDefaultMaxLength, config.max_positions);
  if (options.max_length < 0 || options.max_length > config.max_positions) {
    return InvalidArgument(fmt::format("max_length {} is out of range: the model takes 1 to {} tokens",
                                       options.max_length, config.max_positions));
  }
  return options.max_length;
}

CostModel CostOf(const Qwen3Config& config, double linear_ops_per_token) {
  return {4.0 * config.layers * config.q_heads * config.head_dim / linear_ops_per_token};
}

void Describe(const ModelOptions& options, const Qwen3Config& config, LoadedModel* model) {
  const BackendInfo& backend = model->backend->info();
  ModelInfo& info = model->info;
  info.built_in = options.model.empty();
  info.model = info.built_in ? std::string(GetBuiltinModel().name) : options.model;
  info.architecture = config.architecture;
  info.profile = model->prompts->profile().name;
  info.precision = backend.precision;
  info.isa = backend.isa;
  info.default_instruction = model->prompts->profile().default_instruction;
  info.threads = backend.threads;
  info.layers = config.layers;
  info.hidden_size = config.hidden_size;
  info.vocab_size = config.vocab_size;
  info.max_positions = config.max_positions;
  info.max_length = model->prompts->max_length();
  info.weight_bytes = backend.weight_bytes;
  info.linear_ops_per_token = backend.linear_ops_per_token;
}

}  // namespace

Result<LoadedModel> OpenModel(const ModelOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  LoadedModel model;
  TAMIS_ASSIGN_OR_RETURN(Qwen3Model weights, OpenWeights(options));
  const Qwen3Config config = weights.config;
  TAMIS_ASSIGN_OR_RETURN(model.tokenizer, OpenTokenizer(options));
  if (model.tokenizer->vocab_size() > config.vocab_size) {
    return InvalidArgument(
        fmt::format("the tokenizer has ids up to {}, but the model's vocabulary is {}: they do not belong together",
                    model.tokenizer->vocab_size() - 1, config.vocab_size));
  }
  TAMIS_ASSIGN_OR_RETURN(ScoringProfile profile, ChooseProfile(options, config));
  TAMIS_ASSIGN_OR_RETURN(const ResolvedHead head, ResolveHead(profile, *model.tokenizer));
  model.notes = head.notes;
  TAMIS_ASSIGN_OR_RETURN(const int max_length, ChooseMaxLength(options, config));
  TAMIS_ASSIGN_OR_RETURN(PromptBuilder prompts,
                         PromptBuilder::Create(model.tokenizer.get(), std::move(profile), max_length));
  model.prompts = std::make_unique<PromptBuilder>(std::move(prompts));
  CpuBackendOptions backend;
  backend.precision = options.precision;
  backend.threads = options.threads;
  backend.head = SpecOf(head);
  TAMIS_ASSIGN_OR_RETURN(model.backend, MakeCpuBackend(std::move(weights), backend));
  model.cost = CostOf(config, model.backend->info().linear_ops_per_token);
  Describe(options, config, &model);
  model.info.load_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  return model;
}

}  // namespace tamis
