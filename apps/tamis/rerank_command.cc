// tamis rerank: documents of one query, or of many, in order of relevance.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "commands.h"
#include "document_reader.h"
#include "flag_checks.h"
#include "output.h"
#include "progress_bar.h"
#include "rerank_flags.h"
#include "result_printer.h"

namespace tamis::app {

RerankRequest MakeRequest(const RerankFlags& flags, std::string query, const std::vector<InputDocument>& documents) {
  RerankRequest request;
  request.query = std::move(query);
  request.instruction = flags.scoring.instruction;
  request.top_n = flags.top_n;
  request.min_score = flags.min_score;
  request.options = ToScoreOptions(flags.scoring);
  request.documents.reserve(documents.size());
  for (const InputDocument& document : documents) request.documents.push_back(document.text);
  return request;
}

void PrintWarnings(const RerankFlags& flags, const std::vector<std::string>& warnings) {
  if (flags.model.quiet) return;
  for (const std::string& warning : warnings) PrintNote(fmt::format("warning: {}", warning));
}

namespace {

constexpr int kCountMax = 1 << 30;

// The file's documents, then those of the arguments.
Result<DocumentSet> CollectDocuments(const RerankFlags& flags) {
  DocumentSet out;
  const bool standard_input = flags.documents_file.empty() && flags.texts.size() == 1 && flags.texts[0] == "-";
  if (standard_input || !flags.documents_file.empty()) {
    TAMIS_ASSIGN_OR_RETURN(out, ReadDocuments(standard_input ? "-" : flags.documents_file, flags.input));
    if (out.documents.empty()) {
      PrintWarnings(flags, {fmt::format("{}: there are no documents in it",
                                        standard_input ? "standard input" : flags.documents_file)});
    }
  }
  if (!standard_input) {
    for (const std::string& text : flags.texts) out.documents.push_back({text, {}});
  }
  return out;
}

int RerankOneQuery(const RerankFlags& flags) {
  const auto input = CollectDocuments(flags);
  if (!input.ok()) return Fail(input.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  Result<RerankResponse> response = [&] {
    ProgressBar bar("documents", flags.model.quiet);
    const auto progress = [&bar](std::size_t done, std::size_t total) {
      bar.Update(done, static_cast<double>(done) / static_cast<double>(total));
    };
    return (*reranker)->Rerank(MakeRequest(flags, *flags.query, input->documents), progress);
  }();
  if (!response.ok()) return Fail(response.status());
  response->warnings.insert(response->warnings.begin(), input->warnings.begin(), input->warnings.end());
  PrintWarnings(flags, response->warnings);
  PrintResults(flags.format, *response, input->documents, flags.scoring.raw_scores);
  const int code = FlushOutput(kExitOk);
  if (flags.explain) fmt::print(stderr, "{}", Explanation(response->stats, (*reranker)->info()));
  return code;
}

int Run(const RerankFlags& flags) {
  const bool has_documents = !flags.texts.empty() || !flags.documents_file.empty();
  if (!flags.queries_file.empty()) {
    if (flags.query || has_documents) {
      return FailUsage("--queries brings its own queries and documents; it does not go with --query or documents");
    }
    if (flags.format == "csv")
      return FailUsage("--queries prints a JSON object a line; --format csv does not go with it");
    return RerankQueries(flags);
  }
  if (!flags.query) return FailUsage("a query is missing: --query TEXT, or --queries FILE (see tamis rerank --help)");
  if (!has_documents) {
    return FailUsage(
        "documents are missing: as arguments, --documents FILE, or - for standard input (see tamis rerank --help)");
  }
  return RerankOneQuery(flags);
}

constexpr const char* kExamples = R"(Examples:
  tamis rerank --query "red planet" "Mars is red." "Venus is hot."
  tamis rerank --query "how do I get a refund" --documents answers.txt --top-n 5
  tamis rerank --query "退款需要多久" --documents faq.jsonl --field content --format json
  tamis rerank --query "gc pauses" --documents tickets.csv --column body --preset code
  grep -rh TODO src | tamis rerank --query "memory leak" -
  tamis rerank --queries queries.jsonl > ranked.jsonl
Files: .txt a document a line (empty lines are none), .md blank-line paragraphs, .jsonl, .json, .csv, .tsv; anything
else by --input-format. Places count from 0. Fields and columns come back with each result.
Exit codes: 0 done, 1 something failed (said on standard error), 2 flags that make no sense, 130 interrupted.)";

void AddInputFlags(CLI::App& command, RerankFlags* flags) {
  command.add_option_function<std::string>(
      "-Q,--query", [flags](const std::string& text) { flags->query = text; }, "what is looked for");
  command.add_option("-d,--documents,--input", flags->documents_file, "file of documents, or - for standard input");
  command.add_option(
      "--queries", flags->queries_file,
      "JSONL file of {\"query\", \"documents\", \"instruction\"?}; prints a JSON object a line, with their "
      "other fields");
  command.add_flag("--skip-bad-lines", flags->skip_bad_lines, "with --queries: go on after a line that fails");
  const auto format = [flags](const std::string& name) { flags->input.format = InputFormatOf(name); };
  ExpectOneOf(command.add_option_function<std::string>(
                  "--input-format", format, "auto (by the file's ending), lines, paragraphs, jsonl, json, csv or tsv"),
              {std::begin(kInputFormats), std::end(kInputFormats)});
  command.add_flag_callback(
      "--paragraphs", [flags] { flags->input.format = InputFormat::kParagraphs; },
      "blank lines stand between documents");
  command.add_option_function<std::string>(
      "--field", [flags](const std::string& name) { flags->input.field = name; },
      "the field of JSON documents that holds the text (default: text)");
  command.add_option_function<std::string>(
      "--column", [flags](const std::string& name) { flags->input.column = name; },
      "the CSV column that holds the text (default: text)");
}

void AddOutputFlags(CLI::App& command, RerankFlags* flags) {
  ExpectWholeNumber(command.add_option("-n,--top-n", flags->top_n, "give so many results (default and 0: all)"), 0,
                    kCountMax);
  ExpectNumber(command.add_option_function<float>(
      "--min-score", [flags](float score) { flags->min_score = score; }, "leave out results below this score"));
  ExpectOneOf(command.add_option("-f,--format", flags->format, "table (default), json, jsonl or csv"),
              {"table", "json", "jsonl", "csv"});
  command.add_flag("--explain", flags->explain, "say where tokens and time went (on standard error)");
}

}  // namespace

void AddRerankCommand(CLI::App& app, CommandLine* line) {
  auto flags = std::make_shared<RerankFlags>();
  CLI::App* command = app.add_subcommand("rerank", "put documents in order of relevance to a query");
  CLI::Option* texts = command->add_option("texts", flags->texts, "documents; a single - reads standard input");
  AddInputFlags(*command, flags.get());
  AddOutputFlags(*command, flags.get());
  AddScoringFlags(*command, &flags->scoring);
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, line, texts] {
    flags->texts = texts->results();  // as they were given: CLI11 would take a single "{}" for an empty list
    flags->texts.insert(flags->texts.end(), line->rest.begin(), line->rest.end());
    line->rest.clear();
    line->run = [flags] { return Run(*flags); };
  });
}

}  // namespace tamis::app
