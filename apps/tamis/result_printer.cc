#include "result_printer.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <vector>

#include "json_text.h"
#include "output.h"
#include "table_printer.h"
#include "text/utf8.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

// Writes members one after the other; a key is written once.
class MemberWriter {
 public:
  void Add(std::string_view key, const std::string& json_value) {
    if (!keys_.emplace(json::string_view(key.data(), key.size()), nullptr).second) return;
    out_ += fmt::format("{}{}:{}", out_.size() > 1 ? "," : "", QuotedText(key), json_value);
  }
  void AddObject(const json::object& object) {
    for (const auto& [key, value] : object) Add({key.data(), key.size()}, json::serialize(value));
  }
  std::string Take() { return std::move(out_) + "}"; }

 private:
  std::string out_ = "{";
  json::object keys_;
};

std::string ListJson(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? "," : "") + QuotedText(text);
  return out + "]";
}

std::string CsvCell(std::string_view text) {
  std::string out = "\"";
  for (char c : RepairUtf8(text)) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// The names of the documents' other fields, in order of first appearance.
std::vector<std::string> FieldNames(const DocumentSet& documents) {
  std::vector<std::string> names;
  json::object seen;
  for (const InputDocument& document : documents.documents) {
    for (const auto& [key, value] : document.fields) {
      if (seen.emplace(key, nullptr).second) names.emplace_back(key.data(), key.size());
    }
  }
  return names;
}

std::string CsvText(const RerankResponse& response, const DocumentSet& documents) {
  const std::vector<std::string> names = FieldNames(documents);
  std::string out = "rank,index,score,document";
  for (const std::string& name : names) out += "," + CsvCell(name);
  out += "\n";
  std::size_t rank = 0;
  for (const DocumentScore& result : response.results) {
    const InputDocument& document = documents.documents[result.index];
    out += fmt::format("{},{},{},{}", ++rank, result.index, NumberText(result.score), CsvCell(document.text));
    for (const std::string& name : names) {
      const json::value* value = document.fields.if_contains(name);
      const bool text = value != nullptr && value->is_string();
      out += "," + (value == nullptr ? std::string()
                                     : CsvCell(text ? std::string(value->get_string().data(), value->get_string().size())
                                                    : std::string(json::serialize(*value))));
    }
    out += "\n";
  }
  return out;
}

}  // namespace

Result<OutputFormat> ParseOutputFormat(std::string_view name) {
  if (name == "table") return OutputFormat::kTable;
  if (name == "json") return OutputFormat::kJson;
  if (name == "jsonl") return OutputFormat::kJsonLines;
  if (name == "csv") return OutputFormat::kCsv;
  return InvalidArgument(fmt::format("--format {}: expected table, json, jsonl or csv", name));
}

std::string ResultJson(const DocumentScore& result, std::size_t rank, const InputDocument& document, const std::string& text_field) {
  MemberWriter writer;
  const auto ours = [&](std::string_view key, const std::string& value) {
    // A user's field of this name comes back untouched; index and score stay ours, since they are what was asked for.
    if (key == "index" || key == "score" || !document.fields.contains(json::string_view(key.data(), key.size()))) writer.Add(key, value);
  };
  ours("index", fmt::format("{}", result.index));
  ours("score", NumberText(result.score));
  ours("rank", fmt::format("{}", rank));
  ours("document", QuotedText(document.text));
  if (document.text_is_field && text_field != "document") writer.Add(text_field, QuotedText(document.text));
  if (result.truncated_tokens > 0) ours("truncated_tokens", fmt::format("{}", result.truncated_tokens));
  if (result.window) {
    ours("window", fmt::format(R"({{"start_byte":{},"end_byte":{}}})", result.window->start_byte, result.window->end_byte));
  }
  writer.AddObject(document.fields);
  return writer.Take();
}

std::string ResponseJson(const RerankResponse& response, const DocumentSet& documents, const json::object& before) {
  MemberWriter writer;
  writer.AddObject(before);
  std::string results = "[";
  std::size_t rank = 0;
  for (const DocumentScore& result : response.results) {
    if (rank > 0) results += ",";
    ++rank;
    results += ResultJson(result, rank, documents.documents[result.index], documents.text_field);
  }
  writer.Add("results", results + "]");
  if (!response.warnings.empty()) writer.Add("warnings", ListJson(response.warnings));
  return writer.Take();
}

void PrintResults(OutputFormat format, const RerankResponse& response, const DocumentSet& documents, bool raw_scores) {
  switch (format) {
    case OutputFormat::kJson: Print(ResponseJson(response, documents, {}) + "\n"); return;
    case OutputFormat::kCsv: Print(CsvText(response, documents)); return;
    case OutputFormat::kJsonLines: {
      std::size_t rank = 0;
      for (const DocumentScore& result : response.results) {
        Print(ResultJson(result, ++rank, documents.documents[result.index], documents.text_field) + "\n");
      }
      return;
    }
    case OutputFormat::kTable: {
      std::vector<std::string_view> texts;
      for (const DocumentScore& result : response.results) texts.emplace_back(documents.documents[result.index].text);
      Print(FormatTable(response.results, texts, DetectStyle(raw_scores)));
      return;
    }
  }
}

void PrintExplanation(const RequestStats& stats, const ModelInfo& info) {
  const auto ms = [](std::int64_t us) { return static_cast<double>(us) / 1000.0; };
  const double seconds = static_cast<double>(stats.compute_us) / 1e6;
  const double shared = stats.prompt_tokens > 0
                            ? 100.0 * static_cast<double>(stats.prompt_tokens - stats.computed_tokens) / static_cast<double>(stats.prompt_tokens)
                            : 0.0;
  fmt::print(stderr, "model     {} ({}, {}, {} threads), loaded in {:.0f} ms\n", info.model, info.precision, info.isa, info.threads,
             ms(info.load_us));
  fmt::print(stderr, "tokens    {} in prompts, {} computed ({:.0f} % shared or identical)\n", stats.prompt_tokens, stats.computed_tokens, shared);
  fmt::print(stderr, "time      {:.1f} ms: {:.1f} tokenising, {:.1f} waiting, {:.1f} computing in {} steps\n", ms(stats.total_us),
             ms(stats.tokenize_us), ms(stats.queue_us), ms(stats.compute_us), stats.steps);
  if (seconds > 0) {
    fmt::print(stderr, "speed     {:.0f} tokens/s computed, {:.0f} tokens/s counted whole\n", static_cast<double>(stats.computed_tokens) / seconds,
               static_cast<double>(stats.prompt_tokens) / seconds);
  }
  if (stats.duplicates > 0) fmt::print(stderr, "same      {} documents repeat earlier ones and were scored once\n", stats.duplicates);
}

}  // namespace tamis::app
