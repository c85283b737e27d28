// tamis score: query-document pairs from a JSONL file, each with its score, in order.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>

#include "commands.h"
#include "json_text.h"
#include "line_reader.h"
#include "model_flags.h"
#include "output.h"
#include "progress_bar.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

// Pairs scored together: enough to fill steps, few enough that millions of rows take little memory.
constexpr std::size_t kChunkPairs = 512;

struct ScoreFlags {
  ModelFlags model;
  ScoringFlags scoring;
  std::string input = "-";
  bool keep_fields = false;
};

struct Chunk {
  std::vector<TextPair> pairs;
  std::vector<json::object> fields;  // with --keep-fields
};

Status AddRow(const ScoreFlags& flags, const std::string& line, const std::string& where, Chunk* chunk) {
  TAMIS_ASSIGN_OR_RETURN(json::object object, ParseJsonObject(line, where));
  TextPair pair;
  TAMIS_ASSIGN_OR_RETURN(pair.query, RequiredString(object, "query", where));
  TAMIS_ASSIGN_OR_RETURN(pair.document, RequiredString(object, "document", where));
  TAMIS_ASSIGN_OR_RETURN(pair.instruction, StringField(object, "instruction", where));
  TAMIS_ASSIGN_OR_RETURN(pair.max_length, CountField(object, "max_length", where));
  if (!pair.instruction) pair.instruction = InstructionOf(flags.scoring);
  chunk->pairs.push_back(std::move(pair));
  if (flags.keep_fields) chunk->fields.push_back(std::move(object));
  return OkStatus();
}

Status ScoreChunk(const ScoreFlags& flags, Reranker& reranker, Chunk* chunk) {
  TAMIS_ASSIGN_OR_RETURN(const auto scores, reranker.Score(chunk->pairs, ToScoreOptions(flags.scoring)));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::string row = fmt::format(R"({{"score":{},"margin":{})", NumberText(scores[i].score), NumberText(scores[i].margin));
    if (scores[i].truncated_tokens > 0) row += fmt::format(R"(,"truncated_tokens":{})", scores[i].truncated_tokens);
    if (scores[i].window) {
      row += fmt::format(R"(,"window":{{"start_byte":{},"end_byte":{}}})", scores[i].window->start_byte, scores[i].window->end_byte);
    }
    if (flags.keep_fields) {
      for (const auto& [key, value] : chunk->fields[i]) {
        if (key == "score" || key == "margin" || key == "truncated_tokens" || key == "window") continue;
        row += fmt::format(",{}:{}", json::serialize(key), json::serialize(value));
      }
    }
    Print(row + "}\n");
  }
  chunk->pairs.clear();
  chunk->fields.clear();
  return OkStatus();
}

int Run(const ScoreFlags& flags) {
  auto reader = LineReader::Open(flags.input);
  if (!reader.ok()) return Fail(reader.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  ProgressBar bar(0);
  Chunk chunk;
  std::string line;
  std::size_t done = 0;
  for (bool more = true; more && !OutputClosed();) {
    const auto next = reader->Next(&line);
    if (!next.ok()) return Fail(next.status());
    more = *next;
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    const Status bad = more && !blank ? AddRow(flags, line, reader->where(), &chunk) : OkStatus();
    if (!more || !bad.ok() || chunk.pairs.size() >= kChunkPairs) {  // what came before a bad row is not lost
      done += chunk.pairs.size();
      if (Status status = ScoreChunk(flags, **reranker, &chunk); !status.ok()) {
        return Fail({status.code(), fmt::format("{}, rows up to line {}: {}", reader->name(), reader->line_number(), status.message())});
      }
      bar.Update(done);
    }
    if (!bad.ok()) return Fail(bad);
  }
  return FlushOutput(kExitOk);
}

constexpr const char* kExamples = R"(Each row {"query", "document", "instruction"?, "max_length"?} gives a line {"score", "margin"}; margin is
logit(yes) - logit(no), or the logit of a one-logit head.
Examples:
  tamis score --model Qwen3-Reranker-0.6B --input pairs.jsonl > scores.jsonl
  tamis score --input - --keep-fields --threads 4 < pairs.jsonl)";

}  // namespace

void AddScoreCommand(CLI::App& app, Action* run) {
  auto flags = std::make_shared<ScoreFlags>();
  CLI::App* command = app.add_subcommand("score", "score query-document pairs, in order");
  command->add_option("--input", flags->input, "JSONL file of pairs, or - (default) for standard input");
  command->add_flag("--keep-fields", flags->keep_fields, "return each row's fields beside its score");
  AddScoringFlags(*command, &flags->scoring);
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, run] { *run = [flags] { return Run(*flags); }; });
}

}  // namespace tamis::app
