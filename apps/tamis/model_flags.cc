#include "model_flags.h"

#include <CLI/CLI.hpp>

#include "output.h"

namespace tamis::app {
namespace {

constexpr int kTokensMax = 1 << 24;

}  // namespace

void AddModelFlags(CLI::App& app, ModelFlags* flags) {
  app.add_option("-m,--model", flags->model, "Hugging Face folder of a Qwen3-Reranker model (default: the built-in one)");
  app.add_option("--tokenizer", flags->tokenizer, "tokenizer.json to use instead of the model's own");
  app.add_option("--profile", flags->profile, "scoring profile: a built-in one's name or a JSON file (docs/profiles.md)");
  app.add_option("--precision", flags->precision, "int8 (default) or fp32")->check(CLI::IsMember({"int8", "fp32"}));
  app.add_option("--threads", flags->threads, "compute threads (default: the CPUs this process may use)")->check(CLI::Range(1, 1024));
  app.add_option("--max-length", flags->max_length, "tokens of a whole prompt (default: 8192, or the model's limit)")
      ->check(CLI::Range(1, kTokensMax));
  app.add_option("--step-tokens", flags->step_tokens, "rows computed at once (default: what takes about 300 ms)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_flag("--no-prefix-sharing", flags->no_prefix_sharing, "compute every prompt whole (scores are the same, only slower)");
  app.add_flag("-q,--quiet", flags->quiet, "no notes on standard error");
}

void AddScoringFlags(CLI::App& app, ScoringFlags* flags) {
  auto* instruction = app.add_option("-i,--instruction", flags->instruction, "what makes a document relevant: a text, or preset:NAME");
  app.add_option("--preset", flags->preset, "the name of an instruction preset (tamis instructions lists them)")->excludes(instruction);
  app.add_option("--max-tokens-per-doc", flags->max_tokens_per_doc, "tokens of a document (default: as many as fit)")
      ->check(CLI::Range(1, kTokensMax));
  app.add_flag("--truncate-query", flags->truncate_query, "allow a query that leaves no room for documents");
  app.add_option("--windows", flags->windows, "auto: cut documents that do not fit into overlapping windows, the best one counts")
      ->check(CLI::IsMember({"off", "auto"}));
  app.add_option("--window-tokens", flags->window_tokens, "document tokens of a window (default: as many as fit)")
      ->check(CLI::Range(1, kTokensMax));
  app.add_option("--overlap-tokens", flags->overlap_tokens, "tokens that neighbouring windows share (default: an eighth)")
      ->check(CLI::Range(0, kTokensMax));
  app.add_flag("--raw-scores", flags->raw_scores, "print the logit difference instead of the probability");
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

std::optional<std::string> InstructionOf(const ScoringFlags& flags) {
  if (!flags.preset.empty()) return "preset:" + flags.preset;
  return flags.instruction;
}

Result<std::unique_ptr<Reranker>> LoadWithNotice(const ModelFlags& flags) {
  auto reranker = Reranker::Load(ToModelOptions(flags));
  if (reranker.ok() && flags.model.empty() && !flags.quiet) {
    PrintError("using the built-in demonstration model, which is for trying out only; for real use give --model FOLDER, a copy of "
               "Qwen/Qwen3-Reranker-0.6B from a model hub (README: \"The real model\")");
  }
  return reranker;
}

}  // namespace tamis::app
