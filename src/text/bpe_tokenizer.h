// BpeTokenizer: byte-level BPE as a pipeline: normalise, cut into pieces, merge.
#pragma once

#include <memory>
#include <mutex>

#include "text/added_tokens.h"
#include "text/bpe_model.h"
#include "text/tokenizer.h"

namespace tamis {

class BpeTokenizer : public Tokenizer {
 public:
  // `compose`: bring text into form C first.
  BpeTokenizer(BpeModel model, AddedTokens added_tokens, bool compose);
  ~BpeTokenizer() override;

  void Encode(std::string_view text, std::vector<TokenId>* ids) const override;
  void EncodeWithOffsets(std::string_view text, std::vector<TokenId>* ids,
                         std::vector<std::size_t>* end_bytes) const override;
  void EncodeWithAddedTokens(std::string_view text, std::vector<TokenId>* ids) const override;
  std::optional<TokenId> TokenToId(std::string_view token) const override;
  std::string Decode(std::span<const TokenId> ids) const override;
  TokenId vocab_size() const override;
  bool SpaceStartsPiece() const override { return true; }
  bool ContainsAddedToken(std::string_view text) const override;

 private:
  struct Workspace;
  class Lease;
  void EncodeNormal(std::string_view normal, Workspace* workspace, std::vector<TokenId>* ids) const;

  BpeModel model_;
  AddedTokens added_tokens_;
  bool compose_;

  // Workspaces (word cache, buffers) not in use: as many as have ever encoded at once, up to a bound.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace tamis
