// MergeTable: which neighbouring tokens join, in which order of preference, and into what.
//
// A look-up is the innermost operation of tokenising, so a slot is one 64-bit word (left id, right id, rank: 21 + 21 +
// 22 bits) and probing is linear: nearly every look-up touches one cache line. What a merge gives is in a second array,
// read only when the merge is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/token_id.h"

namespace tamis {

class MergeTable {
 public:
  static constexpr std::uint32_t kNone = (1u << 22) - 1;  // a rank that no merge has
  static constexpr std::size_t kMergesMax = kNone;
  static constexpr TokenId kTokensMax = (1 << 21) - 1;  // ids are below it: the all-ones slot means empty

  // Makes room for `merges`, so that adding as many moves nothing. REQUIRES: merges <= kMergesMax.
  void Reserve(std::size_t merges);

  // Adds the next rank. A pair that is there already keeps its place and its first rank: later ones are never used.
  // REQUIRES: ids in [0, kTokensMax), size() < kMergesMax.
  void Add(TokenId left, TokenId right, TokenId merged);

  std::size_t size() const { return merged_.size(); }

  // The rank of the pair, or kNone. REQUIRES: Reserve() or Add() was called.
  std::uint32_t Rank(TokenId left, TokenId right) const {
    const std::uint64_t key = Key(left, right);
    for (std::size_t at = Home(key);; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_[at];
      if (slot >> 22 == key) return static_cast<std::uint32_t>(slot & kNone);
      if (slot == kEmpty) return kNone;
    }
  }
  TokenId Merged(std::uint32_t rank) const { return merged_[rank]; }

  // Calls merge(left, right, rank) for each pair, in no particular order.
  template <typename Function>
  void ForEach(Function&& merge) const {
    constexpr std::uint64_t kIdMask = (1u << 21) - 1;
    for (const std::uint64_t slot : slots_) {
      if (slot == kEmpty) continue;
      merge(static_cast<TokenId>(slot >> 43), static_cast<TokenId>(slot >> 22 & kIdMask),
            static_cast<std::uint32_t>(slot & kNone));
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  static std::uint64_t Key(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(left) << 21 | static_cast<std::uint64_t>(right);
  }
  std::size_t Home(std::uint64_t key) const { return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> shift_); }

  void Rehash(std::size_t slots);
  std::size_t FindSlot(std::uint64_t key) const;

  std::vector<std::uint64_t> slots_;
  std::vector<TokenId> merged_;  // by rank
  std::size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace tamis
