// What the tests of this folder share: golden files and the tokenizers they are about.
#pragma once

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace tamis::test {

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string Golden(const std::string& name) { return TAMIS_TEST_DATA "/goldens/" + name; }

inline boost::json::value ReadJson(const std::string& path) { return boost::json::parse(ReadFile(path)); }

inline std::vector<boost::json::value> ReadJsonLines(const std::string& path) {
  std::vector<boost::json::value> rows;
  std::istringstream in(ReadFile(path));
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) rows.push_back(boost::json::parse(line));
  }
  return rows;
}

inline std::string Text(const boost::json::value& value) { return std::string(value.as_string()); }

inline std::vector<TokenId> Ids(const boost::json::value& value) {
  return boost::json::value_to<std::vector<TokenId>>(value);
}

inline std::vector<TokenId> Encode(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  tokenizer.Encode(text, &ids);
  return ids;
}

// Null where the file cannot be read or parsed.
inline std::unique_ptr<Tokenizer> LoadTokenizer(const std::string& path) {
  auto tokenizer = ParseTokenizer(ReadFile(path), path);
  return tokenizer.ok() ? std::move(*tokenizer) : nullptr;
}

inline std::string TinyTokenizerPath() { return Golden("models/a-tied-f32/tokenizer.json"); }

// The published Qwen3 tokenizer.json is too large for the repository: tools/fetch_qwen3_tokenizer.sh gets it.
inline const char* RealTokenizerPath() { return std::getenv("TAMIS_QWEN3_TOKENIZER"); }

}  // namespace tamis::test

// Skips a test that needs the published tokenizer, saying how to run it.
#define TAMIS_REQUIRE_REAL_TOKENIZER()             \
  if (tamis::test::RealTokenizerPath() == nullptr) \
  GTEST_SKIP() << "needs the published tokenizer: TAMIS_QWEN3_TOKENIZER=$(tools/fetch_qwen3_tokenizer.sh)"
