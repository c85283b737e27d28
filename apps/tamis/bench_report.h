// What `tamis bench` found, as JSON for scripts and text for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tamis::app {

struct BenchReport {
  std::string model;
  std::string workload;
  std::string precision;
  std::string isa;
  int threads = 0;
  int runs = 0;
  std::size_t documents = 0;
  double prompt_tokens = 0;    // of one run, every prompt counted whole
  double computed_tokens = 0;  // of one run
  double docs_per_s = 0;       // this and the next two by the median run
  double tokens_per_s = 0;
  double computed_tokens_per_s = 0;
  double best_s = 0;
  double p50_s = 0;
  double p95_s = 0;
  double cold_p50_s = 0;  // w0: the query is new; 0: not measured
  double cold_p95_s = 0;
  std::string peak_isa;   // whose peak the share is of
  double peak_gops = 0;
  double peak_share = 0;
  double amx_peak_gops = 0;  // 0: tiles are not in use
  double amx_peak_share = 0;
  double load_s = 0;
  std::size_t rss_peak_bytes = 0;
  std::vector<float> margins;  // with --scores
};

// One object on one line.
std::string ReportJson(const BenchReport& report);
std::string ReportText(const BenchReport& report);

}  // namespace tamis::app
