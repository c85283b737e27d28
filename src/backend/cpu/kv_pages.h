// Keys and values of prompts, in pages of 64 positions (kernels/kernels.h), and the prefixes kept across steps.
//
// A page belongs to one layer and one key/value head. Pages start at multiples of 64 whatever the prompt is cut into:
// a segment that starts inside a page gets a copy of the slots before it. So what a row sees, and in which blocks,
// depends on positions alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "base/aligned_buffer.h"
#include "tamis/options.h"

namespace tamis::cpu {

inline constexpr int kPagePositions = 64;

// The shape of a model's pages.
struct PageShape {
  int layers = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int head_dim_padded = 0;
  Precision precision = Precision::kInt8;
  std::size_t page_bytes = 0;

  std::size_t PositionPageBytes() const { return page_bytes * static_cast<std::size_t>(kv_heads); }
};

// Copies slots [begin, end) of a page: keys, values and (int8) their scales.
void CopySlots(const PageShape& shape, const void* from, void* to, int begin, int end);

// Zeroed memory for pages, addressed [page][kv_head].
class PageArena {
 public:
  // Makes room for `pages` pages of each head. Contents of earlier steps stay (finite) or new memory is zero.
  void EnsurePages(const PageShape& shape, std::size_t pages);
  std::byte* Page(const PageShape& shape, std::size_t page, int kv_head) {
    return memory_.data() + page * shape.PositionPageBytes() + static_cast<std::size_t>(kv_head) * shape.page_bytes;
  }
  // Gives memory back if far more is held than `pages` need (after a very long document).
  void Trim(const PageShape& shape, std::size_t pages);

 private:
  AlignedBuffer<std::byte> memory_;
};

// The kept keys and values of one segment, all layers; what came before it is its parent's.
class CpuPrefixState final : public PrefixState {
 public:
  // REQUIRES: begin is the parent's tokens() (0 without parent), end > begin.
  CpuPrefixState(const PageShape& shape, std::shared_ptr<const CpuPrefixState> parent, int begin, int end,
                 std::uint64_t owner);

  std::size_t tokens() const override { return static_cast<std::size_t>(end_); }
  std::size_t bytes() const override { return memory_.size(); }

  std::uint64_t owner() const { return owner_; }
  int first_page() const { return begin_ / kPagePositions; }

  // The page that holds position page * 64. REQUIRES: page < ceil(tokens / 64).
  std::byte* Page(int layer, int page, int kv_head) const;

 private:
  PageShape shape_;
  std::shared_ptr<const CpuPrefixState> parent_;
  int begin_;
  int end_;
  std::uint64_t owner_;
  // Written by the step that makes the state, read-only ever after.
  mutable AlignedBuffer<std::byte> memory_;
};

}  // namespace tamis::cpu
