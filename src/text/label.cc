// A label of several tokens would be scored on its first alone, unnoticed: it is refused unless that was asked for.
#include "text/label.h"

#include <fmt/format.h>

#include <utility>

namespace tamis {
namespace {

std::string Pieces(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::string out;
  for (const TokenId id : ids) {
    out += fmt::format("{}\"{}\" ({})", out.empty() ? "" : ", ", tokenizer.Decode({&id, 1}), id);
  }
  return out;
}

Result<TokenId> Resolve(const Label& label, const ScoringProfile& profile, const Tokenizer& tokenizer,
                        std::vector<std::string>* notes) {
  if (label.id.has_value()) {
    if (*label.id < 0 || *label.id >= tokenizer.vocab_size()) {
      return InvalidArgument(fmt::format("profile {}: found label id {}, expected 0 to {}", profile.name, *label.id,
                                         tokenizer.vocab_size() - 1));
    }
    return TokenId{*label.id};
  }
  std::vector<TokenId> ids;
  tokenizer.Encode(label.text, &ids);
  if (ids.size() == 1) return TokenId{ids[0]};
  if (const auto control = tokenizer.TokenToId(label.text);
      control.has_value() && tokenizer.ContainsAddedToken(label.text)) {
    return TokenId{*control};
  }
  if (label.first_token && !ids.empty()) {
    notes->push_back(fmt::format("label \"{}\" is {} tokens: {}; the first stands for it", label.text, ids.size(),
                                 Pieces(tokenizer, ids)));
    return TokenId{ids[0]};
  }
  return InvalidArgument(
      fmt::format("profile {}: label \"{}\" is {} tokens in this vocabulary: {}; expected one token, a token id, or "
                  "first_token: true",
                  profile.name, label.text, ids.size(), Pieces(tokenizer, ids)));
}

}  // namespace

Result<ResolvedHead> ResolveHead(const ScoringProfile& profile, const Tokenizer& tokenizer) {
  ResolvedHead head;
  head.kind = profile.head.kind;
  head.output = profile.head.output;
  if (head.kind == HeadKind::kScore) return head;
  TAMIS_ASSIGN_OR_RETURN(head.positive, Resolve(profile.head.positive, profile, tokenizer, &head.notes));
  if (head.kind == HeadKind::kLabel) return head;
  TAMIS_ASSIGN_OR_RETURN(head.negative, Resolve(profile.head.negative, profile, tokenizer, &head.notes));
  if (head.positive == head.negative) {
    return InvalidArgument(
        fmt::format("profile {}: both labels are token {}, expected two tokens", profile.name, head.positive));
  }
  return head;
}

}  // namespace tamis
