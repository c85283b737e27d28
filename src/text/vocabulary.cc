// Open addressing with a 32-bit tag of the hash in each slot: a look-up touches the pool only for its own token.
#include "text/vocabulary.h"

#include <bit>

#include "text/byte_hash.h"

namespace tamis {
namespace {

std::uint32_t Tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

void Vocabulary::Reserve(std::size_t entries, std::size_t bytes) {
  pool_.reserve(bytes);
  spans_.reserve(entries);
  Rehash(std::bit_ceil(entries * 2 + 16));
}

void Vocabulary::Rehash(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id == kNoToken) continue;
    const std::string_view bytes = Bytes(slot.id);
    slots_[FindSlot(bytes, HashBytes(bytes))] = slot;
  }
}

// The slot that holds `bytes`, or the empty one where it belongs.
std::size_t Vocabulary::FindSlot(std::string_view bytes, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != kNoToken && !(slots_[at].tag == Tag(hash) && Bytes(slots_[at].id) == bytes)) {
    at = (at + 1) & mask;
  }
  return at;
}

Vocabulary::Added Vocabulary::Add(TokenId id, std::string_view bytes) {
  if (Has(id)) return Added::kDuplicateId;
  if (slots_.size() < (count_ + 1) * 3 / 2 + 1) Rehash(std::bit_ceil((count_ + 8) * 2));
  const std::uint64_t hash = HashBytes(bytes);
  Slot& slot = slots_[FindSlot(bytes, hash)];
  if (slot.id != kNoToken) return Added::kDuplicateToken;
  slot = {Tag(hash), id};
  const auto index = static_cast<std::size_t>(id);
  if (index >= spans_.size()) spans_.resize(index + 1);
  spans_[index] = {static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(bytes.size())};
  pool_.append(bytes);
  ++count_;
  return Added::kOk;
}

TokenId Vocabulary::Find(std::string_view bytes) const {
  if (slots_.empty()) return kNoToken;
  return slots_[FindSlot(bytes, HashBytes(bytes))].id;
}

std::string_view Vocabulary::Bytes(TokenId id) const {
  if (!Has(id)) return {};
  const Span span = spans_[static_cast<std::size_t>(id)];
  return std::string_view(pool_).substr(span.begin, span.size);
}

bool Vocabulary::Has(TokenId id) const {
  return id >= 0 && static_cast<std::size_t>(id) < spans_.size() &&
         spans_[static_cast<std::size_t>(id)].begin != kUnused;
}

}  // namespace tamis
