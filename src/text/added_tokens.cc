// Templates are short and tokens few: candidates are tried in turn at each byte that starts one.
#include "text/added_tokens.h"

#include <algorithm>

#include "text/vocabulary.h"

namespace tamis {
namespace {

std::size_t FirstByte(std::string_view text) { return static_cast<unsigned char>(text[0]); }

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& t) { return t.content.empty(); });
  std::sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    if (FirstByte(a.content) != FirstByte(b.content)) return FirstByte(a.content) < FirstByte(b.content);
    return a.content.size() > b.content.size();
  });
  for (const AddedToken& token : tokens_) {
    ++first_[FirstByte(token.content) + 1];
    end_id_ = std::max(end_id_, token.id + 1);
  }
  for (std::size_t b = 0; b < 256; ++b) first_[b + 1] += first_[b];
}

AddedTokens::Match AddedTokens::FindNext(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    for (std::size_t i = first_[FirstByte(rest)]; i < first_[FirstByte(rest) + 1]; ++i) {
      if (rest.starts_with(tokens_[i].content)) return {at, tokens_[i].content.size(), tokens_[i].id};
    }
  }
  return {text.size(), 0, kNoToken};
}

TokenId AddedTokens::Find(std::string_view content) const {
  if (content.empty()) return kNoToken;
  const Match match = FindNext(content.substr(0, content.size()), 0);
  return match.begin == 0 && match.size == content.size() ? match.id : kNoToken;
}

std::string_view AddedTokens::Content(TokenId id) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(), [id](const AddedToken& t) { return t.id == id; });
  return found == tokens_.end() ? std::string_view() : std::string_view(found->content);
}

}  // namespace tamis
