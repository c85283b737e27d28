#include "result_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "json_text.h"
#include "output.h"
#include "table_printer.h"

namespace tamis::app {
namespace {

std::string ListJson(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? "," : "") + QuotedText(text);
  return out + "]";
}

// In quotes where the text needs them (RFC 4180).
std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// The names of the documents' fields in order of first appearance, and the place of each.
struct Columns {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> places;
};

// All but the fields that hold the very text that stands under "document" anyway.
Columns FieldColumns(std::span<const InputDocument> documents) {
  Columns out;
  for (const InputDocument& document : documents) {
    for (const RawField& field : document.fields) {
      if (out.places.contains(field.name) || PlainText(field.value) == document.text) continue;
      out.places.emplace(field.name, out.names.size());
      out.names.push_back(field.name);
    }
  }
  return out;
}

std::string CsvName(std::string name) {
  constexpr std::string_view kOurs[] = {"rank", "index", "score", "document"};
  if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs)) name.insert(0, "input_");
  return CsvCell(name);
}

}  // namespace

std::string ResultJson(const DocumentScore& result, std::size_t rank, const InputDocument& document) {
  ObjectWriter writer({"index", "score", "rank", "document", "truncated_tokens", "window"});
  writer.Add("index", fmt::format("{}", result.index));
  writer.Add("score", NumberText(result.score));
  writer.Add("rank", fmt::format("{}", rank));
  writer.Add("document", QuotedText(document.text));
  if (result.truncated_tokens > 0) writer.Add("truncated_tokens", fmt::format("{}", result.truncated_tokens));
  if (result.window) {
    writer.Add("window",
               fmt::format(R"({{"start_byte":{},"end_byte":{}}})", result.window->start_byte, result.window->end_byte));
  }
  for (const RawField& field : document.fields) {
    const bool said = field.name == "document" && PlainText(field.value) == document.text;
    if (!said) writer.AddField(field);
  }
  return writer.Take();
}

std::string ResponseJson(const RerankResponse& response, std::span<const InputDocument> documents,
                         const RawFields& query_fields) {
  ObjectWriter writer({"results", "warnings"});
  for (const RawField& field : query_fields) writer.AddField(field);
  std::string results = "[";
  std::size_t rank = 0;
  for (const DocumentScore& result : response.results) {
    if (rank > 0) results += ",";
    results += ResultJson(result, ++rank, documents[result.index]);
  }
  writer.Add("results", results + "]");
  if (!response.warnings.empty()) writer.Add("warnings", ListJson(response.warnings));
  return writer.Take();
}

std::string ResponseCsv(const RerankResponse& response, std::span<const InputDocument> documents) {
  const Columns columns = FieldColumns(documents);
  std::string out = "rank,index,score,document";
  for (const std::string& name : columns.names) out += "," + CsvName(name);
  out += "\n";
  std::size_t rank = 0;
  std::vector<std::string> cells(columns.names.size());
  for (const DocumentScore& result : response.results) {
    const InputDocument& document = documents[result.index];
    for (std::string& cell : cells) cell.clear();
    for (const RawField& field : document.fields) {
      const auto place = columns.places.find(field.name);
      if (place != columns.places.end()) cells[place->second] = PlainText(field.value);
    }
    out += fmt::format("{},{},{},{}", ++rank, result.index, NumberText(result.score), CsvCell(document.text));
    for (const std::string& cell : cells) out += "," + CsvCell(cell);
    out += "\n";
  }
  return out;
}

void PrintResults(std::string_view format, const RerankResponse& response, std::span<const InputDocument> documents,
                  bool raw_scores) {
  if (format == "json") {
    Print(ResponseJson(response, documents, {}) + "\n");
  } else if (format == "csv") {
    Print(ResponseCsv(response, documents));
  } else if (format == "jsonl") {
    std::size_t rank = 0;
    for (const DocumentScore& result : response.results) {
      Print(ResultJson(result, ++rank, documents[result.index]) + "\n");
    }
  } else {
    std::vector<std::string_view> texts;
    for (const DocumentScore& result : response.results) texts.emplace_back(documents[result.index].text);
    Print(FormatTable(response.results, texts, DetectStyle(raw_scores)));
  }
}

std::string Explanation(const RequestStats& stats, const ModelInfo& info) {
  const auto ms = [](std::int64_t us) { return static_cast<double>(us) / 1000.0; };
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const double seconds = number(stats.compute_us) / 1e6;
  const std::int64_t spared = stats.prompt_tokens - stats.computed_tokens;
  const double share = stats.prompt_tokens > 0 ? 100.0 * number(spared) / number(stats.prompt_tokens) : 0.0;
  std::string out = fmt::format("model     {} ({}, {} kernels, {} threads), loaded in {:.0f} ms\n", info.model,
                                info.precision, info.isa, info.threads, ms(info.load_us));
  out += fmt::format("tokens    {} in prompts; {} computed, {} ({:.0f} %) reused from prefixes that prompts share\n",
                     stats.prompt_tokens, stats.computed_tokens, spared, share);
  out += fmt::format("time      {:.1f} ms: {:.1f} tokenising, {:.1f} waiting, {:.1f} computing in {} steps\n",
                     ms(stats.total_us), ms(stats.tokenize_us), ms(stats.queue_us), ms(stats.compute_us), stats.steps);
  if (seconds > 0) {
    out += fmt::format("speed     {:.0f} tokens/s computed, {:.0f} tokens/s with every prompt counted whole\n",
                       number(stats.computed_tokens) / seconds, number(stats.prompt_tokens) / seconds);
  }
  if (stats.duplicates > 0) {
    out += fmt::format("same      {} documents repeat earlier ones and were scored once\n", stats.duplicates);
  }
  return out;
}

}  // namespace tamis::app
