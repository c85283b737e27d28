// BpeModel: the byte-pair merges of one piece of text (a pre-token) into token ids.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/char_merges.h"
#include "text/merge_table.h"
#include "text/token_id.h"
#include "text/vocabulary.h"

namespace tamis {

// Working memory of EncodePiece for long pieces; one for each thread.
struct BpeScratch {
  struct Symbol {
    TokenId id;
    std::int32_t previous;
    std::int32_t next;
  };
  std::vector<TokenId> initial;
  std::vector<Symbol> symbols;
  std::vector<std::uint64_t> heap;
};

class BpeModel {
 public:
  // `ignore_merges`: a piece that is a token as a whole becomes that token, whatever the merges say.
  // REQUIRES: each byte alone is a token of `vocabulary`.
  BpeModel(Vocabulary vocabulary, MergeTable merges, bool ignore_merges);

  // Appends the ids of `piece`. Time: n log n in its length. Thread-safe with one scratch for each thread.
  // REQUIRES: !piece.empty().
  void EncodePiece(std::string_view piece, BpeScratch* scratch, std::vector<TokenId>* ids) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  std::uint32_t Rank(TokenId left, TokenId right) const;
  std::size_t InitialSymbols(std::string_view piece, TokenId* symbols) const;
  void EncodeShort(std::string_view piece, std::vector<TokenId>* ids) const;
  void EncodeLong(std::string_view piece, BpeScratch* scratch, std::vector<TokenId>* ids) const;

  Vocabulary vocabulary_;
  MergeTable merges_;
  bool ignore_merges_;
  std::array<TokenId, 256> byte_ids_;
  CharMerges char_merges_;
  std::vector<std::uint32_t> low_pair_ranks_;  // [left * 256 + right] of ids below 256: usually the single bytes
};

}  // namespace tamis
