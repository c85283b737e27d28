// tamis tokenize: the ids of texts, or of whole prompts.
#include <fmt/core.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "builtin/builtin_model.h"
#include "commands.h"
#include "flag_checks.h"
#include "json_text.h"
#include "line_reader.h"
#include "model/config.h"
#include "model/mapped_file.h"
#include "output.h"
#include "text/instructions.h"
#include "text/prompt.h"
#include "text/tokenizer.h"

namespace tamis::app {
namespace {

constexpr std::size_t kChunkRows = 4096;
constexpr std::size_t kChunkBytes = 8u << 20;
constexpr std::size_t kRowsPerTask = 16;
constexpr std::size_t kTokenizerBytesMax = 256u << 20;
constexpr std::size_t kProfileBytesMax = 4u << 20;
constexpr std::size_t kConfigBytesMax = 4u << 20;
constexpr int kDefaultMaxLength = 8192;
constexpr int kTokensMax = 1 << 24;
constexpr int kThreadsMax = 1024;

struct TokenizeFlags {
  std::string model;
  std::string tokenizer;
  std::string profile;
  std::string input = "-";
  bool prompt = false;
  int max_length = 0;
  int threads = 0;
};

struct Row {
  std::string line;
  std::string where;
};

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const TokenizeFlags& flags) {
  if (flags.tokenizer.empty() && flags.model.empty()) {
    return ParseTokenizer(GetBuiltinModel().tokenizer_json, "the built-in tokenizer.json");
  }
  const std::string path = flags.tokenizer.empty() ? flags.model + "/tokenizer.json" : flags.tokenizer;
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kTokenizerBytesMax));
  return ParseTokenizer(text, path);
}

// How prompts are made, as scoring with the same flags would.
struct PromptSettings {
  std::string profile = "qwen3-reranker";  // a name or a file
  int max_length = kDefaultMaxLength;
};

Result<PromptSettings> ChooseSettings(const TokenizeFlags& flags) {
  PromptSettings out;
  std::error_code error;
  const std::string path = flags.model + "/config.json";
  if (!flags.model.empty() && std::filesystem::exists(path, error)) {  // a tokenizer alone will do
    TAMIS_ASSIGN_OR_RETURN(const std::string json, ReadTextFile(path, kConfigBytesMax));
    TAMIS_ASSIGN_OR_RETURN(const Qwen3Config config, ParseQwen3Config(json, path));
    out.max_length = std::min(out.max_length, config.max_positions);
    if (config.sequence_classification()) out.profile = "qwen3-seq-cls";
    const std::string own = flags.model + "/tamis_profile.json";
    if (std::filesystem::exists(own, error)) out.profile = own;
  }
  if (!flags.profile.empty()) out.profile = flags.profile;
  if (flags.max_length > 0) out.max_length = flags.max_length;
  return out;
}

Result<ScoringProfile> OpenProfile(const std::string& name) {
  if (const ScoringProfile* profile = FindBuiltInProfile(name)) return *profile;
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(name, kProfileBytesMax));
  return ParseProfile(text, name);
}

std::string IdsText(const std::vector<TokenId>& ids) { return fmt::format("\"ids\":[{}]", fmt::join(ids, ",")); }

Result<std::string> TokenizeText(const Tokenizer& tokenizer, const Row& row) {
  TAMIS_ASSIGN_OR_RETURN(const boost::json::object object, ParseJsonObject(row.line, row.where));
  TAMIS_ASSIGN_OR_RETURN(const std::string text, RequiredString(object, "text", row.where));
  std::vector<TokenId> ids;
  tokenizer.Encode(text, &ids);
  return fmt::format("{{{}}}\n", IdsText(ids));
}

Result<std::string> TokenizePrompt(const PromptBuilder& prompts, const Row& row) {
  TAMIS_ASSIGN_OR_RETURN(const boost::json::object object, ParseJsonObject(row.line, row.where));
  TAMIS_ASSIGN_OR_RETURN(const std::string query, RequiredString(object, "query", row.where));
  TAMIS_ASSIGN_OR_RETURN(const std::string document, RequiredString(object, "document", row.where));
  TAMIS_ASSIGN_OR_RETURN(const auto given, StringField(object, "instruction", row.where));
  TAMIS_ASSIGN_OR_RETURN(const int max_length, CountField(object, "max_length", row.where));
  const auto named = [&](const Status& status) {
    return Status(status.code(), fmt::format("{}: {}", row.where, status.message()));
  };
  const auto instruction = ResolveInstruction(given);
  if (!instruction.ok()) return named(instruction.status());
  const auto view = *instruction ? std::optional<std::string_view>(**instruction) : std::nullopt;
  const auto encoded = prompts.EncodeQuery(view, query, max_length);
  if (!encoded.ok()) return named(encoded.status());
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
  pool.ParallelFor((rows.size() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(rows.size(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) lines[i] = tokenize(rows[i]);
  });
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
  std::string line;
  for (bool more = true; more && !OutputFailed();) {
    std::vector<Row> rows;
    Status bad;
    for (std::size_t bytes = 0; more && rows.size() < kChunkRows && bytes < kChunkBytes; bytes += line.size()) {
      const auto next = reader->NextNotBlank(&line);
      more = next.ok() && *next;
      if (!next.ok()) bad = next.status();
      if (more) rows.push_back({line, reader->where()});
    }
    if (Status status = PrintChunk(rows, tokenize, pool); !status.ok()) return Fail(status);
    if (!bad.ok()) return Fail(bad);
  }
  if (reader->warning()) PrintNote(fmt::format("warning: {}", *reader->warning()));
  return FlushOutput(kExitOk);
}

int Run(const TokenizeFlags& flags) {
  const auto tokenizer = OpenTokenizer(flags);
  if (!tokenizer.ok()) return Fail(tokenizer.status());
  if (!flags.prompt) return Work(flags, [&](const Row& row) { return TokenizeText(**tokenizer, row); });
  const auto settings = ChooseSettings(flags);
  if (!settings.ok()) return Fail(settings.status());
  auto profile = OpenProfile(settings->profile);
  if (!profile.ok()) return Fail(profile.status());
  const auto prompts = PromptBuilder::Create(tokenizer->get(), *std::move(profile), settings->max_length);
  if (!prompts.ok()) return Fail(prompts.status());
  return Work(flags, [&](const Row& row) { return TokenizePrompt(*prompts, row); });
}

constexpr const char* kExamples = R"(Each row {"text"} gives a line {"ids": [...]}. With --prompt each row
{"instruction"?, "query", "document", "max_length"?} gives {"ids": [...], "truncated": true|false}.
Examples:
  tamis tokenize --tokenizer tokenizer.json --input texts.jsonl
  echo '{"query": "red planet", "document": "Mars"}' | tamis tokenize --model Qwen3-Reranker-0.6B --prompt)";

}  // namespace

void AddTokenizeCommand(CLI::App& app, CommandLine* line) {
  auto flags = std::make_shared<TokenizeFlags>();
  CLI::App* command = app.add_subcommand("tokenize", "print the ids of texts or prompts");
  command->add_option("-m,--model", flags->model,
                      "model folder whose tokenizer.json is used (default: the built-in model)");
  command->add_option("--tokenizer", flags->tokenizer, "tokenizer.json; no model is needed");
  command->add_option("--input", flags->input, "JSONL file, or - (default) for standard input");
  command->add_flag("--prompt", flags->prompt, "rows are query and document; print the ids of the whole prompt");
  command->add_option("--profile", flags->profile, "with --prompt: scoring profile, a name or a JSON file");
  ExpectWholeNumber(command->add_option("--max-length", flags->max_length,
                                        "with --prompt: tokens of a whole prompt, where the row does not say"),
                    1, kTokensMax);
  ExpectWholeNumber(
      command->add_option("--threads", flags->threads, "threads (default: the CPUs this process may use)"), 1,
      kThreadsMax);
  command->footer(kExamples);
  command->callback([flags, line] { line->run = [flags] { return Run(*flags); }; });
}

}  // namespace tamis::app
