// StepBuilder: turns the units chosen for a step into the backend's segments, each shared beginning once.
//
// A prefix has up to two levels: what every query with this instruction begins with, and the query. Both are looked up
// in the cache, joined with the same beginnings of other jobs in the step, and kept for later steps where it pays.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "engine/prefix_cache.h"
#include "engine/scheduler.h"

namespace tamis {

class StepBuilder {
 public:
  // `cache` may be null: nothing is kept across steps.
  StepBuilder(PrefixCache* cache, bool share_prefixes) : cache_(cache), share_(share_prefixes) {}

  // Adds a unit; `reused_later` says that more units with its prefix will follow in later steps. Returns the rows that
  // it adds to the step, those of a prefix that has to be computed included. The job must outlive the step.
  std::size_t Add(const Job& job, const JobUnit& unit, bool reused_later);

  std::span<const Segment> segments() const { return segments_; }
  // The segment of the i-th added unit.
  std::size_t unit_segment(std::size_t i) const { return unit_segments_[i]; }
  // Puts what was kept into the cache.
  void Keep(std::span<const SegmentResult> results);

 private:
  struct Beginning {
    int segment = -1;
    std::shared_ptr<const PrefixState> state;
  };

  Beginning Begin(std::span<const TokenId> ids, std::size_t shared_tokens, bool keep, std::size_t* rows);
  Beginning Level(std::span<const TokenId> all_ids, std::size_t begin, const Beginning& before, bool keep, std::size_t* rows);

  PrefixCache* cache_;
  bool share_;
  std::vector<Segment> segments_;
  std::vector<std::size_t> unit_segments_;
  std::deque<std::vector<TokenId>> whole_prompts_;        // without sharing; a deque, so that spans stay valid
  std::map<std::vector<TokenId>, Beginning> beginnings_;  // by the ids from the start of the prompt
  std::vector<std::pair<std::size_t, std::vector<TokenId>>> kept_;
};

}  // namespace tamis
