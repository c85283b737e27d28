// StepBuilder: turns the units chosen for a step into the backend's segments, each shared beginning once.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "engine/prefix_cache.h"

namespace tamis {

class StepBuilder {
 public:
  // States that are computed go to `cache`, where it wants them.
  explicit StepBuilder(PrefixCache* cache) : cache_(*cache) {}

  // Adds a unit that continues `prefix` (or starts the prompt, if null). Returns the rows that it adds to the step,
  // those of prefixes that have to be computed included. `ids` and the prefix must outlive the step.
  std::size_t Add(SharedPrefix* prefix, std::span<const TokenId> ids);

  std::span<const Segment> segments() const { return segments_; }
  // The segment of the i-th added unit.
  std::size_t unit_segment(std::size_t i) const { return unit_segments_[i]; }
  // Hands the computed states to the cache. `results`: of segments().
  void Store(std::span<const SegmentResult> results);

  // Prefixes of this step that were at hand, and those that were not.
  int reused() const { return reused_; }
  int computed() const { return static_cast<int>(computed_.size()); }

 private:
  // The segment that computes `prefix` in this step, or -1 if its state is at hand.
  int Place(SharedPrefix* prefix, std::size_t* rows);
  void Append(SharedPrefix* before, int parent, Segment segment);

  PrefixCache& cache_;
  std::vector<Segment> segments_;
  std::vector<std::size_t> unit_segments_;
  std::map<SharedPrefix*, int> placed_;
  std::vector<std::pair<SharedPrefix*, std::size_t>> computed_;
  int reused_ = 0;
};

}  // namespace tamis
