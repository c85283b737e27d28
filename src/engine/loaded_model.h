// From ModelOptions to everything that scores: weights, tokenizer, profile and prompt, head and backend.
// The one place that names a concrete backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "engine/cost_model.h"
#include "tamis/options.h"
#include "tamis/reranker.h"
#include "tamis/status.h"
#include "text/prompt.h"
#include "text/tokenizer.h"

namespace tamis {

struct LoadedModel {
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<PromptBuilder> prompts;
  std::unique_ptr<Backend> backend;
  CostModel cost;
  ModelInfo info;
  std::vector<std::string> notes;  // what a person should know about the profile's labels
};

// Errors: as Reranker::Load.
Result<LoadedModel> OpenModel(const ModelOptions& options);

}  // namespace tamis
