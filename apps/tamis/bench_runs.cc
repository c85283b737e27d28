#include "bench_runs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace tamis::app {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

Status AddRerankRun(Reranker& reranker, const WorkloadText& text, const std::string& query, BenchSamples* samples) {
  RerankRequest request;
  request.query = query;
  request.instruction = text.instruction;
  request.documents = text.documents;
  const Clock::time_point begin = Clock::now();
  TAMIS_ASSIGN_OR_RETURN(const RerankResponse response, reranker.Rerank(request));
  samples->seconds.push_back(SecondsSince(begin));
  samples->computed_tokens += static_cast<double>(response.stats.computed_tokens);
  samples->prompt_tokens += static_cast<double>(response.stats.prompt_tokens);
  samples->margins.assign(text.documents.size(), 0);
  for (const DocumentScore& result : response.results) samples->margins[result.index] = result.margin;
  return OkStatus();
}

// Of all pairs together: tokens of the prompts, and those that are left to compute when what every prompt begins with
// is known.
struct PairTokens {
  double prompt = 0;
  double computed = 0;
};

Result<PairTokens> CountPairTokens(const Reranker& reranker, const std::vector<TextPair>& pairs, bool share_prefixes) {
  PairTokens out;
  TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt first, reranker.TokenizePair(pairs[0]));
  std::size_t common = first.ids.size();
  for (const TextPair& pair : pairs) {
    TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt prompt, reranker.TokenizePair(pair));
    const auto differs = std::mismatch(first.ids.begin(), first.ids.end(), prompt.ids.begin(), prompt.ids.end());
    common = std::min(common, static_cast<std::size_t>(differs.first - first.ids.begin()));
    out.prompt += static_cast<double>(prompt.ids.size());
  }
  out.computed = out.prompt - (share_prefixes ? static_cast<double>(common * pairs.size()) : 0.0);
  return out;
}

Status AddPairsRun(Reranker& reranker, const BenchPlan& plan, BenchSamples* samples) {
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < plan.text.documents.size(); ++i) {
    pairs.push_back({plan.text.queries[i], plan.text.documents[i], plan.text.instruction, 0});
  }
  const Clock::time_point begin = Clock::now();
  TAMIS_ASSIGN_OR_RETURN(const std::vector<DocumentScore> scores, reranker.Score(pairs));
  samples->seconds.push_back(SecondsSince(begin));
  TAMIS_ASSIGN_OR_RETURN(const PairTokens tokens, CountPairTokens(reranker, pairs, plan.share_prefixes));
  samples->prompt_tokens += tokens.prompt;
  samples->computed_tokens += tokens.computed;
  samples->margins.clear();
  for (const DocumentScore& score : scores) samples->margins.push_back(score.margin);
  return OkStatus();
}

}  // namespace

double BenchSamples::Quantile(double q) const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool KeepsPrefixes(const std::string& workload) { return workload == "w0" || workload == "w4"; }

Result<BenchPlan> MakePlan(const Reranker& reranker, const std::string& workload, int warmup, int repeat) {
  BenchPlan plan;
  plan.warmup = warmup;
  plan.repeat = repeat;
  std::error_code error;
  if (std::filesystem::is_regular_file(workload, error)) {
    TAMIS_ASSIGN_OR_RETURN(plan.text, ReadWorkload(workload));
    return plan;
  }
  TAMIS_ASSIGN_OR_RETURN(const WorkloadShape shape, ParseWorkload(workload));
  plan.kind = shape.kind;
  const int queries = shape.kind == WorkloadKind::kPairs ? shape.documents : warmup + repeat;
  TAMIS_ASSIGN_OR_RETURN(plan.text, MakeWorkload(reranker, shape, static_cast<std::size_t>(queries)));
  return plan;
}

Result<BenchRuns> RunPlan(Reranker& reranker, const BenchPlan& plan) {
  BenchRuns out;
  BenchSamples ignored;
  for (int run = 0; run < plan.warmup + plan.repeat; ++run) {
    const bool counts = run >= plan.warmup;
    BenchSamples* samples = counts ? &out.main : &ignored;
    const std::string& query =
        plan.text.queries[std::min<std::size_t>(static_cast<std::size_t>(run), plan.text.queries.size() - 1)];
    switch (plan.kind) {
      case WorkloadKind::kPairs: TAMIS_RETURN_IF_ERROR(AddPairsRun(reranker, plan, samples)); break;
      case WorkloadKind::kSingle:
        TAMIS_RETURN_IF_ERROR(AddRerankRun(reranker, plan.text, query, counts ? &out.cold : &ignored));
        TAMIS_RETURN_IF_ERROR(AddRerankRun(reranker, plan.text, query, samples));
        break;
      case WorkloadKind::kRerank: TAMIS_RETURN_IF_ERROR(AddRerankRun(reranker, plan.text, query, samples)); break;
    }
  }
  return out;
}

}  // namespace tamis::app
