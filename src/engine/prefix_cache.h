// PrefixCache: the beginnings that prompts share, and their keys and values once computed.
//
// A beginning is a chain of up to two prefixes: what every query with an instruction starts with, then the query. Each
// is found by its parent and its exact ids, never by a hash alone, so that jobs with the same query share one. A prefix
// stays as long as a job uses it; what nobody uses is kept up to `bytes_max`, the least recently used going first.
// Not thread-safe: the scheduler's thread owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"

namespace tamis {

struct SharedPrefix {
  std::shared_ptr<SharedPrefix> parent;
  std::vector<TokenId> ids;  // own, after the parent's
  std::size_t tokens_before = 0;  // the parents'
  std::shared_ptr<const PrefixState> state;  // null until computed; set by the cache only
  std::int64_t waiting_units = 0;  // that continue it or its children; the scheduler counts them
  bool keep_unused = false;  // worth keeping when no unit waits for it
  int slot = -1;  // its own number below PrefixCache::slots() while it is in the cache
};

class PrefixCache {
 public:
  explicit PrefixCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // The prefix of `ids` after `parent` (or null), with or without its state. REQUIRES: !ids.empty().
  std::shared_ptr<SharedPrefix> Get(const std::shared_ptr<SharedPrefix>& parent, std::span<const TokenId> ids);

  // Whether the state is to be kept when it is computed: units wait for it, or it may serve a later job.
  bool WantsState(const SharedPrefix& prefix) const {
    return prefix.waiting_units > 0 || (prefix.keep_unused && bytes_max_ > 0);
  }
  void SetState(SharedPrefix* prefix, std::shared_ptr<const PrefixState> state);

  // Drops what nobody uses: prefixes without state, and states beyond bytes_max.
  void Trim();

  // Calls visit(SharedPrefix&) for each.
  template <class Visit>
  void ForEach(const Visit& visit) {
    for (const auto& prefix : by_use_) visit(*prefix);
  }

  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return by_use_.size(); }
  int slots() const { return slots_; }

 private:
  struct Key {
    const SharedPrefix* parent;  // lives as long as its children do
    std::span<const TokenId> ids;  // of the entry itself
    bool operator==(const Key& other) const;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using ByUse = std::list<std::shared_ptr<SharedPrefix>>;

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  int slots_ = 0;
  std::vector<int> free_slots_;
  ByUse by_use_;  // most recently used first; parents before their children
  std::unordered_map<Key, ByUse::iterator, KeyHash> index_;
};

}  // namespace tamis
