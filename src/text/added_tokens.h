// AddedTokens: the control tokens of a vocabulary (<|im_start|> and friends), and how to find them in a template.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/token_id.h"

namespace tamis {

struct AddedToken {
  std::string content;
  TokenId id = 0;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  struct Match {
    std::size_t begin;
    std::size_t size;  // 0: none
    TokenId id;
  };
  // The first place at or after `from` where a token's content stands; the longest of those that start there.
  Match FindNext(std::string_view text, std::size_t from) const;

  // The id of exactly this content, or kNoToken; the content of an id, or empty.
  TokenId Find(std::string_view content) const;
  std::string_view Content(TokenId id) const;

  TokenId end_id() const { return end_id_; }

 private:
  std::vector<AddedToken> tokens_;  // by first byte, longest first
  std::size_t first_[257] = {};     // tokens_ of first byte b: [first_[b], first_[b + 1])
  TokenId end_id_ = 0;
};

}  // namespace tamis
