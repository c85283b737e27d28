// The ranked list for people: rank, score with a bar, place in the input, and as much text as the terminal has room
// for.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tamis/options.h"

namespace tamis::app {

struct TableStyle {
  int columns = 80;
  bool unicode = true;
  bool colour = false;
  bool raw_scores = false;
};

// The style for standard output: its width, the locale's character set, NO_COLOR.
TableStyle DetectStyle(bool raw_scores);

// `texts[i]` belongs to `results[i]`.
std::string FormatTable(std::span<const DocumentScore> results, std::span<const std::string_view> texts,
                        const TableStyle& style);

}  // namespace tamis::app
