#include "table_printer.h"

#include <fmt/format.h>
#include <langinfo.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "output.h"
#include "text_width.h"

namespace tamis::app {
namespace {

constexpr int kBarColumns = 10;
constexpr int kColumnsForBar = 60;  // narrower terminals do without
constexpr int kScoreColumns = 8;
constexpr int kTextColumnsMin = 8;

std::string Repeat(std::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += piece;
  return out;
}

// `share` of the bar filled, in eighths of a column where Unicode is.
std::string Bar(double share, bool unicode) {
  share = std::clamp(share, 0.0, 1.0);
  if (!unicode) {
    const int filled = static_cast<int>(std::lround(share * kBarColumns));
    return Repeat("#", filled) + Repeat(".", kBarColumns - filled);
  }
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(share * kBarColumns * 8));
  const int whole = eighths / 8;
  const int rest = eighths % 8;
  return Repeat("█", whole) + std::string(kEighths[rest]) +
         std::string(static_cast<std::size_t>(kBarColumns - whole - (rest > 0 ? 1 : 0)), ' ');
}

// Probabilities fill their bar by value; raw scores by their place between the lowest and the highest.
double Share(const DocumentScore& result, std::span<const DocumentScore> all, bool raw) {
  if (!raw) return static_cast<double>(result.score);
  const auto [low, high] =
      std::minmax_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  const double range = static_cast<double>(high->score) - static_cast<double>(low->score);
  return range > 0 ? (static_cast<double>(result.score) - static_cast<double>(low->score)) / range : 1.0;
}

std::string Notes(const DocumentScore& result) {
  if (result.window) return fmt::format(" [bytes {}-{}]", result.window->start_byte, result.window->end_byte);
  if (result.truncated_tokens > 0) return fmt::format(" [{} tokens cut]", result.truncated_tokens);
  return "";
}

int Digits(std::size_t n) { return static_cast<int>(fmt::formatted_size("{}", n)); }

}  // namespace

TableStyle DetectStyle(bool raw_scores) {
  TableStyle style;
  style.columns = TerminalColumns();
  std::setlocale(LC_CTYPE, "");
  style.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  if (!style.unicode) std::setlocale(LC_CTYPE, "C.UTF-8");  // documents are UTF-8 all the same, and so are their widths
  const char* no_colour = std::getenv("NO_COLOR");
  style.colour = StdoutIsTerminal() && (no_colour == nullptr || *no_colour == '\0');
  style.raw_scores = raw_scores;
  return style;
}

std::string FormatTable(std::span<const DocumentScore> results, std::span<const std::string_view> texts,
                        const TableStyle& style) {
  std::size_t index_max = 0;
  for (const DocumentScore& result : results) index_max = std::max(index_max, result.index);
  const int rank_width = std::max(4, Digits(results.size()));
  const int index_width = std::max(5, Digits(index_max));
  const int bar_width = style.columns >= kColumnsForBar ? kBarColumns + 1 : 0;
  const int before_text = rank_width + kScoreColumns + 2 + bar_width + index_width + 2 + 2;
  std::string out = fmt::format("{:>{}}  {:>{}}{:{}}  {:>{}}  document\n", "rank", rank_width, "score", kScoreColumns,
                                "", bar_width, "index", index_width);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const DocumentScore& result = results[i];
    const std::string notes = Notes(result);
    std::string bar;
    if (bar_width > 0) bar = Bar(Share(result, results, style.raw_scores), style.unicode);
    if (bar_width > 0 && style.colour) bar = fmt::format("\033[36m{}\033[0m", bar);
    if (bar_width > 0) bar.insert(0, " ");
    const int room = std::max(kTextColumnsMin, style.columns - before_text - static_cast<int>(notes.size()));
    out += fmt::format("{:>{}}  {:>{}.4f}{}  {:>{}}  {}{}\n", i + 1, rank_width, result.score, kScoreColumns, bar,
                       result.index, index_width, FitText(texts[i], room, style.unicode ? "…" : "..."), notes);
  }
  return out;
}

}  // namespace tamis::app
