// What one step computes: the segments with their positions, rows and pages, checked and laid out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kv_pages.h"

namespace tamis::cpu {

struct PlannedSegment {
  std::span<const TokenId> ids;
  int begin = 0;   // position of the first own token
  int end = 0;     // one past the last
  std::size_t row_begin = 0;  // first row of the step that is its own
  int parent = -1;
  std::shared_ptr<const CpuPrefixState> base;  // what it continues, if not a segment of this step
  std::shared_ptr<CpuPrefixState> state;       // kept segments write their pages here
  std::size_t arena_page = 0;                  // else: first page in the step's arena
  bool score = false;

  int first_page() const { return begin / kPagePositions; }
  int page_end() const { return (end + kPagePositions - 1) / kPagePositions; }
};

struct StepLimits {
  int max_positions = 0;
  int vocab_size = 0;
  std::uint64_t owner = 0;  // prefix states must come from this backend
};

struct StepPlan {
  std::vector<PlannedSegment> segments;
  std::vector<int> scored;  // segments with `score`, in order
  std::size_t rows = 0;
  std::size_t arena_pages = 0;
  int positions = 0;  // the longest prompt
};

// Errors: InvalidArgument for an empty segment, an id out of the vocabulary, a bad parent, a prefix of another backend,
// or a prompt longer than max_positions.
Result<StepPlan> PlanStep(std::span<const Segment> segments, const PageShape& shape, const StepLimits& limits);

// For one layer, the pages of every segment: pages(segment, kv_head) has one pointer for each page from position 0 on.
class PageTable {
 public:
  void Build(const StepPlan& plan, const PageShape& shape, int layer, PageArena& arena);
  void* const* pages(int segment, int kv_head) const {
    return entries_.data() + begin_[static_cast<std::size_t>(segment)] +
           static_cast<std::size_t>(kv_head) * stride_[static_cast<std::size_t>(segment)];
  }

 private:
  std::vector<void*> entries_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> stride_;
};

}  // namespace tamis::cpu
