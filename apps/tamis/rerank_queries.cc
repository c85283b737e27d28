// tamis rerank --queries: many queries from a file.
//
// Several lines are under way at a time, so that their documents are batched together and reading, tokenising and
// computing overlap; how many is bounded, and so is the memory of a file of any length.
#include <fmt/core.h>

#include <boost/json.hpp>
#include <deque>
#include <future>
#include <memory>
#include <utility>

#include "commands.h"
#include "json_text.h"
#include "line_reader.h"
#include "output.h"
#include "progress_bar.h"
#include "rerank_flags.h"
#include "result_printer.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kLinesAtOnceMax = 32;
constexpr std::size_t kBytesAtOnceMax = 32u << 20;

struct QueryRow {
  std::string query;
  std::optional<std::string> instruction;
  std::vector<InputDocument> documents;
  RawFields fields;  // all but documents and instruction: they come back
};

Result<QueryRow> ParseQueryRow(const RerankFlags& flags, const std::string& line, const std::string& where) {
  TAMIS_ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(line, where));
  QueryRow row;
  TAMIS_ASSIGN_OR_RETURN(row.query, RequiredString(object, "query", where));
  TAMIS_ASSIGN_OR_RETURN(row.instruction, StringField(object, "instruction", where));
  const json::value* documents = object.if_contains("documents");
  if (documents == nullptr) return DataLoss(fmt::format("{}: there is no field \"documents\"", where));
  if (!documents->is_array()) return DataLoss(fmt::format("{}: \"documents\" is not a list", where));
  TAMIS_ASSIGN_OR_RETURN(row.documents, DocumentsFromJson(*documents, FindValue(line, "documents"),
                                                          flags.input.field.value_or("text"), where));
  for (RawField& field : SplitObject(line)) {
    if (field.name != "documents" && field.name != "instruction") row.fields.push_back(std::move(field));
  }
  return row;
}

// A line on its way.
struct Pending {
  std::string where;
  std::size_t bytes = 0;
  QueryRow row;
  std::future<Result<RerankResponse>> response;
};

class QueryStream {
 public:
  QueryStream(const RerankFlags* flags, Reranker* reranker) : flags_(flags), reranker_(reranker) {}

  void Add(const std::string& line, const std::string& where) {
    Pending pending;
    pending.where = where;
    pending.bytes = line.size();
    // Shared: the callback may come when the stream has already been given up.
    auto promise = std::make_shared<std::promise<Result<RerankResponse>>>();
    pending.response = promise->get_future();
    Result<QueryRow> row = ParseQueryRow(*flags_, line, where);
    if (row.ok()) {
      pending.row = *std::move(row);
      RerankRequest request = MakeRequest(*flags_, pending.row.query, pending.row.documents);
      if (pending.row.instruction) request.instruction = pending.row.instruction;
      reranker_->RerankAsync(std::move(request),
                             [promise](Result<RerankResponse> response) { promise->set_value(std::move(response)); });
    } else {
      promise->set_value(row.status());
    }
    bytes_ += pending.bytes;
    lines_.push_back(std::move(pending));
  }

  bool full() const { return lines_.size() >= kLinesAtOnceMax || bytes_ >= kBytesAtOnceMax; }
  bool empty() const { return lines_.empty(); }

  // Prints the first line's answer once it is there. Errors: the line's, with its place.
  Status PrintFirst() {
    Pending pending = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= pending.bytes;
    const Result<RerankResponse> response = pending.response.get();
    if (!response.ok()) {
      const Status& status = response.status();
      if (status.message().starts_with(pending.where)) return status;
      return {status.code(), fmt::format("{}: {}", pending.where, status.message())};
    }
    PrintAndFlush(ResponseJson(*response, pending.row.documents, pending.row.fields) + "\n");
    AddStats(response->stats);
    return OkStatus();
  }

  const RequestStats& stats() const { return stats_; }

 private:
  void AddStats(const RequestStats& stats) {
    stats_.tokenize_us += stats.tokenize_us;
    stats_.queue_us += stats.queue_us;
    stats_.compute_us += stats.compute_us;
    stats_.total_us += stats.total_us;
    stats_.prompt_tokens += stats.prompt_tokens;
    stats_.computed_tokens += stats.computed_tokens;
    stats_.steps += stats.steps;
    stats_.duplicates += stats.duplicates;
  }

  const RerankFlags* flags_;
  Reranker* reranker_;
  std::deque<Pending> lines_;
  std::size_t bytes_ = 0;
  RequestStats stats_;
};

// True for what is the line's own fault, so that the next line may do better.
bool LineIsToBlame(StatusCode code) { return code == StatusCode::kInvalidArgument || code == StatusCode::kDataLoss; }

}  // namespace

int RerankQueries(const RerankFlags& flags) {
  auto reader = LineReader::Open(flags.queries_file);
  if (!reader.ok()) return Fail(reader.status());
  const auto reranker = LoadWithNotice(flags.model);
  if (!reranker.ok()) return Fail(reranker.status());
  ProgressBar bar("queries", flags.model.quiet);
  QueryStream stream(&flags, reranker->get());
  std::string line;
  std::size_t done = 0;
  std::size_t skipped = 0;
  for (bool more = true; (more || !stream.empty()) && !OutputFailed();) {
    if (more && !stream.full()) {
      const auto next = reader->NextNotBlank(&line);
      more = next.ok() && *next;
      if (more) stream.Add(line, reader->where());
      if (!next.ok()) {
        while (!stream.empty() && stream.PrintFirst().ok()) {  // what was read before is not lost
        }
        return Fail(next.status());
      }
      continue;
    }
    if (Status status = stream.PrintFirst(); !status.ok()) {
      bar.Wipe();
      if (!flags.skip_bad_lines || !LineIsToBlame(status.code())) return Fail(status);
      PrintError(fmt::format("{} (skipped)", status.message()));
      ++skipped;
    }
    bar.Update(++done, reader->share_read());
  }
  bar.Wipe();
  if (reader->warning()) PrintWarnings(flags, {*reader->warning()});
  if (skipped > 0) PrintNote(fmt::format("{}: {} of {} lines were skipped", reader->name(), skipped, done));
  if (flags.explain) fmt::print(stderr, "{}", Explanation(stream.stats(), (*reranker)->info()));
  return FlushOutput(kExitOk);
}

}  // namespace tamis::app
