#include "backend/cpu/step_plan.h"

#include <fmt/core.h>

#include <algorithm>

namespace tamis::cpu {
namespace {

Status CheckSegment(std::span<const Segment> segments, std::size_t i, const StepLimits& limits) {
  const Segment& segment = segments[i];
  if (segment.ids.empty()) return InvalidArgument(fmt::format("segment {} has no tokens", i));
  if (segment.parent >= static_cast<int>(i)) {
    return InvalidArgument(fmt::format("segment {} names parent {}, which does not come before it", i, segment.parent));
  }
  if (segment.parent >= 0 && segment.prefix) {
    return InvalidArgument(fmt::format("segment {} has both a parent and a prefix", i));
  }
  for (TokenId id : segment.ids) {
    if (id < 0 || id >= limits.vocab_size) {
      return InvalidArgument(fmt::format("token id {} is outside the model's vocabulary of {}", id, limits.vocab_size));
    }
  }
  return OkStatus();
}

Result<std::shared_ptr<const CpuPrefixState>> OwnState(const std::shared_ptr<const PrefixState>& prefix,
                                                       const StepLimits& limits) {
  auto state = std::dynamic_pointer_cast<const CpuPrefixState>(prefix);
  if (!state || state->owner() != limits.owner) {
    return InvalidArgument("a kept prefix was given to a backend that did not make it");
  }
  return state;
}

}  // namespace

Result<StepPlan> PlanStep(std::span<const Segment> segments, const PageShape& shape, const StepLimits& limits) {
  StepPlan plan;
  plan.segments.reserve(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    TAMIS_RETURN_IF_ERROR(CheckSegment(segments, i, limits));
    const Segment& segment = segments[i];
    PlannedSegment planned;
    planned.ids = segment.ids;
    planned.parent = segment.parent;
    planned.score = segment.score;
    planned.row_begin = plan.rows;
    std::shared_ptr<const CpuPrefixState> before;
    if (segment.prefix) {
      TAMIS_ASSIGN_OR_RETURN(planned.base, OwnState(segment.prefix, limits));
      planned.begin = static_cast<int>(planned.base->tokens());
      before = planned.base;
    } else if (segment.parent >= 0) {
      const PlannedSegment& parent = plan.segments[static_cast<std::size_t>(segment.parent)];
      planned.begin = parent.end;
      before = parent.state;
    }
    if (segment.ids.size() > static_cast<std::size_t>(limits.max_positions - planned.begin)) {
      return InvalidArgument(fmt::format("a prompt of {} tokens exceeds the model's limit of {}",
                                         static_cast<std::size_t>(planned.begin) + segment.ids.size(),
                                         limits.max_positions));
    }
    planned.end = planned.begin + static_cast<int>(segment.ids.size());
    if (segment.keep) {
      if (planned.begin > 0 && !before) {
        return InvalidArgument(fmt::format("segment {} is to be kept but its parent is not", i));
      }
      planned.state = std::make_shared<CpuPrefixState>(shape, before, planned.begin, planned.end, limits.owner);
    } else {
      planned.arena_page = plan.arena_pages;
      plan.arena_pages += static_cast<std::size_t>(planned.page_end() - planned.first_page());
    }
    if (segment.score) plan.scored.push_back(static_cast<int>(i));
    plan.rows += segment.ids.size();
    plan.positions = std::max(plan.positions, planned.end);
    plan.segments.push_back(std::move(planned));
  }
  return plan;
}

void PageTable::Build(const StepPlan& plan, const PageShape& shape, int layer, PageArena& arena) {
  const std::size_t count = plan.segments.size();
  begin_.resize(count);
  stride_.resize(count);
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begin_[i] = total;
    stride_[i] = static_cast<std::size_t>(plan.segments[i].page_end());
    total += stride_[i] * static_cast<std::size_t>(shape.kv_heads);
  }
  entries_.resize(total);
  for (std::size_t i = 0; i < count; ++i) {
    const PlannedSegment& segment = plan.segments[i];
    for (int head = 0; head < shape.kv_heads; ++head) {
      void** out = entries_.data() + begin_[i] + static_cast<std::size_t>(head) * stride_[i];
      for (int page = 0; page < segment.first_page(); ++page) {  // what comes before is the parent's or the base's
        out[page] = segment.parent >= 0 ? const_cast<void*>(pages(segment.parent, head)[page])
                                        : static_cast<void*>(segment.base->Page(layer, page, head));
      }
      for (int page = segment.first_page(); page < segment.page_end(); ++page) {
        const std::size_t own = segment.arena_page + static_cast<std::size_t>(page - segment.first_page());
        out[page] = segment.state ? segment.state->Page(layer, page, head) : arena.Page(shape, own, head);
      }
    }
  }
}

}  // namespace tamis::cpu
