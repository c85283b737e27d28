// What tamis rerank was asked for, shared by its two ways of working: one query, or a file of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document_reader.h"
#include "model_flags.h"

namespace tamis::app {

struct RerankFlags {
  ModelFlags model;
  ScoringFlags scoring;
  std::optional<std::string> query;
  std::vector<std::string> texts;  // documents given as arguments
  std::string documents_file;
  std::string queries_file;
  DocumentOptions input;
  int top_n = 0;
  std::optional<float> min_score;
  std::string format = "table";
  bool explain = false;
  bool skip_bad_lines = false;
};

RerankRequest MakeRequest(const RerankFlags& flags, std::string query, const std::vector<InputDocument>& documents);

// Warnings on standard error, unless quiet.
void PrintWarnings(const RerankFlags& flags, const std::vector<std::string>& warnings);

// --queries: each line of the file is ranked by itself; results come in the lines' order while later lines are still
// being read. Returns the exit code.
int RerankQueries(const RerankFlags& flags);

}  // namespace tamis::app
