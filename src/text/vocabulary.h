// Vocabulary: token bytes <-> ids, in three flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/token_id.h"

namespace tamis {

inline constexpr TokenId kNoToken = -1;

class Vocabulary {
 public:
  // Makes room for about `entries` tokens with `bytes` bytes together.
  void Reserve(std::size_t entries, std::size_t bytes);

  enum class Added { kOk, kDuplicateId, kDuplicateToken };
  // REQUIRES: 0 <= id. The caller bounds id: memory grows with the largest.
  Added Add(TokenId id, std::string_view bytes);

  // kNoToken if there is none.
  TokenId Find(std::string_view bytes) const;

  // The token's bytes; empty for an id that no token has.
  std::string_view Bytes(TokenId id) const;
  bool Has(TokenId id) const;

  std::size_t count() const { return count_; }
  // One more than the largest id.
  TokenId end_id() const { return static_cast<TokenId>(spans_.size()); }

 private:
  static constexpr std::uint32_t kUnused = 0xFFFFFFFF;
  struct Span {
    std::uint32_t begin = kUnused;
    std::uint32_t size = 0;
  };
  struct Slot {
    std::uint32_t tag = 0;
    TokenId id = kNoToken;
  };

  void Rehash(std::size_t slots);
  std::size_t FindSlot(std::string_view bytes, std::uint64_t hash) const;

  std::string pool_;
  std::vector<Span> spans_;  // by id
  std::vector<Slot> slots_;  // open addressing; the size is a power of two
  std::size_t count_ = 0;
};

}  // namespace tamis
