#include "csv_documents.h"

#include <csv.h>
#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "line_reader.h"
#include "text/utf8.h"

namespace tamis::app {
namespace {

using Row = std::vector<std::string>;

struct Table {
  std::vector<Row> rows;
  Row row;
};

extern "C" void AddCell(void* cell, std::size_t size, void* table) {
  auto* t = static_cast<Table*>(table);
  t->row.emplace_back(static_cast<const char*>(cell), size);
}

extern "C" void EndRow(int, void* table) {
  auto* t = static_cast<Table*>(table);
  t->rows.push_back(std::move(t->row));
  t->row.clear();
}

struct Parser {
  csv_parser state{};
  Parser() { csv_init(&state, CSV_STRICT | CSV_STRICT_FINI); }
  ~Parser() { csv_free(&state); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
};

Result<std::vector<Row>> ParseTable(const std::string& text, const std::string& path) {
  Parser parser;
  Table table;
  const std::size_t used = csv_parse(&parser.state, text.data(), text.size(), AddCell, EndRow, &table);
  if (used != text.size() || csv_fini(&parser.state, AddCell, EndRow, &table) != 0) {
    return DataLoss(fmt::format("{}: row {}: not CSV: {}", path, table.rows.size() + 1, csv_strerror(csv_error(&parser.state))));
  }
  return std::move(table.rows);
}

std::string Names(const Row& header) {
  std::string out;
  for (const std::string& name : header) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", name);
  return out;
}

Result<std::size_t> FindColumn(const Row& header, const std::string& column, const std::string& path) {
  const std::string wanted = column.empty() ? "text" : column;
  const auto found = std::find(header.begin(), header.end(), wanted);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  if (column.empty() && header.size() == 1) return std::size_t{0};
  return DataLoss(fmt::format("{}: there is no column \"{}\"; the columns are {}", path, wanted, Names(header)));
}

}  // namespace

Result<DocumentSet> ReadCsvDocuments(const std::string& path, const std::string& column) {
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadWhole(path));
  TAMIS_ASSIGN_OR_RETURN(const std::vector<Row> rows, ParseTable(text, path));
  if (rows.empty()) return DataLoss(fmt::format("{}: there is no header line", path));
  const Row& header = rows.front();
  TAMIS_ASSIGN_OR_RETURN(const std::size_t text_column, FindColumn(header, column, path));
  DocumentSet out;
  out.text_field = header[text_column];
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() != header.size()) {
      return DataLoss(fmt::format("{}: row {} has {} cells; the header has {}", path, r + 1, rows[r].size(), header.size()));
    }
    InputDocument document;
    document.text = rows[r][text_column];
    document.text_is_field = true;
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (c != text_column) document.fields[RepairUtf8(header[c])] = boost::json::string(RepairUtf8(rows[r][c]));
    }
    out.documents.push_back(std::move(document));
  }
  return out;
}

}  // namespace tamis::app
