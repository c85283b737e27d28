// Sizes and layout of the key/value pages and of attention's scratch memory: the same for every instruction set.
#include "kernels/kernels.h"

namespace tamis::kernels {
namespace {

constexpr std::size_t kPageKeys = kPanelColumns;
// Keys lie in a page as columns, one line in four. Where pages follow each other, as those of a layer's heads do, this
// moves every page's columns to other sets of the L1 cache than its neighbour's (writing a row: 4,900 to 4,300 cycles).
constexpr std::size_t kPagePadding = 64;
constexpr std::size_t kScratchRows = 16;  // (row, head) pairs that attention works on at a time

}  // namespace

std::size_t PageBytesS8(int head_dim_padded) {
  const std::size_t key_bytes =
      2 * static_cast<std::size_t>(head_dim_padded) + 2 * sizeof(float) + sizeof(std::int32_t);
  return kPageKeys * key_bytes + kPagePadding;
}

std::size_t PageBytesF32(int head_dim) {
  return kPageKeys * 2 * static_cast<std::size_t>(head_dim) * sizeof(float) + kPagePadding;
}

PageS8 ViewPageS8(void* page, int head_dim_padded) {
  auto* bytes = static_cast<std::int8_t*>(page);
  const std::size_t panel_bytes = kPageKeys * static_cast<std::size_t>(head_dim_padded);
  PageS8 view;
  view.keys = bytes;
  view.values = bytes + panel_bytes;
  view.k_scale = reinterpret_cast<float*>(bytes + 2 * panel_bytes);
  view.v_scale = view.k_scale + kPageKeys;
  view.k_sum = reinterpret_cast<std::int32_t*>(view.v_scale + kPageKeys);
  return view;
}

std::size_t AttentionScratchBytes(int /*group*/, int head_dim_padded) {
  // Sums, integer products and queries by row (at most 4 bytes an element each), scores and probabilities of a page.
  const std::size_t row_bytes = 12 * static_cast<std::size_t>(head_dim_padded) + 8 * kPageKeys + 256;
  return kScratchRows * row_bytes;
}

}  // namespace tamis::kernels
