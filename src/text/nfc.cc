// The scan that leaves normal text alone, and the slow path for single segments.
#include "text/nfc.h"

#include <algorithm>
#include <cstdint>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace tamis {
namespace {

// Hangul syllables are composed by arithmetic (Unicode standard, section 3.12).
constexpr std::uint32_t kHangulS = 0xAC00, kHangulL = 0x1100, kHangulV = 0x1161, kHangulT = 0x11A7;
constexpr std::uint32_t kHangulLCount = 19, kHangulVCount = 21, kHangulTCount = 28;
constexpr std::uint32_t kHangulSCount = kHangulLCount * kHangulVCount * kHangulTCount;

void AppendDecomposed(std::uint32_t cp, std::vector<std::uint32_t>* out) {
  if (cp - kHangulS < kHangulSCount) {
    const std::uint32_t s = cp - kHangulS;
    out->push_back(kHangulL + s / (kHangulVCount * kHangulTCount));
    out->push_back(kHangulV + s % (kHangulVCount * kHangulTCount) / kHangulTCount);
    if (s % kHangulTCount != 0) out->push_back(kHangulT + s % kHangulTCount);
    return;
  }
  const auto parts = Decomposition(cp);
  if (parts.empty()) {
    out->push_back(cp);
  } else {
    out->insert(out->end(), parts.begin(), parts.end());
  }
}

std::uint32_t Compose(std::uint32_t first, std::uint32_t second) {
  if (first - kHangulL < kHangulLCount && second - kHangulV < kHangulVCount) {
    return kHangulS + ((first - kHangulL) * kHangulVCount + (second - kHangulV)) * kHangulTCount;
  }
  if (first - kHangulS < kHangulSCount && (first - kHangulS) % kHangulTCount == 0 && second > kHangulT &&
      second < kHangulT + kHangulTCount) {
    return first + (second - kHangulT);
  }
  return Composition(first, second);
}

using Iterator = std::vector<std::uint32_t>::iterator;

// Sorts a run of marks by class; marks of one class keep their order. Runs are nearly always two or three long.
void SortRun(Iterator begin, Iterator end) {
  constexpr std::ptrdiff_t kInsertionMax = 16;
  if (end - begin <= kInsertionMax) {
    for (auto at = begin; at != end; ++at) {
      for (auto i = at; i != begin && CombiningClass(i[-1]) > CombiningClass(*i); --i) std::iter_swap(i, i - 1);
    }
    return;
  }
  const std::vector<std::uint32_t> run(begin, end);
  std::size_t starts[257] = {};
  for (const std::uint32_t cp : run) ++starts[CombiningClass(cp) + 1];
  for (std::size_t i = 1; i < 257; ++i) starts[i] += starts[i - 1];
  for (const std::uint32_t cp : run) begin[static_cast<std::ptrdiff_t>(starts[CombiningClass(cp)]++)] = cp;
}

void SortMarks(std::vector<std::uint32_t>* cps) {
  const auto is_starter = [](std::uint32_t cp) { return CombiningClass(cp) == 0; };
  for (auto begin = cps->begin(); begin != cps->end();) {
    begin = std::find_if_not(begin, cps->end(), is_starter);
    const auto end = std::find_if(begin, cps->end(), is_starter);
    SortRun(begin, end);
    begin = end;
  }
}

// Canonical composition in place (Unicode standard, D117): a character joins the last starter unless another of the
// same or a higher class (or a starter) stands between.
void ComposeInPlace(std::vector<std::uint32_t>* cps) {
  std::size_t starter = cps->size(), kept = 0;
  std::uint8_t last_class = 0;
  for (const std::uint32_t cp : *cps) {
    const std::uint8_t ccc = CombiningClass(cp);
    const bool adjacent = starter + 1 == kept;
    if (starter < kept && (adjacent || last_class < ccc)) {
      if (const std::uint32_t composed = Compose((*cps)[starter], cp); composed != 0) {
        (*cps)[starter] = composed;
        continue;
      }
    }
    if (ccc == 0) starter = kept;
    last_class = ccc;
    (*cps)[kept++] = cp;
  }
  cps->resize(kept);
}

class Normalizer {
 public:
  Normalizer(std::string_view text, bool compose, std::string* buffer, OffsetMap* map)
      : text_(text), compose_(compose), buffer_(buffer), map_(map) {}

  std::string_view Run() {
    std::size_t at = 0, segment = 0;  // `segment`: where the latest character that starts one stands
    while (at < text_.size()) {
      if (const std::size_t run = AsciiRun(text_, at); run > 0) {
        at += run;
        segment = at - 1;
        continue;
      }
      const DecodedChar c = DecodeUtf8(text_, at);
      if (c.bad && !compose_) {
        at = Replace(at, at + c.length);
      } else if (compose_ && (c.bad || (kProperties.At(c.code_point) & kContinuesSegmentBit) != 0)) {
        at = Recompose(c.bad ? at : segment);
        segment = at;
      } else {
        segment = at;
        at += c.length;
      }
    }
    if (copied_ == 0) return text_;
    buffer_->append(text_, copied_);
    return *buffer_;
  }

 private:
  // Copies what is unchanged before `begin`.
  void CopyTo(std::size_t begin) {
    if (copied_ == 0) buffer_->clear();
    buffer_->append(text_, copied_, begin - copied_);
  }

  std::size_t Replace(std::size_t begin, std::size_t end) {
    CopyTo(begin);
    const std::size_t output_begin = buffer_->size();
    AppendUtf8(kReplacementCharacter, buffer_);
    if (map_ != nullptr) map_->Add(output_begin, buffer_->size(), begin, end);
    return copied_ = end;
  }

  // Normalises the segment that starts at `begin`; returns its end. A segment that is in form C stays where it is.
  std::size_t Recompose(std::size_t begin) {
    segment_.clear();
    std::size_t at = begin;
    bool bad = false;
    while (at < text_.size()) {
      const DecodedChar c = DecodeUtf8(text_, at);
      if (at > begin && (kProperties.At(c.code_point) & kContinuesSegmentBit) == 0) break;
      AppendDecomposed(c.code_point, &segment_);
      bad |= c.bad;
      at += c.length;
    }
    SortMarks(&segment_);
    ComposeInPlace(&segment_);
    encoded_.clear();
    for (const std::uint32_t cp : segment_) AppendUtf8(cp, &encoded_);
    if (!bad && encoded_ == text_.substr(begin, at - begin)) return at;
    CopyTo(begin);
    const std::size_t output_begin = buffer_->size();
    buffer_->append(encoded_);
    if (map_ != nullptr) map_->Add(output_begin, buffer_->size(), begin, at);
    return copied_ = at;
  }

  std::string_view text_;
  bool compose_;
  std::string* buffer_;
  OffsetMap* map_;
  std::size_t copied_ = 0;  // input bytes that are in the buffer
  std::vector<std::uint32_t> segment_;
  std::string encoded_;
};

}  // namespace

void OffsetMap::Add(std::size_t output_begin, std::size_t output_end, std::size_t input_begin, std::size_t input_end) {
  changes_.push_back({output_begin, output_end, input_begin, input_end});
}

std::size_t OffsetMap::InputEnd(std::size_t output_end) const {
  const auto after = std::partition_point(changes_.begin(), changes_.end(),
                                          [=](const Change& c) { return c.output_begin < output_end; });
  if (after == changes_.begin()) return output_end;
  const Change& change = after[-1];
  if (output_end <= change.output_end) return change.input_end;
  return change.input_end + (output_end - change.output_end);
}

std::string_view NormalizeText(std::string_view text, bool compose, std::string* buffer, OffsetMap* map) {
  if (map != nullptr) map->Clear();
  return Normalizer(text, compose, buffer, map).Run();
}

}  // namespace tamis
