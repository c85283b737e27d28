// What `tamis bench` scores: generated text with known token counts, or a file's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tamis/reranker.h"
#include "tamis/status.h"

namespace tamis::app {

enum class WorkloadKind {
  kRerank,   // one query, many documents
  kSingle,   // w0: one document; cold and warm prefix are told apart
  kPairs,    // w4: every pair has a query of its own
};

struct WorkloadShape {
  WorkloadKind kind = WorkloadKind::kRerank;
  int documents = 0;
  int document_tokens = 0;  // of all documents together
  int prefix_tokens = 0;    // of the shared beginning, template and query; 0: as it comes
};

// "w0" ... "w4" or "50x100" (documents x tokens). Errors: InvalidArgument, listing what there is.
//   w1    50 documents of about 90 tokens: 8,731 prompt tokens, 5,007 with the 76-token prefix shared
//   w2    10 of about 380: 4,637 and 3,953
//   w3 1,000 titles of about 14: 99,330 and 23,406
//   w0     1 document of 100 tokens;  w4  500 pairs of about 90 tokens, every query different
// (counts with the published tokenizer; another one's template is a few tokens longer or shorter).
Result<WorkloadShape> ParseWorkload(std::string_view name);

struct WorkloadText {
  std::vector<std::string> queries;    // one for each repetition (kRerank) or pair
  std::vector<std::string> documents;
};

// Text of the wanted size in tokens of the reranker's tokenizer, the same on every machine. `queries` different ones.
Result<WorkloadText> MakeWorkload(const Reranker& reranker, const WorkloadShape& shape, std::size_t queries);

// {"query": ..., "documents": [...]}. Errors: NotFound or DataLoss naming the file and field.
Result<WorkloadText> ReadWorkload(const std::string& path);

}  // namespace tamis::app
