#include "document_reader.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <cctype>

#include "csv_documents.h"
#include "json_text.h"
#include "line_reader.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

constexpr const char* kDefaultField = "text";

InputFormat FormatOf(const std::string& path, const DocumentOptions& options) {
  if (options.format != InputFormat::kAuto) return options.format;
  std::string ending =
      path.substr(path.find_last_of('.') == std::string::npos ? path.size() : path.find_last_of('.') + 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == "jsonl" || ending == "ndjson") return InputFormat::kJsonLines;
  if (ending == "json") return InputFormat::kJson;
  if (ending == "csv") return InputFormat::kCsv;
  if (ending == "tsv") return InputFormat::kTsv;
  if (ending == "md") return InputFormat::kParagraphs;
  if (options.field) return InputFormat::kJsonLines;
  return options.column ? InputFormat::kCsv : InputFormat::kLines;
}

void NoteWarning(const std::optional<std::string>& warning, DocumentSet* set) {
  if (warning) set->warnings.push_back(*warning);
}

Result<DocumentSet> ReadLines(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.NextNotBlank(&line));
    if (!more) break;
    out.documents.push_back({line, {}});
  }
  NoteWarning(reader.warning(), &out);
  return out;
}

Result<DocumentSet> ReadParagraphs(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  std::string line;
  bool inside = false;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) break;
    if (IsBlank(line)) {
      inside = false;
    } else if (inside) {
      out.documents.back().text += '\n' + line;
    } else {
      out.documents.push_back({line, {}});
      inside = true;
    }
  }
  NoteWarning(reader.warning(), &out);
  return out;
}

Result<InputDocument> DocumentFromJson(const json::value& value, std::string_view text, const std::string& field,
                                       const std::string& where) {
  if (value.is_string()) return InputDocument{std::string(value.get_string().data(), value.get_string().size()), {}};
  if (!value.is_object()) {
    return DataLoss(
        fmt::format("{}: a document is a string or an object with \"{}\"; found {}", where, field, text.substr(0, 40)));
  }
  InputDocument out;
  TAMIS_ASSIGN_OR_RETURN(out.text, RequiredString(value.get_object(), field, where));
  out.fields = SplitObject(text);
  return out;
}

Result<DocumentSet> ReadJsonLines(const std::string& path, const std::string& field) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.NextNotBlank(&line));
    if (!more) break;
    TAMIS_ASSIGN_OR_RETURN(const json::value value, ParseJson(line, reader.where()));
    TAMIS_ASSIGN_OR_RETURN(InputDocument document, DocumentFromJson(value, line, field, reader.where()));
    out.documents.push_back(std::move(document));
  }
  NoteWarning(reader.warning(), &out);
  return out;
}

Result<DocumentSet> ReadJson(const std::string& path, const std::string& field) {
  TAMIS_ASSIGN_OR_RETURN(const WholeText whole, ReadWhole(path));
  TAMIS_ASSIGN_OR_RETURN(const json::value root, ParseJson(whole.text, path));
  const json::value* list = &root;
  std::string_view text = whole.text;
  if (root.is_object() && root.get_object().contains("documents")) {
    list = root.get_object().if_contains("documents");
    text = FindValue(whole.text, "documents");
  }
  if (!list->is_array()) {
    return DataLoss(fmt::format("{}: a JSON list of documents is expected, or an object with \"documents\"", path));
  }
  DocumentSet out;
  TAMIS_ASSIGN_OR_RETURN(out.documents, DocumentsFromJson(*list, text, field, path));
  NoteWarning(whole.warning, &out);
  return out;
}

}  // namespace

InputFormat InputFormatOf(std::string_view name) {
  if (name == "lines") return InputFormat::kLines;
  if (name == "paragraphs") return InputFormat::kParagraphs;
  if (name == "jsonl") return InputFormat::kJsonLines;
  if (name == "json") return InputFormat::kJson;
  if (name == "csv") return InputFormat::kCsv;
  if (name == "tsv") return InputFormat::kTsv;
  return InputFormat::kAuto;
}

Result<std::vector<InputDocument>> DocumentsFromJson(const json::value& list, std::string_view text,
                                                     const std::string& field, const std::string& where) {
  const std::vector<std::string_view> parts = SplitList(text);
  std::vector<InputDocument> out;
  out.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TAMIS_ASSIGN_OR_RETURN(InputDocument document, DocumentFromJson(list.get_array()[i], parts[i], field,
                                                                    fmt::format("{}: document {}", where, i)));
    out.push_back(std::move(document));
  }
  return out;
}

Result<DocumentSet> ReadDocuments(const std::string& path, const DocumentOptions& options) {
  switch (FormatOf(path, options)) {
    case InputFormat::kParagraphs: return ReadParagraphs(path);
    case InputFormat::kJsonLines: return ReadJsonLines(path, options.field.value_or(kDefaultField));
    case InputFormat::kJson: return ReadJson(path, options.field.value_or(kDefaultField));
    case InputFormat::kCsv: return ReadCsvDocuments(path, {options.column, ','});
    case InputFormat::kTsv: return ReadCsvDocuments(path, {options.column, '\t'});
    case InputFormat::kAuto:
    case InputFormat::kLines: break;
  }
  return ReadLines(path);
}

}  // namespace tamis::app
