// Candidate documents from files of several forms, and the fields that come back untouched beside them.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tamis/status.h"

namespace tamis::app {

enum class InputFormat { kAuto, kLines, kParagraphs, kJsonLines, kJson, kCsv };

// "auto", "lines", "paragraphs", "jsonl", "json", "csv".
Result<InputFormat> ParseInputFormat(std::string_view name);

struct DocumentOptions {
  InputFormat format = InputFormat::kAuto;  // kAuto: by the file's ending; lines where that says nothing
  std::string field = "text";               // of JSON objects
  std::string column;                       // of CSV; empty: "text", or the only column
};

struct InputDocument {
  std::string text;
  boost::json::object fields;  // all other fields or columns, in their order
  bool text_is_field = false;  // the text came from a field, which is named by DocumentSet::text_field
};

struct DocumentSet {
  std::vector<InputDocument> documents;
  std::string text_field;  // where documents are objects
};

// Documents count from 0 in the order of the file; empty lines (of line files) and empty paragraphs are no documents.
// Errors: NotFound or DataLoss naming file, line and field.
Result<DocumentSet> ReadDocuments(const std::string& path, const DocumentOptions& options);

// A document as JSON gives it: a string, or an object with the field. `where` is for messages.
Result<InputDocument> DocumentFromJson(const boost::json::value& value, const std::string& field, const std::string& where);

}  // namespace tamis::app
