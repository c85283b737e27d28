#include "engine/prefix_cache.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace tamis {

bool PrefixCache::Key::operator==(const Key& other) const {
  return parent == other.parent && std::ranges::equal(ids, other.ids);
}

std::size_t PrefixCache::KeyHash::operator()(const Key& key) const {
  const std::string_view bytes(reinterpret_cast<const char*>(key.ids.data()), key.ids.size_bytes());
  return std::hash<std::string_view>()(bytes) ^ (std::hash<const void*>()(key.parent) << 1);
}

std::shared_ptr<SharedPrefix> PrefixCache::Get(const std::shared_ptr<SharedPrefix>& parent,
                                               std::span<const TokenId> ids) {
  TAMIS_CHECK(!ids.empty());
  std::shared_ptr<SharedPrefix> result;
  if (const auto found = index_.find({parent.get(), ids}); found != index_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second);
    result = by_use_.front();
  } else {
    result = std::make_shared<SharedPrefix>();
    result->parent = parent;
    result->ids.assign(ids.begin(), ids.end());
    result->tokens_before = parent ? parent->tokens_before + parent->ids.size() : 0;
    if (free_slots_.empty()) free_slots_.push_back(slots_++);
    result->slot = free_slots_.back();
    free_slots_.pop_back();
    by_use_.push_front(result);
    index_.emplace(Key{parent.get(), result->ids}, by_use_.begin());
  }
  if (parent) by_use_.splice(by_use_.begin(), by_use_, index_.at({parent->parent.get(), parent->ids}));
  return result;
}

void PrefixCache::SetState(SharedPrefix* prefix, std::shared_ptr<const PrefixState> state) {
  TAMIS_CHECK(prefix->state == nullptr && state != nullptr);
  bytes_ += state->bytes();
  prefix->state = std::move(state);
}

void PrefixCache::Trim() {
  for (auto it = by_use_.end(); it != by_use_.begin();) {
    --it;
    SharedPrefix& prefix = **it;
    if (it->use_count() > 1 || (prefix.state && prefix.keep_unused && bytes_ <= bytes_max_)) continue;
    if (prefix.state) bytes_ -= prefix.state->bytes();
    index_.erase({prefix.parent.get(), prefix.ids});
    free_slots_.push_back(prefix.slot);
    it = by_use_.erase(it);
  }
}

}  // namespace tamis
