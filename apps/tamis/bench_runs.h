// The timed runs of `tamis bench`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench_workload.h"
#include "tamis/reranker.h"
#include "tamis/status.h"

namespace tamis::app {

// Several runs of the same thing.
struct BenchSamples {
  std::vector<double> seconds;  // of each run
  double computed_tokens = 0;   // of all runs together
  double prompt_tokens = 0;
  std::vector<float> margins;   // of the last run, in the order of the documents

  // The time that a share `q` of the runs does not exceed, between two runs by their distance. REQUIRES: a run.
  double Quantile(double q) const;
};

struct BenchPlan {
  WorkloadKind kind = WorkloadKind::kRerank;
  WorkloadText text;
  int warmup = 1;
  int repeat = 3;
  bool share_prefixes = true;
};

struct BenchRuns {
  BenchSamples main;
  BenchSamples cold;  // of kSingle: each query for the first time; `main` has them for the second time
};

// The plan's workload, generated or from a file.
Result<BenchPlan> MakePlan(const Reranker& reranker, const std::string& workload, int warmup, int repeat);

Result<BenchRuns> RunPlan(Reranker& reranker, const BenchPlan& plan);

// True if the workload is about prefixes that are known from before (w0, w4). All others compute theirs in each run.
bool KeepsPrefixes(const std::string& workload);

}  // namespace tamis::app
