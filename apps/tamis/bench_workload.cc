#include "bench_workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <random>

#include "json_text.h"
#include "line_reader.h"

namespace tamis::app {
namespace {

constexpr int kCountMax = 1 << 20;

// Everyday words; those that are one token after a space become the text.
constexpr std::string_view kWords =
    "the of and to in is for on with as by from that this are was be at or an it has have not can will which one all more "
    "time work system data file user page name list part line place way day year world life hand high small large long "
    "great old new public number case point group problem fact company right study book word business issue side kind "
    "head house service friend power hour game end member law car city community team minute idea body back parent face "
    "others level office door health person art war history party result change morning reason research girl guy moment "
    "air teacher force education foot boy age policy process music market sense nation plan college interest death "
    "experience effect use class control field development role effort rate heart drug show leader light voice wife "
    "police mind price report decision son view relationship town road arm difference value building action season "
    "society tax director position player record paper space ground form event official matter center couple site "
    "project activity star table need court oil situation cost industry figure street image phone patient";

std::vector<std::string> SingleTokenWords(const Reranker& reranker) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < kWords.size();) {
    const std::size_t end = std::min(kWords.find(' ', at), kWords.size());
    std::string word = " " + std::string(kWords.substr(at, end - at));
    if (reranker.Tokenize(word).size() == 1) out.push_back(std::move(word));
    at = end + 1;
  }
  return out;
}

std::string Text(const std::vector<std::string>& words, int tokens, std::mt19937& random) {
  std::string out;
  for (int i = 0; i < tokens; ++i) out += words[random() % words.size()];
  return out.empty() ? out : out.substr(1);  // the template brings the first space
}

// How many words a query needs for the shared beginning to have the wanted length.
Result<int> QueryTokens(const Reranker& reranker, const WorkloadShape& shape) {
  constexpr int kDefault = 16;
  if (shape.prefix_tokens == 0) return kDefault;
  TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt prompt, reranker.TokenizePair({"", "x", std::nullopt, 0}));
  return std::max(1, shape.prefix_tokens - prompt.shared_tokens);
}

std::optional<int> Number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kCountMax) return std::nullopt;
  return value;
}

}  // namespace

Result<WorkloadShape> ParseWorkload(std::string_view name) {
  constexpr int kPrefix = 76;
  if (name == "w0") return WorkloadShape{WorkloadKind::kSingle, 1, 100, kPrefix};
  if (name == "w1") return WorkloadShape{WorkloadKind::kRerank, 50, 4481, kPrefix};
  if (name == "w2") return WorkloadShape{WorkloadKind::kRerank, 10, 3787, kPrefix};
  if (name == "w3") return WorkloadShape{WorkloadKind::kRerank, 1000, 14330, kPrefix};
  if (name == "w4") return WorkloadShape{WorkloadKind::kPairs, 500, 45000, kPrefix};
  const std::size_t x = name.find('x');
  if (x != std::string_view::npos) {
    const auto documents = Number(name.substr(0, x));
    const auto tokens = Number(name.substr(x + 1));
    if (documents && tokens && static_cast<long>(*documents) * *tokens < (1L << 31)) {
      return WorkloadShape{WorkloadKind::kRerank, *documents, *documents * *tokens, 0};
    }
  }
  return InvalidArgument(fmt::format("--workload {}: expected w0, w1, w2, w3, w4, DOCSxTOKENS such as 50x100, or a JSON file", name));
}

Result<WorkloadText> MakeWorkload(const Reranker& reranker, const WorkloadShape& shape, std::size_t queries) {
  const std::vector<std::string> words = SingleTokenWords(reranker);
  if (words.size() < 20) return Status(StatusCode::kFailedPrecondition, "the tokenizer has too few English words to make text of a known length");
  TAMIS_ASSIGN_OR_RETURN(const int query_tokens, QueryTokens(reranker, shape));
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same text everywhere
  WorkloadText out;
  for (std::size_t i = 0; i < queries; ++i) out.queries.push_back(Text(words, query_tokens, random));
  for (int i = 0; i < shape.documents; ++i) {
    const int tokens = shape.document_tokens / shape.documents + (i < shape.document_tokens % shape.documents ? 1 : 0);
    out.documents.push_back(Text(words, tokens, random));
  }
  return out;
}

Result<WorkloadText> ReadWorkload(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(const std::string text, ReadWhole(path));
  TAMIS_ASSIGN_OR_RETURN(const boost::json::object object, ParseJsonObject(text, path));
  WorkloadText out;
  TAMIS_ASSIGN_OR_RETURN(std::string query, RequiredString(object, "query", path));
  out.queries.push_back(std::move(query));
  const boost::json::value* documents = object.if_contains("documents");
  if (documents == nullptr || !documents->is_array()) return DataLoss(fmt::format("{}: \"documents\" is not a list", path));
  for (const boost::json::value& value : documents->get_array()) {
    if (!value.is_string()) return DataLoss(fmt::format("{}: document {} is not a string", path, out.documents.size()));
    out.documents.emplace_back(value.get_string().data(), value.get_string().size());
  }
  return out;
}

}  // namespace tamis::app
