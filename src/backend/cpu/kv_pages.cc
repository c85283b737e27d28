#include "backend/cpu/kv_pages.h"

#include <cstring>

#include "base/check.h"
#include "kernels/kernels.h"

namespace tamis::cpu {
namespace {

// Int8 panels interleave groups of 4 k values: [outer][64 columns][4].
constexpr int kGroup = kernels::kKeyGroup;

void CopySlotsS8(const PageShape& shape, const void* from, void* to, int begin, int end) {
  const kernels::PageS8 a = kernels::ViewPageS8(const_cast<void*>(from), shape.head_dim_padded);
  const kernels::PageS8 b = kernels::ViewPageS8(to, shape.head_dim_padded);
  const std::size_t count = static_cast<std::size_t>(end - begin);
  for (int d = 0; d < shape.head_dim_padded / kGroup; ++d) {
    const std::size_t offset = static_cast<std::size_t>(d) * kPagePositions * kGroup + begin * kGroup;
    std::memcpy(b.keys + offset, a.keys + offset, count * kGroup);
  }
  const std::size_t block_bytes = static_cast<std::size_t>(kPagePositions) * kPagePositions;
  for (int block = 0; block < shape.head_dim_padded / kPagePositions; ++block) {
    for (int slot = begin; slot < end; ++slot) {
      const std::size_t row = static_cast<std::size_t>(block) * block_bytes + (slot / kGroup) * kPagePositions * kGroup;
      if (slot % kGroup == 0 && slot + kGroup <= end) {
        std::memcpy(b.values + row, a.values + row, kPagePositions * kGroup);
        slot += kGroup - 1;
        continue;
      }
      for (int column = 0; column < kPagePositions; ++column) {
        b.values[row + column * kGroup + slot % kGroup] = a.values[row + column * kGroup + slot % kGroup];
      }
    }
  }
  std::memcpy(b.k_scale + begin, a.k_scale + begin, count * sizeof(float));
  std::memcpy(b.v_scale + begin, a.v_scale + begin, count * sizeof(float));
  std::memcpy(b.k_sum + begin, a.k_sum + begin, count * sizeof(std::int32_t));
}

void CopySlotsF32(const PageShape& shape, const void* from, void* to, int begin, int end) {
  const auto* a = static_cast<const float*>(from);
  auto* b = static_cast<float*>(to);
  const std::size_t count = static_cast<std::size_t>(end - begin);
  const std::size_t dim = static_cast<std::size_t>(shape.head_dim);
  for (std::size_t d = 0; d < dim; ++d) {
    std::memcpy(b + d * kPagePositions + begin, a + d * kPagePositions + begin, count * sizeof(float));
  }
  const std::size_t values = dim * kPagePositions + static_cast<std::size_t>(begin) * dim;
  std::memcpy(b + values, a + values, count * dim * sizeof(float));
}

}  // namespace

void CopySlots(const PageShape& shape, const void* from, void* to, int begin, int end) {
  if (shape.precision == Precision::kInt8) {
    CopySlotsS8(shape, from, to, begin, end);
  } else {
    CopySlotsF32(shape, from, to, begin, end);
  }
}

void PageArena::EnsurePages(const PageShape& shape, std::size_t pages) {
  const std::size_t bytes = pages * shape.PositionPageBytes();
  if (bytes <= memory_.size()) return;
  memory_.EnsureSize(bytes);
  std::memset(memory_.data(), 0, memory_.size());
}

void PageArena::Trim(const PageShape& shape, std::size_t pages) {
  if (memory_.size() > 2 * pages * shape.PositionPageBytes()) memory_ = {};
}

CpuPrefixState::CpuPrefixState(const PageShape& shape, std::shared_ptr<const CpuPrefixState> parent, int begin, int end,
                               std::uint64_t owner)
    : shape_(shape), parent_(std::move(parent)), begin_(begin), end_(end), owner_(owner) {
  TAMIS_CHECK(end > begin && begin == (parent_ ? parent_->end_ : 0));
  const int pages = (end + kPagePositions - 1) / kPagePositions - first_page();
  memory_ = AlignedBuffer<std::byte>(static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(pages) *
                                     shape.PositionPageBytes());
  std::memset(memory_.data(), 0, memory_.size());
}

std::byte* CpuPrefixState::Page(int layer, int page, int kv_head) const {
  if (page < first_page()) {
    TAMIS_DCHECK(parent_ != nullptr);
    return parent_->Page(layer, page, kv_head);
  }
  const std::size_t pages = static_cast<std::size_t>((end_ + kPagePositions - 1) / kPagePositions - first_page());
  const std::size_t index = static_cast<std::size_t>(layer) * pages + static_cast<std::size_t>(page - first_page());
  return memory_.data() + index * shape_.PositionPageBytes() + static_cast<std::size_t>(kv_head) * shape_.page_bytes;
}

}  // namespace tamis::cpu
