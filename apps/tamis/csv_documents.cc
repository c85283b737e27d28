#include "csv_documents.h"

#include <csv.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "json_text.h"
#include "line_reader.h"

namespace tamis::app {
namespace {

using Row = std::vector<std::string>;

struct Rows {
  std::vector<Row> complete;
  Row open;
};

extern "C" void AddCell(void* cell, std::size_t size, void* rows) {
  static_cast<Rows*>(rows)->open.emplace_back(static_cast<const char*>(cell), size);
}

extern "C" void EndRow(int, void* rows) {
  auto* r = static_cast<Rows*>(rows);
  r->complete.push_back(std::exchange(r->open, {}));
}

extern "C" int NothingIsSpace(unsigned char) { return 0; }

// Takes the file line by line, so that a message can name the line.
class CsvParser {
 public:
  explicit CsvParser(char delimiter) {
    csv_init(&state_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&state_, static_cast<unsigned char>(delimiter));
    csv_set_space_func(&state_, NothingIsSpace);  // blanks around a cell belong to it
  }
  ~CsvParser() { csv_free(&state_); }
  CsvParser(const CsvParser&) = delete;
  CsvParser& operator=(const CsvParser&) = delete;

  // The rows that this line completes: none inside a quoted cell, else one, or none for an empty line.
  Result<std::vector<Row>> Add(const std::string& line, const std::string& where) {
    if (csv_parse(&state_, line.data(), line.size(), AddCell, EndRow, &rows_) != line.size()) return Failure(where);
    return std::exchange(rows_.complete, {});
  }
  Result<std::vector<Row>> Finish(const std::string& where) {
    if (csv_fini(&state_, AddCell, EndRow, &rows_) != 0) return Failure(where);
    return std::exchange(rows_.complete, {});
  }

 private:
  Status Failure(const std::string& where) {
    const int error = csv_error(&state_);
    if (error != CSV_EPARSE) return ResourceExhausted(fmt::format("{}: {}", where, csv_strerror(error)));
    return DataLoss(fmt::format("{}: not CSV: a quote that is not closed, or text beside a quoted cell", where));
  }

  csv_parser state_{};
  Rows rows_;
};

std::string Names(const Row& header) {
  std::string out;
  for (const std::string& name : header) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", name);
  return out;
}

Result<std::size_t> FindColumn(const Row& header, const std::optional<std::string>& column, const std::string& where) {
  const std::string wanted = column.value_or("text");
  const auto found = std::find(header.begin(), header.end(), wanted);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  if (!column && header.size() == 1) return std::size_t{0};
  return DataLoss(fmt::format("{}: there is no column \"{}\"; the columns are {}", where, wanted, Names(header)));
}

// Turns rows into documents; the first one is the header.
class Collector {
 public:
  Collector(const CsvOptions* options, DocumentSet* out) : options_(options), out_(out) {}

  Status Add(std::vector<Row> rows, const std::string& where) {
    for (Row& row : rows) {
      if (header_.empty()) {
        TAMIS_ASSIGN_OR_RETURN(text_column_, FindColumn(row, options_->column, where));
        header_ = std::move(row);
        continue;
      }
      if (row.size() != header_.size()) {
        return DataLoss(fmt::format("{}: {} cells; the header has {}", where, row.size(), header_.size()));
      }
      InputDocument document;
      document.text = row[text_column_];
      for (std::size_t c = 0; c < row.size(); ++c) document.fields.push_back({header_[c], QuotedText(row[c])});
      out_->documents.push_back(std::move(document));
    }
    return OkStatus();
  }

  bool has_header() const { return !header_.empty(); }

 private:
  const CsvOptions* options_;
  DocumentSet* out_;
  Row header_;
  std::size_t text_column_ = 0;
};

}  // namespace

Result<DocumentSet> ReadCsvDocuments(const std::string& path, const CsvOptions& options) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  CsvParser parser(options.delimiter);
  DocumentSet out;
  Collector collector(&options, &out);
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.NextWithEnd(&line));
    if (!more) break;
    TAMIS_ASSIGN_OR_RETURN(std::vector<Row> rows, parser.Add(line, reader.where()));
    TAMIS_RETURN_IF_ERROR(collector.Add(std::move(rows), reader.where()));
  }
  TAMIS_ASSIGN_OR_RETURN(std::vector<Row> rows, parser.Finish(reader.where()));
  TAMIS_RETURN_IF_ERROR(collector.Add(std::move(rows), reader.where()));
  if (!collector.has_header()) return DataLoss(fmt::format("{}: there is no header line", path));
  if (reader.warning()) out.warnings.push_back(*reader.warning());
  return out;
}

}  // namespace tamis::app
