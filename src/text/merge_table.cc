// Building the table.
#include "text/merge_table.h"

#include <bit>

namespace tamis {

void MergeTable::Reserve(std::size_t merges) {
  merged_.reserve(merges);
  Rehash(std::bit_ceil(merges * 2 + 16));
}

void MergeTable::Rehash(std::size_t slots) {
  std::vector<std::uint64_t> old(slots, kEmpty);
  old.swap(slots_);
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
  for (const std::uint64_t slot : old) {
    if (slot != kEmpty) slots_[FindSlot(slot >> 22)] = slot;
  }
}

std::size_t MergeTable::FindSlot(std::uint64_t key) const {
  std::size_t at = Home(key);
  while (slots_[at] != kEmpty && slots_[at] >> 22 != key) at = (at + 1) & mask_;
  return at;
}

void MergeTable::Add(TokenId left, TokenId right, TokenId merged) {
  if (slots_.size() < merged_.size() * 2 + 16) Rehash(std::bit_ceil(merged_.size() * 4 + 16));
  const std::uint64_t key = Key(left, right);
  std::uint64_t& slot = slots_[FindSlot(key)];
  if (slot == kEmpty) slot = key << 22 | merged_.size();
  merged_.push_back(merged);
}

}  // namespace tamis
