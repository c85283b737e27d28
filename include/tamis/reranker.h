// Reranker: a loaded model that puts documents in order for a query.
//
//   auto reranker = tamis::Reranker::Load({.model = "Qwen3-Reranker-0.6B"});
//   if (!reranker.ok()) { std::cerr << reranker.status().message(); return 1; }
//   auto answer = (*reranker)->Rerank({.query = "...", .documents = {"...", "..."}});
//   for (const tamis::DocumentScore& r : answer->results) use(r.index, r.score);
//
// All methods are thread-safe: calls from several threads share the compute threads, and their documents are batched
// together. Scores do not depend on what else is being scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

struct ModelInfo {
  std::string model;         // as given, or the built-in model's name
  std::string architecture;  // "Qwen3ForCausalLM"
  std::string profile;
  std::string precision;     // "int8", "fp32"
  std::string isa;           // "avx512vnni"
  std::string default_instruction;
  int threads = 0;
  int layers = 0;
  int hidden_size = 0;
  int vocab_size = 0;
  int max_positions = 0;     // the model's own limit in tokens
  int max_length = 0;        // in force
  bool built_in = false;
  std::size_t weight_bytes = 0;
  double linear_ops_per_token = 0;  // multiply-adds of the linear layers x 2
  std::int64_t load_us = 0;
};

struct TokenizedPrompt {
  std::vector<std::int32_t> ids;
  int shared_tokens = 0;     // leading ids that all documents of the query have in common
  int truncated_tokens = 0;  // tokens cut off to keep to max_length
};

// Called from a compute thread as documents are finished; must be quick.
using ProgressFunction = std::function<void(std::size_t done, std::size_t total)>;
using RerankCallback = std::function<void(Result<RerankResponse>)>;

class TAMIS_EXPORT Reranker {
 public:
  virtual ~Reranker() = default;

  // Errors: NotFound (no such folder or file), DataLoss / InvalidArgument (a bad file: named, with what was found and
  // what was expected), Unimplemented (a model variant that tamis cannot run), FailedPrecondition (this machine).
  static Result<std::unique_ptr<Reranker>> Load(const ModelOptions& options);

  virtual const ModelInfo& info() const = 0;

  // Scores every document and returns them best first.
  // Errors: InvalidArgument (an unknown preset, a query that leaves no room for documents: both lengths named, an
  // option out of range). An empty list of documents gives an empty list of results; empty documents are scored.
  virtual Result<RerankResponse> Rerank(const RerankRequest& request, const ProgressFunction& progress = {}) = 0;

  // The same without waiting; `done` is called once, from a thread of the reranker.
  virtual void RerankAsync(RerankRequest request, RerankCallback done) = 0;

  // Scores pairs in their order: result i belongs to pair i (index i). Pairs with the same instruction and query share
  // their prefix wherever they stand.
  virtual Result<std::vector<DocumentScore>> Score(std::span<const TextPair> pairs, const ScoreOptions& options = {},
                                                   const ProgressFunction& progress = {}) = 0;

  // The ids that a pair is scored on.
  virtual Result<TokenizedPrompt> TokenizePair(const TextPair& pair) const = 0;

  // The ids of a text by itself: plain text, no control tokens.
  virtual std::vector<std::int32_t> Tokenize(std::string_view text) const = 0;
};

// The version of the library, such as "0.1.0".
TAMIS_EXPORT std::string_view Version();

}  // namespace tamis
