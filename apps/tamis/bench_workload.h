// What `tamis bench` scores: generated text with known token counts, or a file's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/reranker.h"
#include "tamis/status.h"

namespace tamis::app {

enum class WorkloadKind {
  kRerank,  // one query, many documents
  kSingle,  // w0: one document; a new query and a known one are told apart
  kPairs,   // w4: every pair has a query of its own
};

struct WorkloadShape {
  WorkloadKind kind = WorkloadKind::kRerank;
  int documents = 0;
  // Tokens of all prompts together, and of the beginning that they share (template, instruction and query). 0: as it
  // comes, with `document_tokens` for each document.
  int prompt_tokens = 0;
  int prefix_tokens = 0;
  int document_tokens = 0;
};

// "w0" ... "w4" or "50x100" (documents x tokens). Errors: InvalidArgument, listing what there is.
//   w0     1 document of 100 tokens
//   w1    50 documents of about 90: 8,731 prompt tokens, 5,007 computed where the 76-token prefix is shared
//   w2    10 of about 380: 4,637 and 3,953
//   w3 1,000 titles of about 14: 99,330 and 23,406
//   w4   500 pairs of about 90 tokens, every query different
Result<WorkloadShape> ParseWorkload(std::string_view name);

struct WorkloadText {
  std::vector<std::string> queries;  // different ones: one for each run, or for each pair
  std::vector<std::string> documents;
  std::optional<std::string> instruction;
};

// Text of the wanted number of tokens of the reranker's tokenizer, the same on every machine. With a tokenizer whose
// template is too long for the wanted prefix the instruction is left out, and as a last resort the prefix is longer.
// Errors: FailedPrecondition (a tokenizer that cuts English words).
Result<WorkloadText> MakeWorkload(const Reranker& reranker, const WorkloadShape& shape, std::size_t queries);

// {"query": ..., "documents": [...], "instruction": ...}. Errors: NotFound or DataLoss naming the file and field.
Result<WorkloadText> ReadWorkload(const std::string& path);

}  // namespace tamis::app
