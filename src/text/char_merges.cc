// Reading the borders off the merge table.
#include "text/char_merges.h"

#include <algorithm>

namespace tamis {
namespace {

bool IsLead(char c) { return (static_cast<unsigned char>(c) & 0xF0) == 0xE0; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
std::size_t Low(char c, unsigned bits) { return static_cast<unsigned char>(c) & ((1u << bits) - 1); }

// True if each token is made by at most one merge, after those that made its parts.
bool InLearnedOrder(const Vocabulary& vocabulary, const MergeTable& merges) {
  std::vector<std::uint32_t> made_at(static_cast<std::size_t>(vocabulary.end_id()), MergeTable::kNone);
  for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
    std::uint32_t& made = made_at[static_cast<std::size_t>(merges.Merged(rank))];
    if (made != MergeTable::kNone) return false;
    made = rank;
  }
  bool ordered = true;
  merges.ForEach([&](TokenId left, TokenId right, std::uint32_t rank) {
    for (const TokenId part : {left, right}) {
      const std::uint32_t made = made_at[static_cast<std::size_t>(part)];
      // A token of several bytes that nothing makes never comes up, so that its merges never do either.
      if (made != MergeTable::kNone && made >= rank) ordered = false;
    }
  });
  return ordered;
}

// The rank of the merge that completes the character by itself, or kNone if its bytes do not become token `id`.
std::uint32_t LastRank(const Vocabulary& vocabulary, const MergeTable& merges, TokenId id) {
  const std::string_view bytes = vocabulary.Bytes(id);
  const TokenId first = vocabulary.Find(bytes.substr(0, 1)), second = vocabulary.Find(bytes.substr(1, 1)),
                third = vocabulary.Find(bytes.substr(2, 1));
  const std::uint32_t front = merges.Rank(first, second), back = merges.Rank(second, third);
  if (front == MergeTable::kNone && back == MergeTable::kNone) return MergeTable::kNone;
  const std::uint32_t last =
      front <= back ? merges.Rank(merges.Merged(front), third) : merges.Rank(first, merges.Merged(back));
  return last != MergeTable::kNone && merges.Merged(last) == id ? last : MergeTable::kNone;
}

}  // namespace

// The lowest rank of a merge that joins a part of a character to its neighbour, by the part and the neighbour's byte.
class CharMerges::Borders {
 public:
  Borders(const Vocabulary& vocabulary, const MergeTable& merges)
      : end_1_(64 * 16, MergeTable::kNone),
        end_2_(4096 * 16, MergeTable::kNone),
        start_1_(16 * 64, MergeTable::kNone),
        start_2_(1024 * 64, MergeTable::kNone) {
    merges.ForEach([&](TokenId left_id, TokenId right_id, std::uint32_t rank) {
      const std::string_view left = vocabulary.Bytes(left_id), right = vocabulary.Bytes(right_id);
      if (IsLead(right[0]) && left.size() <= 2 && std::all_of(left.begin(), left.end(), IsContinuation)) {
        std::uint32_t& lowest = End(left, right[0]);
        lowest = std::min(lowest, rank);
      }
      if (IsContinuation(left.back()) && IsLead(right[0]) &&
          (right.size() == 1 || (right.size() == 2 && IsContinuation(right[1])))) {
        std::uint32_t& lowest = Start(right, left.back());
        lowest = std::min(lowest, rank);
      }
    });
  }

  // `part`: the last one or two bytes of a character; `next`: the first byte of the following one.
  std::uint32_t& End(std::string_view part, char next) {
    if (part.size() == 1) return end_1_[Low(part[0], 6) * 16 + Low(next, 4)];
    return end_2_[(Low(part[0], 6) * 64 + Low(part[1], 6)) * 16 + Low(next, 4)];
  }
  // `part`: the first one or two bytes of a character; `previous`: the last byte of the preceding one.
  std::uint32_t& Start(std::string_view part, char previous) {
    if (part.size() == 1) return start_1_[Low(part[0], 4) * 64 + Low(previous, 6)];
    return start_2_[(Low(part[0], 4) * 64 + Low(part[1], 6)) * 64 + Low(previous, 6)];
  }

 private:
  std::vector<std::uint32_t> end_1_, end_2_, start_1_, start_2_;
};

CharMerges::CharMerges(const Vocabulary& vocabulary, const MergeTable& merges) : entries_(64) {
  if (!InLearnedOrder(vocabulary, merges)) return;
  Borders borders(vocabulary, merges);
  for (TokenId id = 0; id < vocabulary.end_id(); ++id) {
    const std::string_view bytes = vocabulary.Bytes(id);
    if (bytes.size() != 3 || !IsLead(bytes[0]) || !IsContinuation(bytes[1]) || !IsContinuation(bytes[2])) continue;
    if (const std::uint32_t rank = LastRank(vocabulary, merges, id); rank != MergeTable::kNone) {
      AddCharacter(id, bytes, rank, borders);
    }
  }
}

void CharMerges::AddCharacter(TokenId id, std::string_view bytes, std::uint32_t last_rank, Borders& borders) {
  Entry entry;
  entry.id = id;
  for (unsigned b = 0; b < 16; ++b) {
    const char next = static_cast<char>(0xE0 + b);
    const std::uint32_t across = std::min(borders.End(bytes.substr(1), next), borders.End(bytes.substr(2), next));
    if (across < last_rank) entry.unsafe_after |= static_cast<std::uint16_t>(1u << b);
  }
  for (unsigned b = 0; b < 64; ++b) {
    const char previous = static_cast<char>(0x80 + b);
    const std::uint32_t across =
        std::min(borders.Start(bytes.substr(0, 1), previous), borders.Start(bytes.substr(0, 2), previous));
    if (across < last_rank) entry.unsafe_before |= std::uint64_t{1} << b;
  }
  std::uint16_t& page = pages_[Low(bytes[0], 4) * 64 + Low(bytes[1], 6)];
  if (page == 0) {
    page = static_cast<std::uint16_t>(entries_.size() / 64);
    entries_.resize(entries_.size() + 64);
  }
  entries_[page * std::size_t{64} + Low(bytes[2], 6)] = entry;
}

}  // namespace tamis
