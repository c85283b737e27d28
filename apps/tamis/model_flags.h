// The flags that choose a model and how it scores: the same for every subcommand that scores.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tamis/options.h"
#include "tamis/reranker.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 spells it
class App;
}

namespace tamis::app {

struct ModelFlags {
  std::string model;
  std::string tokenizer;
  std::string profile;
  std::string precision = "int8";
  int threads = 0;
  int max_length = 0;
  int step_tokens = 0;
  bool no_prefix_sharing = false;
  bool quiet = false;
};

struct ScoringFlags {
  std::optional<std::string> instruction;  // resolved: a preset's text stands here, not its name
  int max_tokens_per_doc = 0;
  bool truncate_query = false;
  std::string windows = "off";
  int window_tokens = 0;
  int overlap_tokens = -1;
  bool raw_scores = false;
};

// An unknown preset is a CLI::ValidationError.
void AddModelFlags(CLI::App& app, ModelFlags* flags);
void AddScoringFlags(CLI::App& app, ScoringFlags* flags);

ModelOptions ToModelOptions(const ModelFlags& flags);
ScoreOptions ToScoreOptions(const ScoringFlags& flags);

// Loads, with a word on standard error where the built-in model is used (unless quiet).
Result<std::unique_ptr<Reranker>> LoadWithNotice(const ModelFlags& flags);

}  // namespace tamis::app
