#include "engine/step_builder.h"

#include <utility>

namespace tamis {

void StepBuilder::Append(SharedPrefix* before, int parent, Segment segment) {
  segment.parent = parent;
  if (before != nullptr && parent < 0) segment.prefix = before->state;
  segments_.push_back(std::move(segment));
}

int StepBuilder::Place(SharedPrefix* prefix, std::size_t* rows) {
  const auto [at, added] = placed_.emplace(prefix, -1);
  if (!added) return at->second;
  if (prefix->state) {
    ++reused_;
    return -1;
  }
  SharedPrefix* before = prefix->parent.get();
  const int parent = before != nullptr ? Place(before, rows) : -1;
  Segment segment;
  segment.ids = prefix->ids;
  segment.keep = cache_.WantsState(*prefix);
  *rows += prefix->ids.size();
  const int index = static_cast<int>(segments_.size());
  computed_.emplace_back(prefix, segments_.size());
  Append(before, parent, std::move(segment));
  at->second = index;  // of a map: what Place(before) added has not moved it
  return index;
}

std::size_t StepBuilder::Add(SharedPrefix* prefix, std::span<const TokenId> ids) {
  std::size_t rows = ids.size();
  const int parent = prefix != nullptr ? Place(prefix, &rows) : -1;
  Segment segment;
  segment.ids = ids;
  segment.score = true;
  unit_segments_.push_back(segments_.size());
  Append(prefix, parent, std::move(segment));
  return rows;
}

void StepBuilder::Store(std::span<const SegmentResult> results) {
  for (const auto& [prefix, segment] : computed_) {
    if (results[segment].state) cache_.SetState(prefix, results[segment].state);
  }
}

}  // namespace tamis
