// CharMerges: characters of three bytes (Chinese, Japanese, Korean, Thai, ...) that may enter merging as one symbol.
//
// Byte-level merging first puts a character's own bytes together, which for Chinese is most of the work. It can be
// skipped where it provably gives the same result: where nothing could have joined one of the character's bytes to a
// neighbour first. With merges in the order in which they were learned (each after those that made its two tokens) the
// merges of a text happen in rising order of rank, and the proof for a character is one comparison for each neighbour:
// every merge across that border that involves only a part of the character ranks after the character's own last merge.
// What those merges are is worked out once from the table, for each first byte of a following character and each last
// byte of a preceding one. Where merges are in another order, no character qualifies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/merge_table.h"
#include "text/token_id.h"
#include "text/vocabulary.h"

namespace tamis {

class CharMerges {
 public:
  CharMerges(const Vocabulary& vocabulary, const MergeTable& merges);

  // The token of the character of three bytes at `p` if it may enter as one symbol, else kNoToken.
  // REQUIRES: [begin, end) is UTF-8; a character whose first byte is E0 to EF stands at p.
  TokenId WholeAt(const char* begin, const char* p, const char* end) const {
    const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
    const Entry& entry = entries_[pages_[(byte(0) & 15u) * 64 + (byte(1) & 63u)] * 64u + (byte(2) & 63u)];
    if (entry.id == kNoToken) return kNoToken;
    if (p != begin && ((byte(-1) & 0xC0) != 0x80 || (entry.unsafe_before >> (byte(-1) & 63) & 1) != 0)) return kNoToken;
    if (p + 3 != end && ((byte(3) & 0xF0) != 0xE0 || (entry.unsafe_after >> (byte(3) & 15) & 1) != 0)) return kNoToken;
    return entry.id;
  }

 private:
  struct Entry {
    TokenId id = kNoToken;
    std::uint16_t unsafe_after = 0;  // bit b: a character that starts with E0 + b must not follow
    std::uint64_t unsafe_before = 0;  // bit b: a character that ends with 80 + b must not precede
  };
  class Borders;

  void AddCharacter(TokenId id, std::string_view bytes, std::uint32_t last_rank, Borders& borders);

  std::array<std::uint16_t, 1024> pages_ = {};  // of a character's first two bytes; page 0 is empty
  std::vector<Entry> entries_;  // 64 a page, by the third byte
};

}  // namespace tamis
