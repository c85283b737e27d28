#include "bench_workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <random>
#include <utility>

#include "document_reader.h"
#include "json_text.h"
#include "line_reader.h"

namespace tamis::app {
namespace {

constexpr int kCountMax = 1 << 20;
constexpr std::int64_t kTokensMax = std::int64_t{1} << 31;
constexpr std::size_t kWordsMin = 20;
constexpr int kQueryTokens = 16;    // where the workload does not say
constexpr int kQueryTokensMin = 4;  // queries are to differ from each other

// Everyday words; those that are one token after a space become the text.
constexpr std::string_view kWords =
    "the of and to in is for on with as by from that this are was be at or an it has have not can will which one all "
    "more "
    "time work system data file user page name list part line place way day year world life hand high small large long "
    "great old new public number case point group problem fact company right study book word business issue side kind "
    "head house service friend power hour game end member law car city community team minute idea body back parent "
    "face "
    "others level office door health person art war history party result change morning reason research girl guy "
    "moment "
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

// What a prompt consists of besides the words of its query and document.
struct Frame {
  int prefix = 0;  // with a query of no words
  int suffix = 0;
};

Result<Frame> MeasureFrame(const Reranker& reranker, const std::string& word,
                           const std::optional<std::string>& instruction) {
  const std::string bare = word.substr(1);
  TAMIS_ASSIGN_OR_RETURN(const TokenizedPrompt prompt, reranker.TokenizePair({bare, bare, instruction, 0}));
  return Frame{prompt.shared_tokens - 1, static_cast<int>(prompt.ids.size()) - prompt.shared_tokens - 1};
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
  using enum WorkloadKind;
  if (name == "w0") return WorkloadShape{kSingle, 1, 0, kPrefix, 100};
  if (name == "w1") return WorkloadShape{kRerank, 50, 8731, kPrefix, 0};
  if (name == "w2") return WorkloadShape{kRerank, 10, 4637, kPrefix, 0};
  if (name == "w3") return WorkloadShape{kRerank, 1000, 99330, kPrefix, 0};
  if (name == "w4") return WorkloadShape{kPairs, 500, 0, kPrefix, 90};
  const std::size_t x = name.find('x');
  if (x != std::string_view::npos) {
    const auto documents = Number(name.substr(0, x));
    const auto tokens = Number(name.substr(x + 1));
    if (documents && tokens && static_cast<std::int64_t>(*documents) * *tokens < kTokensMax) {
      return WorkloadShape{kRerank, *documents, 0, 0, *tokens};
    }
  }
  return InvalidArgument(fmt::format(
      "--workload: found \"{}\", expected w0, w1, w2, w3, w4, DOCSxTOKENS such as 50x100, or a JSON file", name));
}

Result<WorkloadText> MakeWorkload(const Reranker& reranker, const WorkloadShape& shape, std::size_t queries) {
  const std::vector<std::string> words = SingleTokenWords(reranker);
  if (words.size() < kWordsMin) {
    return FailedPrecondition(
        "the tokenizer has too few English words to make text of a known length; give --workload a file");
  }
  WorkloadText out;
  TAMIS_ASSIGN_OR_RETURN(Frame frame, MeasureFrame(reranker, words[0], out.instruction));
  int query_tokens = shape.prefix_tokens > 0 ? shape.prefix_tokens - frame.prefix : kQueryTokens;
  if (query_tokens < kQueryTokensMin) {
    out.instruction = "";
    TAMIS_ASSIGN_OR_RETURN(frame, MeasureFrame(reranker, words[0], out.instruction));
    query_tokens = std::max(kQueryTokensMin, shape.prefix_tokens - frame.prefix);
  }
  int document_tokens = shape.documents * shape.document_tokens;  // of all together
  if (shape.prompt_tokens > 0) {
    document_tokens = shape.prompt_tokens - shape.documents * (frame.prefix + query_tokens + frame.suffix);
  }
  document_tokens = std::max(document_tokens, shape.documents);
  std::mt19937 random(1);  // the same text everywhere
  for (std::size_t i = 0; i < queries; ++i) out.queries.push_back(Text(words, query_tokens, random));
  for (int i = 0; i < shape.documents; ++i) {
    const int more = i < document_tokens % shape.documents ? 1 : 0;
    out.documents.push_back(Text(words, document_tokens / shape.documents + more, random));
  }
  return out;
}

Result<WorkloadText> ReadWorkload(const std::string& path) {
  TAMIS_ASSIGN_OR_RETURN(const WholeText whole, ReadWhole(path));
  TAMIS_ASSIGN_OR_RETURN(const boost::json::object object, ParseJsonObject(whole.text, path));
  WorkloadText out;
  TAMIS_ASSIGN_OR_RETURN(std::string query, RequiredString(object, "query", path));
  out.queries.push_back(std::move(query));
  TAMIS_ASSIGN_OR_RETURN(out.instruction, StringField(object, "instruction", path));
  const boost::json::value* documents = object.if_contains("documents");
  if (documents == nullptr || !documents->is_array() || documents->get_array().empty()) {
    return DataLoss(fmt::format("{}: \"documents\" is expected to be a list that is not empty", path));
  }
  TAMIS_ASSIGN_OR_RETURN(std::vector<InputDocument> list,
                         DocumentsFromJson(*documents, FindValue(whole.text, "documents"), "text", path));
  for (InputDocument& document : list) out.documents.push_back(std::move(document.text));
  return out;
}

}  // namespace tamis::app
