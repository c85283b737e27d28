// Fuzzes the cutting of documents into windows: any text, any offsets that do not fall, any way of counting tokens.
//
// The first four bytes choose window, overlap, how tokens are counted and how coarse the offsets are; the rest is text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/windows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
  const tamis::WindowLimits limits{1 + data[0] % 64, data[1] % 64};
  const std::size_t bytes_a_token = 1 + data[2] % 5;
  const std::size_t extra = data[2] / 128;  // a slice by itself has more tokens than its share
  const std::size_t coarseness = 1 + data[3] % 40;

  std::vector<std::size_t> ends;
  for (std::size_t at = bytes_a_token; at < text.size() + bytes_a_token; at += bytes_a_token) {
    const std::size_t coarse = (at + coarseness - 1) / coarseness * coarseness;
    ends.push_back(coarse < text.size() ? coarse : text.size());
  }
  std::size_t counted_bytes = 0;
  const auto count = [&](std::string_view slice) {
    counted_bytes += slice.size();
    return (slice.size() + bytes_a_token - 1) / bytes_a_token + extra;
  };
  const auto windows = tamis::CutWindows(text, ends, limits, count);

  if (windows.empty() || windows.front().start_byte != 0 || windows.back().end_byte != text.size()) std::abort();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto [start, end] = windows[i];
    if (start >= end && !text.empty()) std::abort();
    if (tamis::QualityOfCut(text, start) == tamis::CutQuality::kInsideCharacter) std::abort();
    if (tamis::QualityOfCut(text, end) == tamis::CutQuality::kInsideCharacter) std::abort();
    if (i > 0 && (start <= windows[i - 1].start_byte || start > windows[i - 1].end_byte)) std::abort();
    if (i > 0 && end <= windows[i - 1].end_byte) std::abort();
  }
  if (counted_bytes > 64 * (text.size() + 64)) std::abort();  // linear
  return 0;
}
