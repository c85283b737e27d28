// ScoringProfile: how text becomes a prompt and logits become a score. Data, not code; docs/profiles.md is its manual.
//
// A profile as a JSON file ("base" and all fields optional where a base is named; unknown fields are refused):
//   {
//     "name": "my-profile",
//     "base": "qwen3-reranker",            a built-in profile that fills in every field left out here
//     "prefix": "<|im_start|>...",         encoded by itself, control tokens recognised
//     "content": "... {instruction} ... {query} ... {document}",   plain text; cut to fit
//     "suffix": "<|im_end|>...",           encoded by itself, control tokens recognised
//     "default_instruction": "Given ...",  used where a request names none
//     "head": {"type": "label_pair", "positive": "yes", "negative": "no"}
//           | {"type": "label", "label": " Relevant", "first_token": false, "output": "logit" | "log_probability"}
//           | {"type": "score"},
//     "activation": "sigmoid" | "none" | "exp",
//     "truncation_side": "right" | "left"
//   }
// A label is a text that must be one token, or a token id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tamis/status.h"
#include "text/token_id.h"

namespace tamis {

enum class HeadKind : std::uint8_t {
  kLabelPair,  // margin = logit(positive) - logit(negative)
  kLabel,      // margin = logit or log-probability of one label
  kScore,      // margin = the logit of the model's one-logit score head
};

enum class LabelOutput : std::uint8_t { kLogit, kLogProbability };

enum class Activation : std::uint8_t {
  kSigmoid,
  kNone,  // score = margin
  kExp,   // of a log-probability: the probability
};

// Which end of a document that does not fit is left out.
enum class TruncationSide : std::uint8_t { kRight, kLeft };

struct Label {
  std::string text = {};      // not used where there is an id
  std::optional<TokenId> id = std::nullopt;
  bool first_token = false;   // a text of several tokens stands for its first one
};

struct ScoringHead {
  HeadKind kind = HeadKind::kLabelPair;
  Label positive = {};        // the one label of kLabel
  Label negative = {};        // of kLabelPair
  LabelOutput output = LabelOutput::kLogit;  // of kLabel
};

struct ScoringProfile {
  std::string name;
  std::string prefix;
  std::string content;
  std::string suffix;
  std::string default_instruction;
  ScoringHead head;
  Activation activation = Activation::kSigmoid;
  TruncationSide truncation_side = TruncationSide::kRight;
};

// The built-in profiles, the default (qwen3-reranker) first.
std::span<const ScoringProfile> BuiltInProfiles();

// Null if there is none of that name.
const ScoringProfile* FindBuiltInProfile(std::string_view name);

// Errors: InvalidArgument, naming the file, the field, what was found and what was expected.
Result<ScoringProfile> ParseProfile(std::string_view json, std::string_view file_name);

// The score that a margin gives. The result is finite where the margin is, and never leaves the activation's range.
double ApplyActivation(Activation activation, double margin);

std::string_view ActivationName(Activation activation);

}  // namespace tamis
