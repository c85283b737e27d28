#include "bench_report.h"

#include <fmt/format.h>

#include "json_text.h"
#include "raw_json.h"

namespace tamis::app {

std::string ReportJson(const BenchReport& r) {
  ObjectWriter writer({});
  const auto text = [&](std::string_view name, const std::string& value) { writer.Add(name, QuotedText(value)); };
  const auto number = [&](std::string_view name, double value, int digits) {
    writer.Add(name, fmt::format("{:.{}f}", value, digits));
  };
  const auto count = [&](std::string_view name, std::size_t value) { writer.Add(name, fmt::format("{}", value)); };
  text("model", r.model);
  text("workload", r.workload);
  text("precision", r.precision);
  text("isa", r.isa);
  count("threads", static_cast<std::size_t>(r.threads));
  count("runs", static_cast<std::size_t>(r.runs));
  count("documents", r.documents);
  number("prompt_tokens", r.prompt_tokens, 0);
  number("computed_tokens", r.computed_tokens, 0);
  number("docs_per_s", r.docs_per_s, 3);
  number("tokens_per_s", r.tokens_per_s, 1);
  number("computed_tokens_per_s", r.computed_tokens_per_s, 1);
  number("best_s", r.best_s, 6);
  number("p50_s", r.p50_s, 6);
  number("p95_s", r.p95_s, 6);
  if (r.cold_p50_s > 0) {
    number("cold_prefix_p50_s", r.cold_p50_s, 6);
    number("cold_prefix_p95_s", r.cold_p95_s, 6);
  }
  text("peak_isa", r.peak_isa);
  number("peak_gops", r.peak_gops, 1);
  number("peak_share", r.peak_share, 4);
  if (r.amx_peak_gops > 0) {
    number("amx_peak_gops", r.amx_peak_gops, 1);
    number("amx_peak_share", r.amx_peak_share, 4);
  }
  number("load_s", r.load_s, 3);
  count("rss_peak_bytes", r.rss_peak_bytes);
  if (!r.margins.empty()) {
    std::string list = "[";
    for (const float margin : r.margins) list += (list.size() > 1 ? "," : "") + NumberText(margin);
    writer.Add("margins", list + "]");
  }
  return writer.Take() + "\n";
}

std::string ReportText(const BenchReport& r) {
  constexpr double kMib = 1 << 20;
  std::string out = fmt::format("{}, {}, {} kernels, {} threads\n", r.model, r.precision, r.isa, r.threads);
  out += fmt::format("  {}: {} documents, {:.0f} prompt tokens, {:.0f} computed; {} runs\n", r.workload, r.documents,
                     r.prompt_tokens, r.computed_tokens, r.runs);
  out += fmt::format("  {:.2f} documents/s, {:.0f} tokens/s with every prompt whole, {:.0f} tokens/s computed\n",
                     r.docs_per_s, r.tokens_per_s, r.computed_tokens_per_s);
  out += fmt::format("  a run takes {:.1f} ms at the median, {:.1f} at p95, {:.1f} at best\n", r.p50_s * 1e3,
                     r.p95_s * 1e3, r.best_s * 1e3);
  if (r.cold_p50_s > 0) {
    out += fmt::format("  with a new query: {:.1f} ms at the median, {:.1f} at p95\n", r.cold_p50_s * 1e3,
                       r.cold_p95_s * 1e3);
  }
  out += fmt::format("  {:.1f} % of this machine's {} peak with {} ({:.0f} GOP/s)\n", 100 * r.peak_share, r.precision,
                     r.peak_isa, r.peak_gops);
  if (r.amx_peak_gops > 0) {
    out +=
        fmt::format("  {:.1f} % of its peak with AMX tiles ({:.0f} GOP/s)\n", 100 * r.amx_peak_share, r.amx_peak_gops);
  }
  return out + fmt::format("  loaded in {:.2f} s, at most {:.0f} MiB of memory\n", r.load_s,
                           static_cast<double>(r.rss_peak_bytes) / kMib);
}

}  // namespace tamis::app
