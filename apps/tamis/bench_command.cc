// tamis bench: how fast a model or shape runs here, and what share of the machine that is.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "bench_peak.h"
#include "bench_report.h"
#include "bench_runs.h"
#include "commands.h"
#include "flag_checks.h"
#include "model_flags.h"
#include "output.h"
#include "process_memory.h"

namespace tamis::app {
namespace {

constexpr int kRunsMax = 1000000;

struct BenchFlags {
  ModelFlags model;
  std::string shape;
  std::string workload = "w1";
  int repeat = 3;
  int warmup = 1;
  bool scores = false;
  std::string format = "text";
};

ModelOptions BenchModelOptions(const BenchFlags& flags) {
  ModelOptions options = ToModelOptions(flags.model);
  if (!flags.shape.empty()) {
    options.model = "random:" + flags.shape;
    if (options.tokenizer.empty()) options.tokenizer = "builtin";
  }
  if (!KeepsPrefixes(flags.workload)) options.prefix_cache_bytes = 0;
  return options;
}

BenchReport MakeReport(const BenchFlags& flags, const ModelInfo& info, const BenchPlan& plan, const BenchRuns& runs) {
  const BenchSamples& main = runs.main;
  const double count = static_cast<double>(main.seconds.size());
  BenchReport r;
  r.model = flags.shape.empty() ? info.model : flags.shape + " with random weights";
  r.workload = flags.workload;
  r.precision = info.precision;
  r.isa = info.isa;
  r.threads = info.threads;
  r.runs = static_cast<int>(main.seconds.size());
  r.documents = plan.text.documents.size();
  r.prompt_tokens = main.prompt_tokens / count;
  r.computed_tokens = main.computed_tokens / count;
  r.best_s = main.Quantile(0.0);
  r.p50_s = main.Quantile(0.5);
  r.p95_s = main.Quantile(0.95);
  r.docs_per_s = static_cast<double>(r.documents) / r.p50_s;
  r.tokens_per_s = r.prompt_tokens / r.p50_s;
  r.computed_tokens_per_s = r.computed_tokens / r.p50_s;
  if (!runs.cold.seconds.empty()) {
    r.cold_p50_s = runs.cold.Quantile(0.5);
    r.cold_p95_s = runs.cold.Quantile(0.95);
  }
  r.load_s = static_cast<double>(info.load_us) / 1e6;
  r.rss_peak_bytes = ReadProcessMemory().rss_peak_bytes;
  if (flags.scores) r.margins = main.margins;
  return r;
}

int Run(const BenchFlags& flags) {
  const ModelOptions options = BenchModelOptions(flags);
  const auto isa = SelectIsa();
  if (!isa.ok()) return Fail(isa.status());
  const auto reranker = Reranker::Load(options);
  if (!reranker.ok()) return Fail(reranker.status());
  const ModelInfo& info = (*reranker)->info();
  auto plan = MakePlan(**reranker, flags.workload, flags.warmup, flags.repeat);
  if (!plan.ok()) return Fail(plan.status());
  plan->share_prefixes = options.share_prefixes;

  // Before and after: the clock of a machine drifts with what its neighbours do.
  const double peak_before = MeasurePeakOps(PeakIsa(*isa), options.precision, info.threads);
  const auto runs = RunPlan(**reranker, *plan);
  if (!runs.ok()) return Fail(runs.status());
  const double peak = std::max(peak_before, MeasurePeakOps(PeakIsa(*isa), options.precision, info.threads));

  BenchReport report = MakeReport(flags, info, *plan, *runs);
  const double ops = info.linear_ops_per_token * report.computed_tokens_per_s;
  report.peak_isa = IsaName(PeakIsa(*isa));
  report.peak_gops = peak / 1e9;
  report.peak_share = ops / peak;
  if (*isa == Isa::kAmx && options.precision == Precision::kInt8) {
    const double tiles = MeasurePeakOps(Isa::kAmx, options.precision, info.threads);
    report.amx_peak_gops = tiles / 1e9;
    report.amx_peak_share = ops / tiles;
  }
  Print(flags.format == "json" ? ReportJson(report) : ReportText(report));
  return FlushOutput(kExitOk);
}

constexpr const char* kExamples =
    R"(Workloads: w0 one document of 100 tokens, w1 50 of about 90, w2 10 of about 380, w3 1,000 titles of about 14,
w4 500 pairs each with a query of its own; DOCSxTOKENS; or a JSON file {"query", "documents"}. Generated text has the
same token counts with every tokenizer.
peak_share is the linear layers' operations of the computed tokens over the time, as a share of the machine's own peak,
measured in the same run by a loop that only multiplies and adds registers (where AMX is in use: of the AVX-512 VNNI
peak, so that it compares; amx_peak_share is of the tile peak).
Examples:
  tamis bench --shape qwen3-reranker-0.6b --workload w1 --threads 2
  tamis bench --model Qwen3-Reranker-0.6B --workload 100x200 --format json)";

}  // namespace

void AddBenchCommand(CLI::App& app, CommandLine* line) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench", "measure speed and memory");
  ExpectOneOf(command->add_option("--shape", flags->shape,
                                  "random weights in a published model's shape: qwen3-reranker-0.6b, -4b or -8b"),
              {"qwen3-reranker-0.6b", "qwen3-reranker-4b", "qwen3-reranker-8b"});
  command->add_option("--workload", flags->workload, "w0, w1 (default), w2, w3, w4, DOCSxTOKENS or a JSON file");
  ExpectWholeNumber(command->add_option("--repeat", flags->repeat, "timed runs (default 3)"), 1, kRunsMax);
  ExpectWholeNumber(command->add_option("--warmup", flags->warmup, "runs before them (default 1)"), 0, kRunsMax);
  command->add_flag("--scores", flags->scores, "add the documents' margins (JSON)");
  ExpectOneOf(command->add_option("-f,--format", flags->format, "text (default) or json"), {"text", "json"});
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, line, command] {
    if (command->count("--shape") > 0 && command->count("--model") > 0) {
      throw CLI::ValidationError("--shape", "goes without --model: it makes a model of its own");
    }
    line->run = [flags] { return Run(*flags); };
  });
}

}  // namespace tamis::app
