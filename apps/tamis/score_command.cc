// tamis score: query-document pairs from a JSONL file, each with its score, in order.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>
#include <utility>

#include "commands.h"
#include "json_text.h"
#include "line_reader.h"
#include "model_flags.h"
#include "output.h"
#include "progress_bar.h"
#include "raw_json.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

// Pairs scored together: enough to fill steps, few enough that millions of rows take little memory.
constexpr std::size_t kChunkPairs = 512;
constexpr std::size_t kChunkBytes = 32u << 20;

struct ScoreFlags {
  ModelFlags model;
  ScoringFlags scoring;
  std::string input = "-";
  bool keep_fields = false;
};

struct Chunk {
  std::vector<TextPair> pairs;
  std::vector<std::string> where;  // of each pair, for messages
  std::vector<RawFields> fields;   // with --keep-fields
  std::size_t bytes = 0;

  bool full() const { return pairs.size() >= kChunkPairs || bytes >= kChunkBytes; }
};

Status AddRow(const ScoreFlags& flags, const std::string& line, const std::string& where, Chunk* chunk) {
  TAMIS_ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(line, where));
  TextPair pair;
  TAMIS_ASSIGN_OR_RETURN(pair.query, RequiredString(object, "query", where));
  TAMIS_ASSIGN_OR_RETURN(pair.document, RequiredString(object, "document", where));
  TAMIS_ASSIGN_OR_RETURN(pair.instruction, StringField(object, "instruction", where));
  TAMIS_ASSIGN_OR_RETURN(pair.max_length, CountField(object, "max_length", where));
  if (!pair.instruction) pair.instruction = flags.scoring.instruction;
  chunk->pairs.push_back(std::move(pair));
  chunk->where.push_back(where);
  chunk->bytes += line.size();
  if (flags.keep_fields) chunk->fields.push_back(SplitObject(line));
  return OkStatus();
}

std::string RowJson(const DocumentScore& score, const RawFields* fields) {
  ObjectWriter writer({"score", "margin", "truncated_tokens", "window"});
  writer.Add("score", NumberText(score.score));
  writer.Add("margin", NumberText(score.margin));
  if (score.truncated_tokens > 0) writer.Add("truncated_tokens", fmt::format("{}", score.truncated_tokens));
  if (score.window) {
    writer.Add("window",
               fmt::format(R"({{"start_byte":{},"end_byte":{}}})", score.window->start_byte, score.window->end_byte));
  }
  if (fields != nullptr) {
    for (const RawField& field : *fields) writer.AddField(field);
  }
  return writer.Take() + "\n";
}

class PairScorer {
 public:
  PairScorer(const ScoreFlags* flags, Reranker* reranker)
      : flags_(flags), reranker_(reranker), options_(ToScoreOptions(flags->scoring)) {}

  // Scores and prints the chunk. Where a pair cannot be scored, those before it are printed all the same.
  // Errors: that of the first such pair, naming its line.
  Status Print(const Chunk& chunk, const ProgressFunction& progress) {
    const auto scores = reranker_->Score(chunk.pairs, options_, progress);
    if (scores.ok()) {
      std::string out;
      for (std::size_t i = 0; i < scores->size(); ++i) out += Row(chunk, i, (*scores)[i]);
      PrintAndFlush(out);
      return OkStatus();
    }
    for (std::size_t i = 0; i < chunk.pairs.size(); ++i) {
      const auto score = reranker_->Score({&chunk.pairs[i], 1}, options_);
      if (!score.ok()) {
        return {score.status().code(), fmt::format("{}: {}", chunk.where[i], score.status().message())};
      }
      PrintAndFlush(Row(chunk, i, score->front()));
    }
    return scores.status();
  }

 private:
  std::string Row(const Chunk& chunk, std::size_t i, const DocumentScore& score) const {
    return RowJson(score, flags_->keep_fields ? &chunk.fields[i] : nullptr);
  }

  const ScoreFlags* flags_;
  Reranker* reranker_;
  ScoreOptions options_;
};

int Run(const ScoreFlags& flags) {
  auto reader = LineReader::Open(flags.input);
  if (!reader.ok()) return Fail(reader.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  PairScorer scorer(&flags, reranker->get());
  ProgressBar bar("pairs", flags.model.quiet);
  std::size_t done = 0;
  std::string line;
  for (bool more = true; more && !OutputFailed();) {
    Chunk chunk;
    Status bad;
    while (more && bad.ok() && !chunk.full()) {
      const auto next = reader->NextNotBlank(&line);
      more = next.ok() && *next;
      if (!next.ok()) bad = next.status();
      if (more) bad = AddRow(flags, line, reader->where(), &chunk);
    }
    const auto progress = [&](std::size_t scored, std::size_t) { bar.Update(done + scored, reader->share_read()); };
    Status status = scorer.Print(chunk, progress);  // what came before a bad row is not lost
    done += chunk.pairs.size();
    if (status.ok()) status = bad;
    if (!status.ok()) {
      bar.Wipe();
      return Fail(status);
    }
  }
  bar.Wipe();
  if (reader->warning() && !flags.model.quiet) PrintNote(fmt::format("warning: {}", *reader->warning()));
  return FlushOutput(kExitOk);
}

constexpr const char* kExamples =
    R"(Each row {"query", "document", "instruction"?, "max_length"?} gives a line {"score", "margin"}; margin is
logit(yes) - logit(no), or the logit of a one-logit head. A row that was cut has "truncated_tokens" or "window" too.
Without "instruction" the one of the flags counts, else the default; an empty one stays empty.
Examples:
  tamis score --model Qwen3-Reranker-0.6B --input pairs.jsonl > scores.jsonl
  tamis score --input - --keep-fields --threads 4 < pairs.jsonl)";

}  // namespace

void AddScoreCommand(CLI::App& app, CommandLine* line) {
  auto flags = std::make_shared<ScoreFlags>();
  CLI::App* command = app.add_subcommand("score", "score query-document pairs, in order");
  command->add_option("--input", flags->input, "JSONL file of pairs, or - (default) for standard input");
  command->add_flag("--keep-fields", flags->keep_fields, "give each row's fields beside its score");
  AddScoringFlags(*command, &flags->scoring);
  AddModelFlags(*command, &flags->model);
  command->footer(kExamples);
  command->callback([flags, line] { line->run = [flags] { return Run(*flags); }; });
}

}  // namespace tamis::app
