// tamis rerank: documents of one query, or of many, in order of relevance.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>

#include "commands.h"
#include "document_reader.h"
#include "json_text.h"
#include "line_reader.h"
#include "model_flags.h"
#include "output.h"
#include "progress_bar.h"
#include "result_printer.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

struct RerankFlags {
  ModelFlags model;
  ScoringFlags scoring;
  std::string query;
  bool has_query = false;
  std::vector<std::string> documents;
  std::string documents_file;
  std::string queries_file;
  std::string input_format = "auto";
  bool paragraphs = false;
  std::string field = "text";
  std::string column;
  int top_n = 0;
  std::optional<float> min_score;
  std::string format = "table";
  bool explain = false;
  bool skip_bad_lines = false;
};

RerankRequest MakeRequest(const RerankFlags& flags, const DocumentSet& documents) {
  RerankRequest request;
  request.query = flags.query;
  request.instruction = InstructionOf(flags.scoring);
  request.top_n = flags.top_n;
  request.min_score = flags.min_score;
  request.options = ToScoreOptions(flags.scoring);
  for (const InputDocument& document : documents.documents) request.documents.push_back(document.text);
  return request;
}

void PrintWarnings(const RerankFlags& flags, const std::vector<std::string>& warnings) {
  if (flags.model.quiet) return;
  for (const std::string& warning : warnings) PrintError(fmt::format("warning: {}", warning));
}

Result<DocumentSet> CollectDocuments(const RerankFlags& flags) {
  DocumentSet out;
  if (!flags.documents_file.empty()) {
    DocumentOptions options;
    TAMIS_ASSIGN_OR_RETURN(options.format, ParseInputFormat(flags.input_format));
    if (flags.paragraphs) options.format = InputFormat::kParagraphs;
    options.field = flags.field;
    options.column = flags.column;
    TAMIS_ASSIGN_OR_RETURN(out, ReadDocuments(flags.documents_file, options));
  }
  for (const std::string& text : flags.documents) {
    if (text == "-" && flags.documents_file.empty() && flags.documents.size() == 1) {
      RerankFlags standard_input = flags;
      standard_input.documents.clear();
      standard_input.documents_file = "-";
      return CollectDocuments(standard_input);
    }
    out.documents.push_back({text, {}, false});
  }
  return out;
}

int RunOneQuery(const RerankFlags& flags) {
  const auto format = ParseOutputFormat(flags.format);
  if (!format.ok()) return FailUsage(format.status().message());
  const auto documents = CollectDocuments(flags);
  if (!documents.ok()) return Fail(documents.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  Result<RerankResponse> response = [&] {
    ProgressBar bar(documents->documents.size());
    return (*reranker)->Rerank(MakeRequest(flags, *documents), [&](std::size_t done, std::size_t) { bar.Update(done); });
  }();
  if (!response.ok()) return Fail(response.status());
  PrintWarnings(flags, response->warnings);
  PrintResults(*format, *response, *documents, flags.scoring.raw_scores);
  if (flags.explain) PrintExplanation(response->stats, (*reranker)->info());
  return FlushOutput(kExitOk);
}

// One line of a queries file.
struct QueryRow {
  RerankFlags flags;
  DocumentSet documents;
  json::object others;  // all fields but query, documents and instruction: they come back
};

Result<QueryRow> ParseQueryRow(const RerankFlags& flags, const std::string& line, const std::string& where) {
  TAMIS_ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(line, where));
  QueryRow row{flags, {}, {}};
  TAMIS_ASSIGN_OR_RETURN(row.flags.query, RequiredString(object, "query", where));
  TAMIS_ASSIGN_OR_RETURN(const std::optional<std::string> instruction, StringField(object, "instruction", where));
  if (instruction) {
    row.flags.scoring.preset.clear();
    row.flags.scoring.instruction = instruction;
  }
  const json::value* documents = object.if_contains("documents");
  if (documents == nullptr || !documents->is_array()) return DataLoss(fmt::format("{}: \"documents\" is not a list", where));
  row.documents.text_field = flags.field;
  std::size_t index = 0;
  for (const json::value& value : documents->get_array()) {
    TAMIS_ASSIGN_OR_RETURN(InputDocument document, DocumentFromJson(value, flags.field, fmt::format("{}: document {}", where, index++)));
    row.documents.documents.push_back(std::move(document));
  }
  for (const auto& [key, value] : object) {
    if (key != "documents" && key != "instruction") row.others.emplace(key, value);
  }
  return row;
}

Result<std::string> AnswerQueryRow(Reranker& reranker, const QueryRow& row) {
  auto response = reranker.Rerank(MakeRequest(row.flags, row.documents));
  if (!response.ok()) return response.status();
  return ResponseJson(*response, row.documents, row.others) + "\n";
}

int RunManyQueries(const RerankFlags& flags) {
  if (flags.format != "json" && flags.format != "jsonl" && flags.format != "table") {
    return FailUsage("--queries prints one JSON object a line; --format csv does not go with it");
  }
  auto reader = LineReader::Open(flags.queries_file);
  if (!reader.ok()) return Fail(reader.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  ProgressBar bar(0);
  std::string line;
  int code = kExitOk;
  for (std::size_t done = 0;;) {
    const auto more = reader->Next(&line);
    if (!more.ok()) return Fail(more.status());
    if (!*more || OutputClosed()) break;
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    Result<QueryRow> row = ParseQueryRow(flags, line, reader->where());
    Result<std::string> answer = row.ok() ? AnswerQueryRow(**reranker, *row) : Result<std::string>(row.status());
    if (!answer.ok()) {
      const std::string message = answer.status().message();
      const std::string where = reader->where();
      PrintError(message.starts_with(where) ? message : fmt::format("{}: {}", where, message));
      code = kExitFailure;
      if (!flags.skip_bad_lines) break;
      continue;
    }
    Print(*answer);
    std::fflush(stdout);
    bar.Update(++done);
  }
  return FlushOutput(code);
}

int Run(const RerankFlags& flags) {
  if (!flags.queries_file.empty()) {
    if (flags.has_query || !flags.documents.empty() || !flags.documents_file.empty()) {
      return FailUsage("--queries brings its own queries and documents; it does not go with --query or documents");
    }
    return RunManyQueries(flags);
  }
  if (!flags.has_query) return FailUsage("rerank needs a query: --query TEXT, or --queries FILE (see tamis rerank --help)");
  if (flags.documents.empty() && flags.documents_file.empty()) {
    return FailUsage("rerank needs documents: as arguments, --documents FILE, or - for standard input");
  }
  return RunOneQuery(flags);
}

constexpr const char* kExamples = R"(Examples:
  tamis rerank --query "red planet" "Mars is red." "Venus is hot."
  tamis rerank --query "how do I get a refund" --documents answers.txt --top-n 5
  tamis rerank --query "退款需要多久" --documents faq.jsonl --field content --format json
  tamis rerank --query "gc pauses" --documents tickets.csv --column body --instruction preset:code
  grep -rh TODO src | tamis rerank --query "memory leak" -
  tamis rerank --queries queries.jsonl > ranked.jsonl
Exit codes: 0 done, 1 something failed (said on standard error), 2 flags that make no sense.)";

}  // namespace

void AddRerankCommand(CLI::App& app, Action* run) {
  auto flags = std::make_shared<RerankFlags>();
  CLI::App* command = app.add_subcommand("rerank", "put documents in order of relevance to a query");
  auto* query = command->add_option("-Q,--query", flags->query, "what is looked for");
  command->add_option("texts", flags->documents, "documents; a single - reads standard input");
  command->add_option("-d,--documents", flags->documents_file, "file of documents: .txt (a line each), .md (paragraphs), .jsonl, .json, .csv, or -");
  command->add_option("--queries", flags->queries_file, "JSONL file of {\"query\", \"documents\", \"instruction\"?}; other fields come back");
  command->add_flag("--skip-bad-lines", flags->skip_bad_lines, "with --queries: go on after a line that fails");
  command->add_option("--input-format", flags->input_format, "auto (by the file's ending), lines, paragraphs, jsonl, json or csv");
  command->add_flag("--paragraphs", flags->paragraphs, "documents are separated by blank lines");
  command->add_option("--field", flags->field, "the field of JSON documents that holds the text (default: text)");
  command->add_option("--column", flags->column, "the CSV column that holds the text (default: text)");
  command->add_option("-n,--top-n", flags->top_n, "print so many results (default and 0: all)")->check(CLI::Range(0, 1 << 30));
  command->add_option("--min-score", flags->min_score, "leave out results below this score");
  command->add_option("-f,--format", flags->format, "table (default), json, jsonl or csv")->check(CLI::IsMember({"table", "json", "jsonl", "csv"}));
  command->add_flag("--explain", flags->explain, "say where tokens and time went (standard error)");
  AddScoringFlags(*command, &flags->scoring);
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, run, query] {
    flags->has_query = query->count() > 0;
    *run = [flags] { return Run(*flags); };
  });
}

}  // namespace tamis::app
