#include "engine/windows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace tamis {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max() / 4;

class Cutter {
 public:
  Cutter(std::string_view text, std::span<const std::size_t> token_ends, const WindowLimits& limits,
         const CountTokens& count)
      : text_(text),
        ends_(token_ends),
        window_(static_cast<std::size_t>(limits.window_tokens)),
        overlap_(std::min(static_cast<std::size_t>(limits.overlap_tokens), window_ / 2)),
        count_(count) {}

  std::vector<ByteRange> Cut() {
    std::vector<ByteRange> windows;
    std::size_t start = 0;
    for (;;) {
      std::size_t end = EndOf(start);
      if (end <= covered_ && covered_ > 0) {  // nothing new: do without the overlap
        start = covered_;
        end = EndOf(start);
      }
      windows.push_back({start, end});
      if (end >= text_.size()) return windows;
      start = NextStart(start, end);
      covered_ = end;
    }
  }

 private:
  // The end of the window from `start`.
  std::size_t EndOf(std::size_t start) {
    std::size_t budget = window_;
    const std::size_t limit = BytesLimit(start);
    std::size_t end = std::min(ChooseEnd(start, budget), limit);
    bool by_bytes = end < text_.size() && end == limit;
    for (std::size_t tokens; end > NextCharacter(start) && (tokens = count_(Slice(start, end))) > window_;) {
      const std::size_t excess = tokens - window_;
      std::size_t shorter = end;
      if (!by_bytes && excess < budget / 4) {
        budget -= excess;
        shorter = ChooseEnd(start, budget);
      }
      if (shorter >= end) {
        by_bytes = true;
        shorter = ShrinkBytes(start, end, tokens);
      }
      end = shorter;
    }
    bytes_max_ = std::min(kNoLimit, by_bytes ? 2 * (end - start) : 2 * bytes_max_);
    return end;
  }

  std::string_view Slice(std::size_t start, std::size_t end) const { return text_.substr(start, end - start); }

  // The end for a window from `start` of at most `budget` of the whole text's tokens: the last sentence end in its
  // second half, else the last word's, else the last character's.
  std::size_t ChooseEnd(std::size_t start, std::size_t budget) const {
    const std::size_t first = BoundaryAtOrBefore(start);
    const std::size_t last = first + budget;
    if (last >= ends_.size()) return text_.size();
    const std::size_t floor = std::max(start, covered_);
    std::size_t best = 0;
    CutQuality best_quality = CutQuality::kInsideCharacter;
    for (std::size_t i = last; i >= first + std::max<std::size_t>(budget / 2, 1); --i) {
      const std::size_t position = Boundary(i);
      if (position <= floor) break;
      const CutQuality quality = QualityOfCut(text_, position);
      if (quality > best_quality) {
        best_quality = quality;
        best = position;
      }
      if (quality == CutQuality::kSentence) break;
    }
    return best_quality > CutQuality::kInsideCharacter ? best : NextCharacter(std::max(floor + 1, Boundary(last)) - 1);
  }

  // Where the window after [start, end) starts: about overlap_ tokens before `end`, at the best cut within half an
  // overlap around that, at least a quarter of a window after `start`.
  std::size_t NextStart(std::size_t start, std::size_t end) const {
    if (overlap_ == 0) return end;
    const std::size_t end_index = BoundaryAtOrBefore(end);
    const std::size_t floor = BoundaryAtOrBefore(start) + std::max<std::size_t>(window_ / 4, 1);
    const std::size_t wanted = end_index > overlap_ ? end_index - overlap_ : 0;
    const std::size_t low = std::max(floor, wanted > overlap_ / 2 ? wanted - overlap_ / 2 : 0);
    const std::size_t high = std::min(wanted + overlap_ / 2, end_index);
    std::size_t best = end;
    CutQuality best_quality = CutQuality::kInsideCharacter;
    for (std::size_t i = low; i <= high; ++i) {
      const std::size_t position = Boundary(i);
      if (position <= start || position >= end) continue;
      const CutQuality quality = QualityOfCut(text_, position);
      const bool nearer = quality == best_quality && i <= wanted;
      if (quality > best_quality || (nearer && quality > CutQuality::kInsideCharacter)) {
        best_quality = quality;
        best = position;
      }
    }
    return best;
  }

  // A shorter end by the density of tokens just seen, where the whole text's offsets don't help.
  std::size_t ShrinkBytes(std::size_t start, std::size_t end, std::size_t tokens) const {
    const auto length = static_cast<double>(end - start);
    const double fits = length * static_cast<double>(window_) / static_cast<double>(tokens) * 0.94;
    std::size_t position = start + std::min(static_cast<std::size_t>(fits), end - start - 1);
    while (position > start && QualityOfCut(text_, position) == CutQuality::kInsideCharacter) --position;
    return position > start ? position : NextCharacter(start);
  }

  // Where offsets are too coarse to find a cut, the window before says how many bytes are worth trying: encoding
  // everything up to the next offset for each window would take quadratic time.
  std::size_t BytesLimit(std::size_t start) const {
    if (bytes_max_ >= text_.size() - start) return text_.size();
    return NextCharacter(start + bytes_max_ - 1);
  }

  // The first character border after `position`.
  std::size_t NextCharacter(std::size_t position) const {
    ++position;
    while (position < text_.size() && QualityOfCut(text_, position) == CutQuality::kInsideCharacter) ++position;
    return std::min(position, text_.size());
  }

  // Boundary i lies before token i; there is one more than tokens.
  std::size_t Boundary(std::size_t i) const { return i == 0 ? 0 : std::min(ends_[i - 1], text_.size()); }

  std::size_t BoundaryAtOrBefore(std::size_t position) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
  }

  std::string_view text_;
  std::span<const std::size_t> ends_;
  std::size_t window_;
  std::size_t overlap_;
  const CountTokens& count_;
  std::size_t covered_ = 0;  // the end of the window before
  std::size_t bytes_max_ = kNoLimit;
};

}  // namespace

std::vector<ByteRange> CutWindows(std::string_view text, std::span<const std::size_t> token_ends,
                                  const WindowLimits& limits, const CountTokens& count) {
  TAMIS_CHECK(limits.window_tokens > 0 && limits.overlap_tokens >= 0);
  return Cutter(text, token_ends, limits, count).Cut();
}

}  // namespace tamis
