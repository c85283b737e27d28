// Which places of a text are good to cut at: sentence ends of Western and Chinese writing, words, characters.
#include <array>
#include <cstddef>
#include <string_view>

#include "engine/windows.h"

namespace tamis {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Bytes that a character with this first byte has; 1 for a byte that starts none.
std::size_t CharacterBytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0 && byte <= 0xF4) return 4;
  if (byte >= 0xE0) return byte < 0xF0 ? 3 : 1;
  return byte >= 0xC2 ? 2 : 1;
}

// True if `position` lies between a character's first byte and its last. Stray continuation bytes are characters of
// their own, as in the tokenizer.
bool InsideCharacter(std::string_view text, std::size_t position) {
  if (position == 0 || position >= text.size() || !IsContinuation(text[position])) return false;
  for (std::size_t back = 1; back <= 3 && back <= position; ++back) {
    const char before = text[position - back];
    if (!IsContinuation(before)) return CharacterBytes(before) > back;
  }
  return false;
}

template <std::size_t N>
bool EndsWithAny(std::string_view text, const std::array<std::string_view, N>& ends) {
  for (std::string_view end : ends) {
    if (text.ends_with(end)) return true;
  }
  return false;
}

// Closing quotes and brackets belong to the sentence before them.
constexpr std::array<std::string_view, 13> kClosers = {"\"", "'",  ")",  "]",  "}",  "”", "’",
                                                       "»",  "」", "』", "）", "】", "》"};
constexpr std::array<std::string_view, 8> kWideStops = {"。", "！", "？", "；", "…", "｡", "।", "؟"};
constexpr std::array<std::string_view, 3> kNarrowStops = {".", "!", "?"};
constexpr std::array<std::string_view, 4> kWideCommas = {"，", "、", "：", "､"};

std::string_view WithoutClosers(std::string_view text) {
  for (int dropped = 0; dropped < 4; ++dropped) {
    bool found = false;
    for (std::string_view closer : kClosers) {
      if (text.ends_with(closer)) {
        text.remove_suffix(closer.size());
        found = true;
        break;
      }
    }
    if (!found) break;
  }
  return text;
}

bool StartsWithCloser(std::string_view text) {
  for (std::string_view closer : kClosers) {
    if (text.starts_with(closer)) return true;
  }
  return false;
}

}  // namespace

CutQuality QualityOfCut(std::string_view text, std::size_t position) {
  if (position == 0 || position >= text.size()) return CutQuality::kSentence;
  if (InsideCharacter(text, position)) return CutQuality::kInsideCharacter;
  const std::string_view before = text.substr(0, position);
  const std::string_view after = text.substr(position);
  if (before.back() == '\n') return CutQuality::kSentence;
  const bool beside_space = IsSpace(after.front()) || IsSpace(before.back());
  const std::string_view end = WithoutClosers(IsSpace(before.back()) ? before.substr(0, position - 1) : before);
  if (beside_space && EndsWithAny(end, kNarrowStops)) return CutQuality::kSentence;
  if (EndsWithAny(end, kWideStops) && !StartsWithCloser(after)) return CutQuality::kSentence;
  if (beside_space || EndsWithAny(before, kWideCommas)) return CutQuality::kWord;
  return CutQuality::kCharacter;
}

}  // namespace tamis
