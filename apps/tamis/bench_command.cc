// tamis bench: how fast a model or shape runs here, and what share of the machine that is.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "bench_peak.h"
#include "bench_workload.h"
#include "commands.h"
#include "json_text.h"
#include "model_flags.h"
#include "output.h"
#include "process_memory.h"

namespace tamis::app {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchFlags {
  ModelFlags model;
  std::string shape;
  std::string workload = "w1";
  int repeat = 3;
  int warmup = 1;
  bool scores = false;
  std::string format = "text";
};

// Several runs of the same thing.
struct Samples {
  std::vector<double> seconds;
  double computed_tokens = 0;  // of all runs
  double prompt_tokens = 0;
  std::vector<float> margins;  // of the last run, in the order of the documents

  // The value that a share `q` of the runs does not exceed.
  double Quantile(double q) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  double Total() const {
    double sum = 0;
    for (double s : seconds) sum += s;
    return sum;
  }
};

Status AddRun(Reranker& reranker, const std::string& query, const std::vector<std::string>& documents, Samples* samples) {
  RerankRequest request;
  request.query = query;
  request.documents = documents;
  const Clock::time_point begin = Clock::now();
  TAMIS_ASSIGN_OR_RETURN(const RerankResponse response, reranker.Rerank(request));
  samples->seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  samples->computed_tokens += static_cast<double>(response.stats.computed_tokens);
  samples->prompt_tokens += static_cast<double>(response.stats.prompt_tokens);
  samples->margins.assign(documents.size(), 0);
  for (const DocumentScore& result : response.results) samples->margins[result.index] = result.margin;
  return OkStatus();
}

Status AddPairsRun(Reranker& reranker, const WorkloadText& text, Samples* samples) {
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < text.documents.size(); ++i) pairs.push_back({text.queries[i], text.documents[i], std::nullopt, 0});
  const Clock::time_point begin = Clock::now();
  TAMIS_ASSIGN_OR_RETURN(const std::vector<DocumentScore> scores, reranker.Score(pairs));
  samples->seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  // What the engine computes of pairs: their own parts once, and the instruction's part once (then it is kept).
  for (std::size_t i = 0; i < scores.size(); ++i) {
    TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt prompt, reranker.TokenizePair(pairs[i]));
    TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt empty, reranker.TokenizePair({"", "", std::nullopt, 0}));
    samples->prompt_tokens += static_cast<double>(prompt.ids.size());
    samples->computed_tokens += static_cast<double>(prompt.ids.size() - static_cast<std::size_t>(empty.shared_tokens));
  }
  return OkStatus();
}

struct BenchResult {
  Samples main;
  Samples cold;  // w0 only
  std::size_t documents = 0;
};

Result<BenchResult> Measure(const BenchFlags& flags, Reranker& reranker) {
  BenchResult out;
  WorkloadShape shape;
  WorkloadText text;
  const std::size_t runs = static_cast<std::size_t>(flags.warmup + flags.repeat);
  if (std::filesystem::exists(flags.workload)) {
    TAMIS_ASSIGN_OR_RETURN(text, ReadWorkload(flags.workload));
  } else {
    TAMIS_ASSIGN_OR_RETURN(shape, ParseWorkload(flags.workload));
    const std::size_t queries = shape.kind == WorkloadKind::kPairs ? static_cast<std::size_t>(shape.documents) : runs;
    TAMIS_ASSIGN_OR_RETURN(text, MakeWorkload(reranker, shape, queries));
  }
  out.documents = text.documents.size();
  Samples ignored;
  for (std::size_t run = 0; run < runs; ++run) {
    const bool counts = run >= static_cast<std::size_t>(flags.warmup);
    Samples* samples = counts ? &out.main : &ignored;
    const std::string& query = text.queries[std::min(run, text.queries.size() - 1)];  // a new one each time: its prefix is cold
    switch (shape.kind) {
      case WorkloadKind::kPairs: TAMIS_RETURN_IF_ERROR(AddPairsRun(reranker, text, samples)); break;
      case WorkloadKind::kSingle:
        TAMIS_RETURN_IF_ERROR(AddRun(reranker, query, text.documents, counts ? &out.cold : &ignored));
        TAMIS_RETURN_IF_ERROR(AddRun(reranker, query, text.documents, samples));
        break;
      case WorkloadKind::kRerank: TAMIS_RETURN_IF_ERROR(AddRun(reranker, query, text.documents, samples)); break;
    }
  }
  return out;
}

struct Report {
  std::string model, precision, isa, peak_isa, workload;
  int threads = 0;
  int runs = 0;
  std::size_t documents = 0;
  double docs_per_s = 0, tokens_per_s = 0, computed_tokens_per_s = 0;
  double p50_s = 0, p95_s = 0, best_s = 0;
  double cold_p50_s = 0, cold_p95_s = 0;
  double prompt_tokens = 0, computed_tokens = 0;
  double peak_gops = 0, peak_share = 0;
  double amx_peak_gops = 0, amx_peak_share = 0;
  double load_s = 0;
  std::size_t rss_peak_bytes = 0;
  std::vector<float> margins;
};

std::string ReportJson(const Report& r) {
  std::string out = fmt::format(
      "{{\"model\":{},\"workload\":{},\"precision\":{},\"isa\":{},\"threads\":{},\"runs\":{},\"documents\":{},\"docs_per_s\":{:.4f},"
      "\"tokens_per_s\":{:.1f},\"computed_tokens_per_s\":{:.1f},\"p50_s\":{:.5f},\"p95_s\":{:.5f},\"best_s\":{:.5f},\"prompt_tokens\":{:.0f},"
      "\"computed_tokens\":{:.0f},\"peak_isa\":{},\"peak_gops\":{:.1f},\"peak_share\":{:.4f},\"rss_peak_bytes\":{},\"load_s\":{:.3f}",
      QuotedText(r.model), QuotedText(r.workload), QuotedText(r.precision), QuotedText(r.isa), r.threads, r.runs, r.documents, r.docs_per_s,
      r.tokens_per_s, r.computed_tokens_per_s, r.p50_s, r.p95_s, r.best_s, r.prompt_tokens, r.computed_tokens, QuotedText(r.peak_isa),
      r.peak_gops, r.peak_share, r.rss_peak_bytes, r.load_s);
  if (r.amx_peak_gops > 0) out += fmt::format(",\"amx_peak_gops\":{:.1f},\"amx_peak_share\":{:.4f}", r.amx_peak_gops, r.amx_peak_share);
  if (r.cold_p50_s > 0) out += fmt::format(",\"cold_prefix_p50_s\":{:.5f},\"cold_prefix_p95_s\":{:.5f}", r.cold_p50_s, r.cold_p95_s);
  if (!r.margins.empty()) {
    out += ",\"margins\":[";
    for (std::size_t i = 0; i < r.margins.size(); ++i) out += (i > 0 ? "," : "") + NumberText(r.margins[i]);
    out += "]";
  }
  return out + "}\n";
}

std::string ReportText(const Report& r) {
  std::string out = fmt::format("{}, {}, {} kernels, {} threads; {} documents, {:.0f} prompt tokens ({:.0f} computed)\n", r.model, r.precision,
                                r.isa, r.threads, r.documents, r.prompt_tokens, r.computed_tokens);
  out += fmt::format("  {:.2f} documents/s, {:.0f} tokens/s counted whole, {:.0f} tokens/s computed\n", r.docs_per_s, r.tokens_per_s,
                     r.computed_tokens_per_s);
  out += fmt::format("  {:.1f} ms median, {:.1f} ms p95, {:.1f} ms best of {} runs\n", r.p50_s * 1e3, r.p95_s * 1e3, r.best_s * 1e3, r.runs);
  if (r.cold_p50_s > 0) out += fmt::format("  with a cold prefix: {:.1f} ms median, {:.1f} ms p95\n", r.cold_p50_s * 1e3, r.cold_p95_s * 1e3);
  out += fmt::format("  {:.0f} % of this machine's {} {} peak ({:.0f} GOPS)\n", 100 * r.peak_share, r.peak_isa, r.precision, r.peak_gops);
  if (r.amx_peak_gops > 0) out += fmt::format("  {:.0f} % of its tile peak ({:.0f} GOPS)\n", 100 * r.amx_peak_share, r.amx_peak_gops);
  return out + fmt::format("  loaded in {:.2f} s, {:.0f} MiB at the peak\n", r.load_s, static_cast<double>(r.rss_peak_bytes) / (1 << 20));
}

int Run(const BenchFlags& flags) {
  ModelOptions options = ToModelOptions(flags.model);
  if (!flags.shape.empty()) {
    options.model = "random:" + flags.shape;
    if (options.tokenizer.empty()) options.tokenizer = "builtin";
  }
  const auto reranker = Reranker::Load(options);
  if (!reranker.ok()) return Fail(reranker.status());
  const ModelInfo& info = (*reranker)->info();
  const auto isa = SelectIsa();
  if (!isa.ok()) return Fail(isa.status());
  const double peak_before = MeasurePeakOps(PeakIsa(*isa), options.precision, info.threads);
  const auto measured = Measure(flags, **reranker);
  if (!measured.ok()) return Fail(measured.status());
  const double peak = std::max(peak_before, MeasurePeakOps(PeakIsa(*isa), options.precision, info.threads));

  const Samples& main = measured->main;
  const double runs = static_cast<double>(main.seconds.size());
  const double median = main.Quantile(0.5);
  Report r;
  r.model = flags.shape.empty() ? info.model : flags.shape + " with random weights";
  r.workload = flags.workload;
  r.precision = info.precision;
  r.isa = info.isa;
  r.peak_isa = IsaName(PeakIsa(*isa));
  r.threads = info.threads;
  r.runs = static_cast<int>(main.seconds.size());
  r.documents = measured->documents;
  r.prompt_tokens = main.prompt_tokens / runs;
  r.computed_tokens = main.computed_tokens / runs;
  r.docs_per_s = static_cast<double>(measured->documents) / median;
  r.tokens_per_s = r.prompt_tokens / median;
  r.computed_tokens_per_s = r.computed_tokens / median;
  r.p50_s = median;
  r.p95_s = main.Quantile(0.95);
  r.best_s = main.Quantile(0.0);
  if (!measured->cold.seconds.empty()) {
    r.cold_p50_s = measured->cold.Quantile(0.5);
    r.cold_p95_s = measured->cold.Quantile(0.95);
  }
  r.peak_gops = peak / 1e9;
  r.peak_share = info.linear_ops_per_token * r.computed_tokens_per_s / peak;
  if (*isa == Isa::kAmx && options.precision == Precision::kInt8) {
    const double tiles = MeasurePeakOps(Isa::kAmx, options.precision, info.threads);
    r.amx_peak_gops = tiles / 1e9;
    r.amx_peak_share = info.linear_ops_per_token * r.computed_tokens_per_s / tiles;
  }
  r.load_s = static_cast<double>(info.load_us) / 1e6;
  r.rss_peak_bytes = ReadProcessMemory().rss_peak_bytes;
  if (flags.scores) r.margins = main.margins;
  Print(flags.format == "json" ? ReportJson(r) : ReportText(r));
  return FlushOutput(kExitOk);
}

constexpr const char* kExamples = R"(Workloads (generated; token counts with the published tokenizer): w0 one document of 100 tokens, w1 50 of about 90,
w2 10 of about 380, w3 1,000 titles of about 14, w4 500 pairs each with a query of its own; DOCSxTOKENS; or a JSON file
{"query", "documents"}. peak_share is the linear layers' operations of the computed tokens over the time, as a share of
the machine's own peak, measured in the same run by a loop that only multiplies and adds registers (with AMX: of the
AVX-512 VNNI peak, so that it compares; amx_peak_share is of the tile peak).
Examples:
  tamis bench --shape qwen3-reranker-0.6b --workload w1 --threads 2
  tamis bench --model Qwen3-Reranker-0.6B --workload 100x200 --format json)";

}  // namespace

void AddBenchCommand(CLI::App& app, Action* run) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench", "measure speed and memory");
  command->add_option("--shape", flags->shape, "random weights in a published model's shape: qwen3-reranker-0.6b, -4b or -8b")
      ->check(CLI::IsMember({"qwen3-reranker-0.6b", "qwen3-reranker-4b", "qwen3-reranker-8b", "0.6b", "4b", "8b"}));
  command->add_option("--workload", flags->workload, "w0, w1 (default), w2, w3, w4, DOCSxTOKENS or a JSON file");
  command->add_option("--repeat", flags->repeat, "timed runs (default 3)")->check(CLI::Range(1, 1000000));
  command->add_option("--warmup", flags->warmup, "runs before them (default 1)")->check(CLI::Range(0, 1000000));
  command->add_flag("--scores", flags->scores, "add the documents' margins (JSON)");
  command->add_option("-f,--format", flags->format, "text (default) or json")->check(CLI::IsMember({"text", "json"}));
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, run] {
    if (!flags->shape.empty() && !flags->shape.starts_with("qwen3")) flags->shape = "qwen3-reranker-" + flags->shape;
    *run = [flags] { return Run(*flags); };
  });
}

}  // namespace tamis::app
