// PieceCache: the ids of pieces seen before, because most of a text is words seen before.
//
// Direct-mapped, of fixed size, for pieces of up to 15 bytes that become at most 3 tokens: an entry is half a cache
// line, and one comparison of 16 bytes decides. Not thread-safe: each thread that encodes has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/byte_hash.h"
#include "text/token_id.h"

namespace tamis {

class PieceCache {
 public:
  static constexpr std::size_t kPieceBytesMax = 15;
  static constexpr std::size_t kIdsMax = 3;

  struct Entry {
    std::uint64_t low = 0, high = 0;  // the piece's bytes; the top byte of `high` is their number
    TokenId ids[kIdsMax] = {};
    std::uint32_t count = 0;
  };
  static_assert(sizeof(Entry) == 32);

  PieceCache() : entries_(kEntries) {}

  // The entry where a piece is or would be, with its key filled in by Set(). REQUIRES: 0 < size <= kPieceBytesMax.
  struct Key {
    std::uint64_t low, high;
  };
  static Key KeyOf(const char* p, std::size_t size) {
    const std::uint64_t tag = static_cast<std::uint64_t>(size) << 56;
    if (size <= 8) return {LoadUpTo8(p, size), tag};
    std::uint64_t last;
    std::memcpy(&last, p + size - 8, 8);
    return {LoadUpTo8(p, 8), last >> 8 * (16 - size) | tag};
  }
  Entry& Slot(Key key) { return entries_[MixHash(key.low, key.high) >> 16 & (kEntries - 1)]; }

 private:
  static constexpr std::size_t kEntries = 1 << 15;  // 1 MiB: the words of a language fit, and so does the L2 cache

  std::vector<Entry> entries_;
};

}  // namespace tamis
