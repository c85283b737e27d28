// PrefixCache: keys and values of prompt beginnings, kept across steps and requests; least recently used goes first.
//
// Entries are found by their exact ids, not by a hash alone. Not thread-safe: the scheduler's thread owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "backend/backend.h"

namespace tamis {

class PrefixCache {
 public:
  explicit PrefixCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Null if it is not there.
  std::shared_ptr<const PrefixState> Find(std::span<const TokenId> ids);
  bool Contains(std::span<const TokenId> ids) const;
  // Drops older entries until the new one fits; one that could never fit is not kept.
  void Insert(std::span<const TokenId> ids, std::shared_ptr<const PrefixState> state);

  std::size_t bytes() const { return bytes_; }
  std::int64_t hits() const { return hits_; }
  std::int64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const PrefixState> state;
  };

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> index_;
};

}  // namespace tamis
