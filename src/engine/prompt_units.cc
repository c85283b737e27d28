#include "engine/prompt_units.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/windows.h"

namespace tamis {
namespace {

// Less in common than this is not worth a segment of its own.
constexpr std::size_t kSharedTokensMin = 16;

// Windows of fewer tokens hold no sentence; where no more fit, the document is truncated instead.
constexpr int kWindowTokensMin = 16;

struct Query {
  EncodedQuery encoded;
  std::vector<std::size_t> pairs;
};

struct Prompt {
  std::vector<TokenId> tail;
  ByteRange window;
};

struct EncodedText {
  std::vector<Prompt> prompts;
  int truncated_tokens = 0;
};

Status CheckRange(const char* name, int value, int min, int max) {
  if (value >= min && value <= max) return OkStatus();
  return InvalidArgument(fmt::format("{} {} is out of range: {} to {}", name, value, min, max));
}

Status CheckOptions(const ScoreOptions& options, int max_positions) {
  TAMIS_RETURN_IF_ERROR(CheckRange("max_length", options.max_length, 0, max_positions));
  TAMIS_RETURN_IF_ERROR(CheckRange("max_tokens_per_doc", options.max_tokens_per_doc, 0, max_positions));
  if (options.window_tokens != 0) {
    TAMIS_RETURN_IF_ERROR(CheckRange("window_tokens", options.window_tokens, kWindowTokensMin, max_positions));
  }
  return CheckRange("overlap_tokens", options.overlap_tokens, -1, max_positions);
}

Status CheckRoom(const EncodedQuery& query, const ScoreOptions& options) {
  if (options.truncate_query || (!query.query_truncated && query.document_room > 0)) return OkStatus();
  return InvalidArgument(fmt::format(
      "the query leaves no room for documents: instruction and query take {} tokens, and max_length {} has room for {}",
      query.query_tokens, query.max_length, query.content_room));
}

EncodedText EncodeWindows(const PromptBuilder& prompts, const EncodedQuery& query, std::string_view document,
                          std::span<const std::size_t> token_ends, const WindowLimits& limits) {
  const auto count = [&](std::string_view slice) { return prompts.TokenizeDocument(query, slice).ids.size(); };
  EncodedText out;
  for (const ByteRange& range : CutWindows(document, token_ends, limits, count)) {
    const std::string_view slice = document.substr(range.start_byte, range.end_byte - range.start_byte);
    EncodedDocument encoded = prompts.EncodeDocument(query, slice, limits.window_tokens);
    out.truncated_tokens += encoded.truncated_tokens;
    out.prompts.push_back({std::move(encoded.tail_ids), range});
  }
  return out;
}

// Where the first `tokens` tokens of a document end, at a border of characters.
std::size_t BytesOf(std::string_view document, std::span<const std::size_t> token_ends, std::size_t tokens) {
  std::size_t end = token_ends[tokens - 1];
  while (end > 0 && QualityOfCut(document, end) == CutQuality::kInsideCharacter) --end;
  return end;
}

EncodedText EncodeText(const PromptBuilder& prompts, const EncodedQuery& query, std::string_view document,
                       const ScoreOptions& options) {
  WindowLimits limits;
  limits.window_tokens =
      options.window_tokens > 0 ? std::min(options.window_tokens, query.document_room) : query.document_room;
  limits.overlap_tokens = options.overlap_tokens >= 0 ? options.overlap_tokens : limits.window_tokens / 8;
  if (options.windows == WindowMode::kAuto && limits.window_tokens >= kWindowTokensMin) {
    const DocumentTokens tokens = prompts.TokenizeDocument(query, document);
    const std::size_t total = tokens.ids.size();
    const std::size_t wanted =
        options.max_tokens_per_doc > 0 ? std::min(total, static_cast<std::size_t>(options.max_tokens_per_doc)) : total;
    if (wanted > static_cast<std::size_t>(limits.window_tokens)) {
      if (wanted < total) document = document.substr(0, BytesOf(document, tokens.end_bytes, wanted));
      EncodedText out = EncodeWindows(prompts, query, document, std::span(tokens.end_bytes).first(wanted), limits);
      out.truncated_tokens += static_cast<int>(total - wanted);
      return out;
    }
  }
  EncodedDocument encoded = prompts.EncodeDocument(query, document, options.max_tokens_per_doc);
  return {{{std::move(encoded.tail_ids), {0, document.size()}}}, encoded.truncated_tokens};
}

std::string_view Bytes(const std::vector<TokenId>& ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(TokenId)};
}

// Tokens that all prompts of a query begin with, at least one being left for each.
std::size_t CommonTokens(const std::vector<const std::vector<TokenId>*>& prompts) {
  if (prompts.size() < 2) return 0;
  std::size_t common = prompts[0]->size() - 1;
  for (const auto* ids : prompts) {
    common = std::min(common, ids->size() - 1);
    common = static_cast<std::size_t>(
        std::mismatch(ids->begin(), ids->begin() + static_cast<std::ptrdiff_t>(common), prompts[0]->begin()).first -
        ids->begin());
  }
  return common >= kSharedTokensMin ? common : 0;
}

class Assembler {
 public:
  Assembler(std::size_t pairs, EncodedPairs* out) : out_(*out) {
    out_.truncated_tokens.resize(pairs);
    out_.windows.resize(pairs);
  }

  // Adds the prompts of one query's pairs.
  void Add(const Query& query, std::vector<EncodedText>& texts) {
    std::vector<TokenId> prefix_ids = query.encoded.prefix_ids;
    const std::size_t common = prefix_ids.empty() ? FindCommon(query, texts, &prefix_ids) : 0;
    int prefix = -1;
    const std::size_t prefix_tokens = prefix_ids.size();
    if (!prefix_ids.empty()) {
      prefix = static_cast<int>(out_.prefixes.size());
      out_.prefixes.push_back({std::move(prefix_ids), query.encoded.query_independent_tokens});
    }
    std::unordered_map<std::string_view, std::size_t> seen;  // views of the tails that units own; those do not move
    for (std::size_t pair : query.pairs) {
      EncodedText& text = texts[pair];
      out_.truncated_tokens[pair] = text.truncated_tokens;
      out_.windows[pair] = static_cast<int>(text.prompts.size());
      bool all_seen = true;
      for (Prompt& prompt : text.prompts) {
        prompt.tail.erase(prompt.tail.begin(), prompt.tail.begin() + static_cast<std::ptrdiff_t>(common));
        all_seen = AddPrompt(pair, prompt, prefix, prefix_tokens, &seen) && all_seen;
      }
      if (all_seen) ++out_.duplicates;
    }
  }

 private:
  static std::size_t FindCommon(const Query& query, const std::vector<EncodedText>& texts,
                                std::vector<TokenId>* prefix_ids) {
    std::vector<const std::vector<TokenId>*> all;
    for (std::size_t pair : query.pairs) {
      for (const Prompt& prompt : texts[pair].prompts) all.push_back(&prompt.tail);
    }
    const std::size_t common = CommonTokens(all);
    if (common > 0) prefix_ids->assign(all[0]->begin(), all[0]->begin() + static_cast<std::ptrdiff_t>(common));
    return common;
  }

  // True if a prompt before it had the same ids.
  bool AddPrompt(std::size_t pair, Prompt& prompt, int prefix, std::size_t prefix_tokens,
                 std::unordered_map<std::string_view, std::size_t>* seen) {
    const std::size_t tokens = prefix_tokens + prompt.tail.size();
    out_.prompt_tokens += static_cast<std::int64_t>(tokens);
    std::size_t unit = out_.units.size();
    if (prompt.tail.empty()) {  // nothing after what is shared: scored as a whole
      if (prefix >= 0) prompt.tail = out_.prefixes[static_cast<std::size_t>(prefix)].ids;
      out_.units.push_back({std::move(prompt.tail), -1});
      out_.prompts.push_back({pair, unit, static_cast<int>(tokens), prompt.window});
      return false;
    }
    const auto found = seen->find(Bytes(prompt.tail));
    const bool seen_before = found != seen->end();
    if (seen_before) {
      unit = found->second;
    } else {
      out_.units.push_back({std::move(prompt.tail), prefix});
      seen->emplace(Bytes(out_.units.back().ids), unit);
    }
    out_.prompts.push_back({pair, unit, static_cast<int>(tokens), prompt.window});
    return seen_before;
  }

  EncodedPairs& out_;
};

}  // namespace

Result<EncodedPairs> EncodePairs(const PromptBuilder& prompts, std::span<const PairText> pairs,
                                 const ScoreOptions& options, int max_positions, ThreadPool* pool) {
  TAMIS_RETURN_IF_ERROR(CheckOptions(options, max_positions));
  using Key = std::tuple<std::optional<std::string_view>, std::string_view, int>;
  std::map<Key, std::size_t> by_query;
  std::vector<Query> queries;
  std::vector<std::size_t> query_of(pairs.size());
  EncodedPairs out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const int max_length = pairs[i].max_length > 0 ? pairs[i].max_length : options.max_length;
    const auto [at, added] = by_query.emplace(Key{pairs[i].instruction, pairs[i].query, max_length}, queries.size());
    if (added) {
      TAMIS_RETURN_IF_ERROR(CheckRange("max_length", max_length, 0, max_positions));
      TAMIS_ASSIGN_OR_RETURN(EncodedQuery encoded,
                             prompts.EncodeQuery(pairs[i].instruction, pairs[i].query, max_length));
      TAMIS_RETURN_IF_ERROR(CheckRoom(encoded, options));
      out.query_truncated = out.query_truncated || encoded.query_truncated;
      queries.push_back({std::move(encoded), {}});
    }
    query_of[i] = at->second;
    queries[at->second].pairs.push_back(i);
  }
  std::vector<EncodedText> texts(pairs.size());
  pool->ParallelFor(pairs.size(), [&](std::size_t i, int) {
    texts[i] = EncodeText(prompts, queries[query_of[i]].encoded, pairs[i].document, options);
  });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!queries[query_of[i]].encoded.prefix_ids.empty()) continue;
    for (const Prompt& prompt : texts[i].prompts) {
      if (prompt.tail.empty()) return InvalidArgument(fmt::format("document {}: its prompt has no token to score", i));
    }
  }
  Assembler assembler(pairs.size(), &out);
  for (const Query& query : queries) assembler.Add(query, texts);
  return out;
}

}  // namespace tamis
