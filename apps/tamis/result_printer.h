// Ranked results in the forms that scripts and people read: table, json, jsonl, csv.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "document_reader.h"
#include "tamis/options.h"
#include "tamis/reranker.h"

namespace tamis::app {

enum class OutputFormat { kTable, kJson, kJsonLines, kCsv };

Result<OutputFormat> ParseOutputFormat(std::string_view name);

// One result as a JSON object: rank, index, score, document, what was cut, and the document's other fields untouched
// (under their own names; a field named like one of ours keeps its value and ours gives way).
std::string ResultJson(const DocumentScore& result, std::size_t rank, const InputDocument& document, const std::string& text_field);

// {"results": [...], "warnings": [...]} with `before` (an id, a query) in front.
std::string ResponseJson(const RerankResponse& response, const DocumentSet& documents, const boost::json::object& before);

void PrintResults(OutputFormat format, const RerankResponse& response, const DocumentSet& documents, bool raw_scores);

// Where the time and the tokens went, for people, on standard error.
void PrintExplanation(const RequestStats& stats, const ModelInfo& info);

}  // namespace tamis::app
