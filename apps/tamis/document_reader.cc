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

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

InputFormat FormatOf(const std::string& path) {
  std::string ending = path.substr(path.find_last_of('.') == std::string::npos ? path.size() : path.find_last_of('.') + 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == "jsonl" || ending == "ndjson") return InputFormat::kJsonLines;
  if (ending == "json") return InputFormat::kJson;
  if (ending == "csv") return InputFormat::kCsv;
  if (ending == "md") return InputFormat::kParagraphs;
  return InputFormat::kLines;
}

Result<DocumentSet> ReadLines(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) return out;
    if (!IsBlank(line)) out.documents.push_back({line, {}, false});
  }
}

Result<DocumentSet> ReadParagraphs(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  std::string line;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out.documents.push_back({paragraph, {}, false});
    paragraph.clear();
  };
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) break;
    if (IsBlank(line)) {
      end_paragraph();
      continue;
    }
    if (!paragraph.empty()) paragraph += '\n';
    paragraph += line;
  }
  end_paragraph();
  return out;
}

Result<DocumentSet> ReadJsonLines(const std::string& path, const std::string& field) {
  TAMIS_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  DocumentSet out;
  out.text_field = field;
  std::string line;
  for (;;) {
    TAMIS_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) return out;
    if (IsBlank(line)) continue;
    TAMIS_ASSIGN_OR_RETURN(const json::value value, ParseJson(line, reader.where()));
    TAMIS_ASSIGN_OR_RETURN(InputDocument document, DocumentFromJson(value, field, reader.where()));
    out.documents.push_back(std::move(document));
  }
}

Result<DocumentSet> ReadJson(const std::string& path, const std::string& field) {
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadWhole(path));
  TAMIS_ASSIGN_OR_RETURN(const json::value root, ParseJson(text, path));
  const json::value* list = &root;
  if (root.is_object() && root.get_object().contains("documents")) list = root.get_object().if_contains("documents");
  if (!list->is_array()) return DataLoss(fmt::format("{}: a JSON list of documents is expected, or an object with \"documents\"", path));
  DocumentSet out;
  out.text_field = field;
  std::size_t index = 0;
  for (const json::value& value : list->get_array()) {
    TAMIS_ASSIGN_OR_RETURN(InputDocument document, DocumentFromJson(value, field, fmt::format("{}: document {}", path, index++)));
    out.documents.push_back(std::move(document));
  }
  return out;
}

}  // namespace

Result<InputFormat> ParseInputFormat(std::string_view name) {
  if (name == "auto") return InputFormat::kAuto;
  if (name == "lines") return InputFormat::kLines;
  if (name == "paragraphs") return InputFormat::kParagraphs;
  if (name == "jsonl") return InputFormat::kJsonLines;
  if (name == "json") return InputFormat::kJson;
  if (name == "csv") return InputFormat::kCsv;
  return InvalidArgument(fmt::format("--input-format {}: expected auto, lines, paragraphs, jsonl, json or csv", name));
}

Result<InputDocument> DocumentFromJson(const json::value& value, const std::string& field, const std::string& where) {
  if (value.is_string()) return InputDocument{std::string(value.get_string().data(), value.get_string().size()), {}, false};
  if (!value.is_object()) {
    return DataLoss(fmt::format("{}: a document is a string or an object with \"{}\"; found {}", where, field,
                                std::string_view(json::serialize(value)).substr(0, 40)));
  }
  InputDocument out;
  out.text_is_field = true;
  TAMIS_ASSIGN_OR_RETURN(out.text, RequiredString(value.get_object(), field, where));
  for (const auto& [key, member] : value.get_object()) {
    if (key != json::string_view(field.data(), field.size())) out.fields.emplace(key, member);
  }
  return out;
}

Result<DocumentSet> ReadDocuments(const std::string& path, const DocumentOptions& options) {
  switch (options.format == InputFormat::kAuto ? FormatOf(path) : options.format) {
    case InputFormat::kParagraphs: return ReadParagraphs(path);
    case InputFormat::kJsonLines: return ReadJsonLines(path, options.field);
    case InputFormat::kJson: return ReadJson(path, options.field);
    case InputFormat::kCsv: return ReadCsvDocuments(path, options.column);
    case InputFormat::kAuto:
    case InputFormat::kLines: break;
  }
  return ReadLines(path);
}

}  // namespace tamis::app
