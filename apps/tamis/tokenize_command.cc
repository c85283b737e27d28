// tamis tokenize: the ids of texts, or of whole prompts.
#include <fmt/core.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>

#include "base/thread_pool.h"
#include "builtin/builtin_model.h"
#include "commands.h"
#include "json_text.h"
#include "line_reader.h"
#include "model/mapped_file.h"
#include "output.h"
#include "text/instructions.h"
#include "text/prompt.h"
#include "text/tokenizer.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kChunkRows = 1024;
constexpr std::size_t kTokenizerBytesMax = 256u << 20;
constexpr int kMaxLength = 8192;

struct TokenizeFlags {
  std::string model;
  std::string tokenizer;
  std::string profile = "qwen3-reranker";
  std::string input = "-";
  bool prompt = false;
  int threads = 0;
};

struct Row {
  json::object object;
  std::string where;
};

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const TokenizeFlags& flags) {
  if (flags.tokenizer.empty() && flags.model.empty()) return ParseTokenizer(GetBuiltinModel().tokenizer_json, "the built-in tokenizer.json");
  const std::string path = flags.tokenizer.empty() ? flags.model + "/tokenizer.json" : flags.tokenizer;
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kTokenizerBytesMax));
  return ParseTokenizer(text, path);
}

Result<ScoringProfile> OpenProfile(const TokenizeFlags& flags) {
  if (const ScoringProfile* profile = FindBuiltInProfile(flags.profile)) return *profile;
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(flags.profile, 4u << 20));
  return ParseProfile(text, flags.profile);
}

std::string IdsText(const std::vector<TokenId>& ids) { return fmt::format("\"ids\":[{}]", fmt::join(ids, ",")); }

Result<std::string> TokenizeText(const Tokenizer& tokenizer, const Row& row) {
  TAMIS_ASSIGN_OR_RETURN(const std::string text, RequiredString(row.object, "text", row.where));
  std::vector<TokenId> ids;
  tokenizer.Encode(text, &ids);
  return fmt::format("{{{}}}\n", IdsText(ids));
}

Result<std::string> TokenizePrompt(const PromptBuilder& prompts, const Row& row) {
  TAMIS_ASSIGN_OR_RETURN(const std::string query, RequiredString(row.object, "query", row.where));
  TAMIS_ASSIGN_OR_RETURN(const std::string document, RequiredString(row.object, "document", row.where));
  TAMIS_ASSIGN_OR_RETURN(const auto given, StringField(row.object, "instruction", row.where));
  TAMIS_ASSIGN_OR_RETURN(const auto instruction, ResolveInstruction(given));
  TAMIS_ASSIGN_OR_RETURN(const int max_length, CountField(row.object, "max_length", row.where));
  auto encoded = prompts.EncodeQuery(instruction ? std::optional<std::string_view>(*instruction) : std::nullopt, query, max_length);
  if (!encoded.ok()) return Status(encoded.status().code(), fmt::format("{}: {}", row.where, encoded.status().message()));
  const EncodedDocument tail = prompts.EncodeDocument(*encoded, document);
  std::vector<TokenId> ids = encoded->prefix_ids;
  ids.insert(ids.end(), tail.tail_ids.begin(), tail.tail_ids.end());
  const bool truncated = tail.truncated_tokens > 0 || encoded->query_truncated;
  return fmt::format("{{{},\"truncated\":{}}}\n", IdsText(ids), truncated);
}

using TokenizeRow = std::function<Result<std::string>(const Row&)>;

// Tokenises the rows in parallel and prints them in order, up to the first bad one.
Status PrintChunk(const std::vector<Row>& rows, const TokenizeRow& tokenize, ThreadPool& pool) {
  std::vector<Result<std::string>> lines(rows.size(), Result<std::string>(std::string()));
  pool.ParallelFor(rows.size(), [&](std::size_t i, int) { lines[i] = tokenize(rows[i]); });
  for (const Result<std::string>& line : lines) {
    if (!line.ok()) return line.status();
    Print(*line);
  }
  return OkStatus();
}

int Work(const TokenizeFlags& flags, const TokenizeRow& tokenize) {
  auto reader = LineReader::Open(flags.input);
  if (!reader.ok()) return Fail(reader.status());
  ThreadPool pool(flags.threads > 0 ? flags.threads : AvailableCpuCount());
  std::vector<Row> rows;
  std::string line;
  for (bool more = true; more && !OutputClosed();) {
    const auto next = reader->Next(&line);
    if (!next.ok()) return Fail(next.status());
    more = *next;
    Status bad;
    if (more && line.find_first_not_of(" \t") != std::string::npos) {
      auto object = ParseJsonObject(line, reader->where());
      if (object.ok()) {
        rows.push_back({std::move(*object), reader->where()});
      } else {
        bad = object.status();
      }
    }
    if (!more || !bad.ok() || rows.size() >= kChunkRows) {
      if (Status status = PrintChunk(rows, tokenize, pool); !status.ok()) return Fail(status);
      rows.clear();
    }
    if (!bad.ok()) return Fail(bad);
  }
  return FlushOutput(kExitOk);
}

int Run(const TokenizeFlags& flags) {
  const auto tokenizer = OpenTokenizer(flags);
  if (!tokenizer.ok()) return Fail(tokenizer.status());
  if (!flags.prompt) return Work(flags, [&](const Row& row) { return TokenizeText(**tokenizer, row); });
  auto profile = OpenProfile(flags);
  if (!profile.ok()) return Fail(profile.status());
  const auto prompts = PromptBuilder::Create(tokenizer->get(), *std::move(profile), kMaxLength);
  if (!prompts.ok()) return Fail(prompts.status());
  return Work(flags, [&](const Row& row) { return TokenizePrompt(*prompts, row); });
}

constexpr const char* kExamples = R"(Each row {"text"} gives a line {"ids": [...]}; with --prompt each row {"instruction"?, "query", "document", "max_length"?}
gives {"ids": [...], "truncated": true|false}.
Examples:
  tamis tokenize --tokenizer tokenizer.json --input texts.jsonl
  echo '{"query": "red planet", "document": "Mars"}' | tamis tokenize --model Qwen3-Reranker-0.6B --prompt)";

}  // namespace

void AddTokenizeCommand(CLI::App& app, Action* run) {
  auto flags = std::make_shared<TokenizeFlags>();
  CLI::App* command = app.add_subcommand("tokenize", "print the ids of texts or prompts");
  command->add_option("-m,--model", flags->model, "model folder whose tokenizer.json is used (default: the built-in model's)");
  command->add_option("--tokenizer", flags->tokenizer, "tokenizer.json; no model is needed");
  command->add_option("--profile", flags->profile, "scoring profile of --prompt: a name or a JSON file");
  command->add_option("--input", flags->input, "JSONL file, or - (default) for standard input");
  command->add_flag("--prompt", flags->prompt, "rows are query and document; print the ids of the whole prompt");
  command->add_option("--threads", flags->threads, "threads (default: the CPUs this process may use)")->check(CLI::Range(1, 1024));
  command->footer(kExamples);
  command->callback([flags, run] { *run = [flags] { return Run(*flags); }; });
}

}  // namespace tamis::app
