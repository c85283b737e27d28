#include "engine/prefix_cache.h"

namespace tamis {
namespace {

std::string KeyOf(std::span<const TokenId> ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()};
}

std::size_t EntryBytes(const std::string& key, const PrefixState& state) { return key.size() + state.bytes(); }

}  // namespace

std::shared_ptr<const PrefixState> PrefixCache::Find(std::span<const TokenId> ids) {
  const auto found = index_.find(KeyOf(ids));
  if (found == index_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->state;
}

bool PrefixCache::Contains(std::span<const TokenId> ids) const { return index_.count(KeyOf(ids)) > 0; }

void PrefixCache::Insert(std::span<const TokenId> ids, std::shared_ptr<const PrefixState> state) {
  std::string key = KeyOf(ids);
  const std::size_t bytes = EntryBytes(key, *state);
  if (bytes > bytes_max_ || index_.count(key) > 0) return;
  while (bytes_ + bytes > bytes_max_) {
    const Entry& last = entries_.back();
    bytes_ -= EntryBytes(last.key, *last.state);
    index_.erase(last.key);
    entries_.pop_back();
  }
  bytes_ += bytes;
  entries_.push_front({key, std::move(state)});
  index_.emplace(std::move(key), entries_.begin());
}

}  // namespace tamis
