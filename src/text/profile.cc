// The built-in profiles, and activations.
#include "text/profile.h"

#include <cmath>
#include <vector>

namespace tamis {
namespace {

constexpr std::string_view kWebSearch = "Given a web search query, retrieve relevant passages that answer the query";

// The official recipe of the Qwen3-Reranker models: a difference of one character shifts every score.
ScoringProfile Qwen3Reranker() {
  ScoringProfile p;
  p.name = "qwen3-reranker";
  p.prefix =
      "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
      "provided. Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n<|im_start|>user\n";
  p.content = "<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}";
  p.suffix = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
  p.default_instruction = kWebSearch;
  p.head = {.kind = HeadKind::kLabelPair, .positive = {.text = "yes"}, .negative = {.text = "no"}};
  return p;
}

std::vector<ScoringProfile> MakeBuiltIns() {
  std::vector<ScoringProfile> profiles = {Qwen3Reranker()};

  ScoringProfile seq_cls = Qwen3Reranker();
  seq_cls.name = "qwen3-seq-cls";
  seq_cls.head = {.kind = HeadKind::kScore};
  profiles.push_back(seq_cls);

  // What some public tutorials do: no chat frame, and the probability that the next word is one label.
  ScoringProfile label;
  label.name = "label-token";
  label.content = "Instruct: {instruction}\nQuery: {query}\nDocument: {document}";
  label.suffix = "\nJudgement: ";
  label.default_instruction = kWebSearch;
  label.head = {.kind = HeadKind::kLabel,
                .positive = {.text = "Relevant", .first_token = true},
                .output = LabelOutput::kLogProbability};
  label.activation = Activation::kExp;
  profiles.push_back(label);

  ScoringProfile raw;
  raw.name = "raw";
  raw.content = "{query}\n{document}";
  raw.head = Qwen3Reranker().head;
  profiles.push_back(raw);
  return profiles;
}

}  // namespace

std::span<const ScoringProfile> BuiltInProfiles() {
  static const std::vector<ScoringProfile> profiles = MakeBuiltIns();
  return profiles;
}

const ScoringProfile* FindBuiltInProfile(std::string_view name) {
  for (const ScoringProfile& profile : BuiltInProfiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

double ApplyActivation(Activation activation, double margin) {
  switch (activation) {
    case Activation::kSigmoid:
      return margin >= 0 ? 1 / (1 + std::exp(-margin)) : std::exp(margin) / (1 + std::exp(margin));
    case Activation::kExp: return std::isnan(margin) ? margin : std::exp(std::fmin(margin, 0));
    case Activation::kNone: break;
  }
  return margin;
}

std::string_view ActivationName(Activation activation) {
  switch (activation) {
    case Activation::kSigmoid: return "sigmoid";
    case Activation::kNone: return "none";
    case Activation::kExp: return "exp";
  }
  return "unknown";
}

}  // namespace tamis
