// What a caller can set: how a model is loaded, and how a request is scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"

namespace tamis {

enum class Precision : std::uint8_t {
  kInt8,  // rotated int8 with one scale for each token and output column (default)
  kFp32,
};

// How a model is opened. The defaults load the built-in demonstration model in int8.
struct ModelOptions {
  std::string model;      // Hugging Face folder; empty: the built-in model; "random:qwen3-reranker-0.6b" (or -4b,
                          // -8b): a model of that shape with random weights, for measuring speed
  std::string tokenizer;  // tokenizer.json to use instead of the model's own, or "builtin"; a random model needs one
  std::string profile;    // built-in scoring profile or a JSON file (docs/profiles.md); empty: chosen by the model
  Precision precision = Precision::kInt8;
  int threads = 0;        // compute threads; 0: as many CPUs as this process may use
  int max_length = 0;     // tokens of a whole prompt; 0: 8192, or the model's limit where that is less
  int step_tokens = 0;    // rows computed at once, which bounds memory; 0: chosen by the model's size
  bool share_prefixes = true;  // compute what prompts have in common once (scores are the same either way)
  std::size_t prefix_cache_bytes = 256u << 20;  // keys and values of query prefixes kept across requests; 0: none
};

enum class WindowMode : std::uint8_t {
  kOff,   // a document that does not fit keeps its first tokens (the official model's way)
  kAuto,  // a document that does not fit is cut into overlapping windows; its score is the best window's
};

struct ScoreOptions {
  int max_length = 0;           // tokens of a whole prompt; 0: the model's setting
  int max_tokens_per_doc = 0;   // tokens of a document; 0: as many as fit
  bool truncate_query = false;  // allow a query that leaves no room for a document's first token
  WindowMode windows = WindowMode::kOff;
  int window_tokens = 0;        // document tokens of a window; 0: as many as fit
  int overlap_tokens = -1;      // tokens that neighbouring windows share; -1: an eighth of the window
  bool raw_scores = false;      // score = margin, without the profile's activation
};

struct RerankRequest {
  std::string query;
  std::optional<std::string> instruction;  // unset: the profile's default; "preset:NAME": a preset; "" stays empty
  std::vector<std::string> documents;      // UTF-8; each bad sequence counts as U+FFFD
  int top_n = 0;                           // results to return; 0 or more than there are: all
  std::optional<float> min_score;          // leave out results below it
  ScoreOptions options;
};

// One query and one document. Pairs need not share anything.
struct TextPair {
  std::string query;
  std::string document;
  std::optional<std::string> instruction;
  int max_length = 0;  // tokens of the whole prompt; 0: as the options say
};

struct ByteRange {
  std::size_t start_byte = 0;
  std::size_t end_byte = 0;  // one past the last
};

struct DocumentScore {
  std::size_t index = 0;    // place in the request
  float score = 0;          // finite; activation(margin), or the margin with raw_scores
  float margin = 0;         // logit(yes) - logit(no); the logit of a one-logit head; the label's (log-)value
  int tokens = 0;           // of its prompt (of all its windows together)
  int truncated_tokens = 0;  // document tokens that did not fit; 0 with windows
  int windows = 1;          // windows scored
  std::optional<ByteRange> window;  // the best window of a document that was cut into several
};

// Where the time and the tokens of a request went.
struct RequestStats {
  std::int64_t tokenize_us = 0;
  std::int64_t queue_us = 0;    // waiting for other requests' steps
  std::int64_t compute_us = 0;  // steps in which this request took part
  std::int64_t total_us = 0;
  std::int64_t prompt_tokens = 0;    // every prompt counted whole
  std::int64_t computed_tokens = 0;  // rows really computed
  int steps = 0;
  int duplicates = 0;           // documents that were identical to an earlier one and scored once
};

struct RerankResponse {
  std::vector<DocumentScore> results;  // best first; equal scores by index
  RequestStats stats;
  std::vector<std::string> warnings;
};

// An instruction that `preset:NAME` stands for.
struct InstructionPreset {
  std::string_view name;
  std::string_view language;  // of the texts it is meant for: "any", "en", "zh"
  std::string_view text;
  bool measured = false;      // whether its effect on quality was measured with the real model
};
TAMIS_EXPORT std::span<const InstructionPreset> InstructionPresets();

}  // namespace tamis
