// Candidate documents from files of several forms, and the fields that come back untouched beside them.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "raw_json.h"
#include "tamis/status.h"

namespace tamis::app {

enum class InputFormat { kAuto, kLines, kParagraphs, kJsonLines, kJson, kCsv, kTsv };

// "auto", "lines", "paragraphs", "jsonl", "json", "csv", "tsv": what --input-format takes.
inline constexpr std::string_view kInputFormats[] = {"auto", "lines", "paragraphs", "jsonl", "json", "csv", "tsv"};
// REQUIRES: `name` is one of them.
InputFormat InputFormatOf(std::string_view name);

struct DocumentOptions {
  InputFormat format = InputFormat::kAuto;  // kAuto: by the file's ending, else by what `field` or `column` tells
  std::optional<std::string> field;         // of JSON objects; unset: "text"
  std::optional<std::string> column;        // of CSV; unset: "text", or the only column
};

struct InputDocument {
  std::string text;
  RawFields fields;  // all fields or columns that came with it, the text's own included, in their order
};

struct DocumentSet {
  std::vector<InputDocument> documents;
  std::vector<std::string> warnings;
};

// Documents count from 0 in the order of the file; empty lines (of line files) and empty paragraphs are no documents.
// Errors: NotFound or DataLoss naming file, line and field.
Result<DocumentSet> ReadDocuments(const std::string& path, const DocumentOptions& options);

// The documents of a JSON list, each a string or an object with `field`. `text` is the list's own text, `where` is for
// messages.
Result<std::vector<InputDocument>> DocumentsFromJson(const boost::json::value& list, std::string_view text,
                                                     const std::string& field, const std::string& where);

}  // namespace tamis::app
