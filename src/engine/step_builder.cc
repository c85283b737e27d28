#include "engine/step_builder.h"

#include <utility>

namespace tamis {

StepBuilder::Beginning StepBuilder::Level(std::span<const TokenId> all_ids, std::size_t begin, const Beginning& before,
                                          bool keep, std::size_t* rows) {
  std::vector<TokenId> key(all_ids.begin(), all_ids.end());
  if (const auto found = beginnings_.find(key); found != beginnings_.end()) return found->second;
  Beginning result;
  if (cache_ != nullptr) result.state = cache_->Find(all_ids);
  if (!result.state) {
    Segment segment;
    segment.parent = before.segment;
    segment.prefix = before.state;
    segment.ids = all_ids.subspan(begin);
    // A kept segment needs a kept parent; the first level is kept whenever anything is.
    segment.keep = keep && cache_ != nullptr;
    result.segment = static_cast<int>(segments_.size());
    segments_.push_back(segment);
    *rows += segment.ids.size();
    if (segment.keep) kept_.emplace_back(segments_.size() - 1, key);
  }
  beginnings_.emplace(std::move(key), result);
  return result;
}

StepBuilder::Beginning StepBuilder::Begin(std::span<const TokenId> ids, std::size_t shared_tokens, bool keep,
                                          std::size_t* rows) {
  if (ids.empty()) return {};
  // A query's own state at hand makes its first level needless.
  const std::vector<TokenId> key(ids.begin(), ids.end());
  const bool whole_at_hand = beginnings_.count(key) > 0 || (cache_ != nullptr && cache_->Contains(ids));
  Beginning first;
  std::size_t begin = 0;
  if (!whole_at_hand && shared_tokens > 0 && shared_tokens < ids.size()) {
    first = Level(ids.first(shared_tokens), 0, {}, true, rows);
    begin = shared_tokens;
  }
  return Level(ids, begin, first, keep, rows);
}

std::size_t StepBuilder::Add(const Job& job, const JobUnit& unit, bool reused_later) {
  std::size_t rows = unit.ids.size();
  Segment segment;
  segment.ids = unit.ids;
  segment.score = true;
  if (unit.prefix >= 0) {
    const JobPrefix& prefix = job.prefixes[static_cast<std::size_t>(unit.prefix)];
    if (share_) {
      const Beginning beginning = Begin(prefix.ids, prefix.shared_tokens, reused_later, &rows);
      segment.parent = beginning.segment;
      segment.prefix = beginning.state;
    } else {
      std::vector<TokenId> whole = prefix.ids;
      whole.insert(whole.end(), unit.ids.begin(), unit.ids.end());
      rows = whole.size();
      whole_prompts_.push_back(std::move(whole));
      segment.ids = whole_prompts_.back();
    }
  }
  unit_segments_.push_back(segments_.size());
  segments_.push_back(std::move(segment));
  return rows;
}

void StepBuilder::Keep(std::span<const SegmentResult> results) {
  for (const auto& [segment, ids] : kept_) {
    if (results[segment].state) cache_->Insert(ids, results[segment].state);
  }
}

}  // namespace tamis
