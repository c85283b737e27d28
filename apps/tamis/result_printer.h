// Ranked results in the forms that scripts and people read: table, json, jsonl, csv.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document_reader.h"
#include "raw_json.h"
#include "tamis/options.h"
#include "tamis/reranker.h"

namespace tamis::app {

// One result as a JSON object: index, score, rank, document, what was cut, and the document's fields as they were
// written. A field named like one of ours gets "input_" in front.
std::string ResultJson(const DocumentScore& result, std::size_t rank, const InputDocument& document);

// {"results": [...], "warnings": [...]}, with the fields that came with the query in front.
std::string ResponseJson(const RerankResponse& response, std::span<const InputDocument> documents,
                         const RawFields& query_fields);

// rank, index, score, document and the other fields of the documents as CSV with a header line.
std::string ResponseCsv(const RerankResponse& response, std::span<const InputDocument> documents);

// `format`: table, json, jsonl or csv.
void PrintResults(std::string_view format, const RerankResponse& response, std::span<const InputDocument> documents,
                  bool raw_scores);

// Where the time and the tokens went, for people.
std::string Explanation(const RequestStats& stats, const ModelInfo& info);

}  // namespace tamis::app
