// Tokenizer: text to the ids that a model was trained on.
//
// All methods are const and thread-safe. Text may hold any bytes: each maximal bad part of UTF-8 counts as U+FFFD
// (utf8.h counts them for a caller that wants to warn).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"
#include "text/token_id.h"

namespace tamis {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends the ids of `text` as plain text: control tokens spelled out in it are ordinary characters. What a user
  // typed always comes this way.
  virtual void Encode(std::string_view text, std::vector<TokenId>* ids) const = 0;

  // The same, and for each token appends to *end_bytes the byte of `text` where it ends. Values never fall and the last
  // is text.size(). One lies inside a character where a token does; a part that normalisation changed is never cut.
  virtual void EncodeWithOffsets(std::string_view text, std::vector<TokenId>* ids,
                                 std::vector<std::size_t>* end_bytes) const = 0;

  // Appends the ids of a template: control tokens spelled out in it become their ids.
  virtual void EncodeWithAddedTokens(std::string_view text, std::vector<TokenId>* ids) const = 0;

  // The id of a token by its text (for control tokens: their content), or nothing.
  virtual std::optional<TokenId> TokenToId(std::string_view token) const = 0;

  // The bytes that the ids stand for; an id without a token stands for none. May be cut inside a character.
  virtual std::string Decode(std::span<const TokenId> ids) const = 0;

  // One more than the largest id.
  virtual TokenId vocab_size() const = 0;

  // True if a piece of text always starts at an ASCII space that follows something other than white space, so that
  // the ids of A + " " + B are those of A and those of " " + B whenever A ends so.
  virtual bool SpaceStartsPiece() const = 0;

  // True if `text` holds a control token's content.
  virtual bool ContainsAddedToken(std::string_view text) const = 0;
};

// Reads a Hugging Face tokenizer.json: byte-level BPE as Qwen publishes it. `file_name` is for messages; `json` is not
// needed afterwards.
// Errors: DataLoss (not JSON, inconsistent vocabulary or merges), Unimplemented (a normaliser, pre-tokeniser or model
// that tamis does not have: field, found and expected are named), ResourceExhausted (beyond any real vocabulary).
Result<std::unique_ptr<Tokenizer>> ParseTokenizer(std::string_view json, std::string_view file_name);

}  // namespace tamis
