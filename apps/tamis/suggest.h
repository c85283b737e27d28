// The nearest of some words to one that was mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tamis::app {

// Letters to change, add, drop or swap (Damerau-Levenshtein, restricted) to make b of a.
int EditDistance(std::string_view a, std::string_view b);

// Empty if none is near.
std::string Nearest(std::string_view word, std::span<const std::string> choices);

}  // namespace tamis::app
