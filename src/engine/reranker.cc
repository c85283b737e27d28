// The facade: requests to jobs, jobs to sorted results.
#include "tamis/reranker.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "engine/loaded_model.h"
#include "engine/prompt_units.h"
#include "engine/scheduler.h"
#include "engine/score_collector.h"
#include "engine/task_thread.h"
#include "text/instructions.h"
#include "text/utf8.h"

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t MicrosecondsSince(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
}

std::optional<std::string_view> View(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

// One request on its way: what its prompts were, and what came back.
struct Pending {
  EncodedPairs encoded;
  std::unique_ptr<ScoreCollector> collector;
  RequestStats stats;
  Clock::time_point begin = Clock::now();
};

// What is left to do for a rerank request once its documents are scored.
struct Finish {
  int top_n = 0;
  std::optional<float> min_score;
  bool raw_scores = false;
  std::size_t bad_texts = 0;
};

std::vector<std::string> Warnings(const EncodedPairs& encoded, std::size_t bad_texts) {
  std::vector<std::string> out;
  const auto cut =
      std::count_if(encoded.truncated_tokens.begin(), encoded.truncated_tokens.end(), [](int n) { return n > 0; });
  if (cut > 0) out.push_back(fmt::format("{} of {} documents were truncated", cut, encoded.truncated_tokens.size()));
  if (encoded.query_truncated) out.emplace_back("the query was truncated and leaves no room for documents");
  if (bad_texts > 0) out.push_back(fmt::format("{} texts are not valid UTF-8; bad bytes count as U+FFFD", bad_texts));
  return out;
}

class RerankerImpl final : public Reranker {
 public:
  RerankerImpl(LoadedModel model, const ModelOptions& options)
      : model_(std::move(model)),
        text_pool_(model_.info.threads),
        scheduler_(std::move(model_.backend), OptionsOf(options)) {}

  const ModelInfo& info() const override { return model_.info; }

  Result<RerankResponse> Rerank(const RerankRequest& request, const ProgressFunction& progress) override {
    std::promise<Result<RerankResponse>> promise;
    Start(request, progress, [&](Result<RerankResponse> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }

  void RerankAsync(RerankRequest request, RerankCallback done) override {
    auto shared = std::make_shared<RerankRequest>(std::move(request));
    tasks_.Add([this, shared, done = std::move(done)] { Start(*shared, {}, done); });
  }

  Result<std::vector<DocumentScore>> Score(std::span<const TextPair> pairs, const ScoreOptions& options,
                                           const ProgressFunction& progress) override {
    std::vector<std::optional<std::string>> instructions(pairs.size());
    std::vector<PairText> texts;
    texts.reserve(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      TAMIS_ASSIGN_OR_RETURN(instructions[i], ResolveInstruction(pairs[i].instruction));
      texts.push_back({View(instructions[i]), pairs[i].query, pairs[i].document, pairs[i].max_length});
    }
    const auto pending = std::make_shared<Pending>();
    TAMIS_RETURN_IF_ERROR(Encode(texts, options, pending.get()));
    std::promise<Status> promise;
    Submit(pending, false, progress, [&](Status status) { promise.set_value(std::move(status)); });
    TAMIS_RETURN_IF_ERROR(promise.get_future().get());
    return pending->collector->Scores(ActivationOf(options.raw_scores));
  }

  Result<TokenizedPrompt> TokenizePair(const TextPair& pair) const override {
    TAMIS_ASSIGN_OR_RETURN(const auto instruction, ResolveInstruction(pair.instruction));
    TAMIS_ASSIGN_OR_RETURN(const EncodedQuery query,
                           model_.prompts->EncodeQuery(View(instruction), pair.query, pair.max_length));
    const EncodedDocument document = model_.prompts->EncodeDocument(query, pair.document);
    TokenizedPrompt out;
    out.ids = query.prefix_ids;
    out.ids.insert(out.ids.end(), document.tail_ids.begin(), document.tail_ids.end());
    out.shared_tokens = static_cast<int>(query.prefix_ids.size());
    out.truncated_tokens = document.truncated_tokens;
    return out;
  }

  std::vector<std::int32_t> Tokenize(std::string_view text) const override {
    std::vector<TokenId> ids;
    model_.tokenizer->Encode(text, &ids);
    return ids;
  }

 private:
  SchedulerOptions OptionsOf(const ModelOptions& options) const {
    SchedulerOptions out;
    out.step_tokens = options.step_tokens;
    out.share_prefixes = options.share_prefixes;
    out.prefix_cache_bytes = options.prefix_cache_bytes;
    out.cost = model_.cost;
    return out;
  }

  Activation ActivationOf(bool raw_scores) const {
    return raw_scores ? Activation::kNone : model_.prompts->profile().activation;
  }

  Status Encode(std::span<const PairText> texts, const ScoreOptions& options, Pending* pending) {
    TAMIS_ASSIGN_OR_RETURN(pending->encoded,
                           EncodePairs(*model_.prompts, texts, options, model_.info.max_positions, &text_pool_));
    pending->stats.prompt_tokens = pending->encoded.prompt_tokens;
    pending->stats.duplicates = pending->encoded.duplicates;
    pending->stats.tokenize_us = MicrosecondsSince(pending->begin);
    return OkStatus();
  }

  // Hands the pending request to the scheduler; `done` is called once its scores are there, or with an error.
  void Submit(const std::shared_ptr<Pending>& pending, bool keep_prefixes, ProgressFunction progress,
              std::function<void(Status)> done) {
    EncodedPairs& encoded = pending->encoded;
    pending->collector = std::make_unique<ScoreCollector>(encoded, encoded.units.size());
    Job job;
    job.prefixes = std::move(encoded.prefixes);
    job.units = std::move(encoded.units);
    job.keep_prefixes = keep_prefixes;
    job.on_scored = [pending, progress = std::move(progress), total = encoded.windows.size(), before = std::size_t{0}](
                        std::size_t unit, const HeadLogits& logits) mutable {
      const std::size_t documents = pending->collector->Add(unit, logits);
      if (progress && documents > before) progress(documents, total);
      before = documents;
    };
    job.on_done = [pending, done = std::move(done)](Status status, const JobStats& stats) {
      pending->stats.queue_us = stats.queue_us;
      pending->stats.compute_us = stats.compute_us;
      pending->stats.computed_tokens = stats.computed_tokens;
      pending->stats.steps = stats.steps;
      pending->stats.total_us = MicrosecondsSince(pending->begin);
      done(std::move(status));
    };
    scheduler_.Submit(std::move(job));
  }

  void Start(const RerankRequest& request, const ProgressFunction& progress, RerankCallback done) {
    const auto instruction = ResolveInstruction(request.instruction);
    if (!instruction.ok()) return done(instruction.status());
    if (request.top_n < 0)
      return done(InvalidArgument(fmt::format("top_n {} is negative; 0 means all", request.top_n)));
    Finish finish{request.top_n, request.min_score, request.options.raw_scores, 0};
    finish.bad_texts = CountBadUtf8(request.query) > 0 ? 1 : 0;
    const auto pending = std::make_shared<Pending>();
    std::vector<PairText> texts;
    texts.reserve(request.documents.size());
    for (const std::string& document : request.documents) {
      texts.push_back({View(*instruction), request.query, document, 0});
      if (CountBadUtf8(document) > 0) ++finish.bad_texts;
    }
    if (Status status = Encode(texts, request.options, pending.get()); !status.ok()) return done(std::move(status));
    Submit(pending, true, progress, [this, pending, finish, done = std::move(done)](Status status) {
      if (!status.ok()) return done(std::move(status));
      RerankResponse response;
      response.results = pending->collector->Scores(ActivationOf(finish.raw_scores));
      RankScores(&response.results, finish.top_n, finish.min_score);
      response.stats = pending->stats;
      response.warnings = Warnings(pending->encoded, finish.bad_texts);
      done(std::move(response));
    });
  }

  LoadedModel model_;
  ThreadPool text_pool_;
  Scheduler scheduler_;  // before tasks_: tasks submit to it until they are done
  TaskThread tasks_;
};

}  // namespace

Result<std::unique_ptr<Reranker>> Reranker::Load(const ModelOptions& options) {
  try {
    TAMIS_ASSIGN_OR_RETURN(LoadedModel model, OpenModel(options));
    return std::unique_ptr<Reranker>(std::make_unique<RerankerImpl>(std::move(model), options));
  } catch (const std::exception& e) {
    return ResourceExhausted(
        fmt::format("{}: {}", options.model.empty() ? "the built-in model" : options.model, e.what()));
  }
}

std::string_view Version() { return TAMIS_VERSION; }

}  // namespace tamis
