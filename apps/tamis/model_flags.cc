#include "model_flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "flag_checks.h"
#include "output.h"
#include "suggest.h"
#include "text/instructions.h"

namespace tamis::app {
namespace {

constexpr int kTokensMax = 1 << 24;
constexpr int kThreadsMax = 1024;
constexpr int kStepTokensMax = 1 << 20;

// The preset's text. Throws what CLI11 throws for a value that is not allowed.
std::string PresetText(const std::string& flag, std::string_view name) {
  if (const InstructionPreset* preset = FindInstructionPreset(name)) return std::string(preset->text);
  std::vector<std::string> names;
  for (const InstructionPreset& preset : InstructionPresets()) names.emplace_back(preset.name);
  const std::string near = Nearest(name, names);
  throw CLI::ValidationError(flag, fmt::format("there is no preset \"{}\"{}; tamis instructions lists them", name,
                                               near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

void SetInstruction(const std::string& text, ScoringFlags* flags) {
  constexpr std::string_view kPreset = "preset:";
  flags->instruction = text.starts_with(kPreset) ? PresetText("--instruction", text.substr(kPreset.size())) : text;
}

}  // namespace

void AddModelFlags(CLI::App& app, ModelFlags* flags) {
  app.add_option("-m,--model", flags->model,
                 "Hugging Face folder of a Qwen3-Reranker model (default: the built-in one)");
  app.add_option("--tokenizer", flags->tokenizer, "tokenizer.json to use instead of the model's own");
  app.add_option("--profile", flags->profile,
                 "scoring profile: a built-in one's name or a JSON file (docs/profiles.md)");
  ExpectOneOf(app.add_option("--precision", flags->precision, "int8 (default) or fp32"), {"int8", "fp32"});
  ExpectWholeNumber(
      app.add_option("--threads", flags->threads, "compute threads (default: the CPUs this process may use)"), 1,
      kThreadsMax);
  ExpectWholeNumber(app.add_option("--max-length", flags->max_length,
                                   "tokens of a whole prompt (default: 8192, or the model's limit)"),
                    1, kTokensMax);
  ExpectWholeNumber(
      app.add_option("--step-tokens", flags->step_tokens, "rows computed at once (default: what takes about 300 ms)"),
      1, kStepTokensMax);
  app.add_flag("--no-prefix-sharing", flags->no_prefix_sharing,
               "compute every prompt whole (same scores, only slower)");
  app.add_flag("-q,--quiet", flags->quiet, "no notes on standard error");
}

void AddScoringFlags(CLI::App& app, ScoringFlags* flags) {
  const auto instruction = [flags](const std::string& text) { SetInstruction(text, flags); };
  const auto preset = [flags](const std::string& name) { flags->instruction = PresetText("--preset", name); };
  auto* by_text = app.add_option_function<std::string>("-i,--instruction", instruction,
                                                       "what makes a document relevant: a text, or preset:NAME");
  app.add_option_function<std::string>("--preset", preset, "an instruction by its name (tamis instructions lists them)")
      ->excludes(by_text);
  ExpectWholeNumber(app.add_option("--max-tokens-per-doc", flags->max_tokens_per_doc,
                                   "tokens of a document (default: as many as fit)"),
                    1, kTokensMax);
  app.add_flag("--truncate-query", flags->truncate_query, "allow a query that leaves no room for documents");
  ExpectOneOf(app.add_option("--windows", flags->windows,
                             "auto: a document that does not fit is cut into overlapping windows, the best one counts"),
              {"off", "auto"});
  ExpectWholeNumber(
      app.add_option("--window-tokens", flags->window_tokens, "document tokens of a window (default: as many as fit)"),
      1, kTokensMax);
  ExpectWholeNumber(app.add_option("--overlap-tokens", flags->overlap_tokens,
                                   "tokens that neighbouring windows share (default: an eighth)"),
                    0, kTokensMax);
  app.add_flag("--raw-scores", flags->raw_scores, "give the logit difference instead of the probability");
}

ModelOptions ToModelOptions(const ModelFlags& flags) {
  ModelOptions options;
  options.model = flags.model;
  options.tokenizer = flags.tokenizer;
  options.profile = flags.profile;
  options.precision = flags.precision == "fp32" ? Precision::kFp32 : Precision::kInt8;
  options.threads = flags.threads;
  options.max_length = flags.max_length;
  options.step_tokens = flags.step_tokens;
  options.share_prefixes = !flags.no_prefix_sharing;
  return options;
}

ScoreOptions ToScoreOptions(const ScoringFlags& flags) {
  ScoreOptions options;
  options.max_tokens_per_doc = flags.max_tokens_per_doc;
  options.truncate_query = flags.truncate_query;
  options.windows = flags.windows == "auto" ? WindowMode::kAuto : WindowMode::kOff;
  options.window_tokens = flags.window_tokens;
  options.overlap_tokens = flags.overlap_tokens;
  options.raw_scores = flags.raw_scores;
  return options;
}

Result<std::unique_ptr<Reranker>> LoadWithNotice(const ModelFlags& flags) {
  auto reranker = Reranker::Load(ToModelOptions(flags));
  if (reranker.ok() && flags.model.empty() && !flags.quiet) {
    PrintNote(
        "using the built-in demonstration model, which is for trying out only; for real use give --model FOLDER, a "
        "copy "
        "of Qwen/Qwen3-Reranker-0.6B from a model hub (README: \"The real model\")");
  }
  return reranker;
}

}  // namespace tamis::app
