// How many terminal columns text takes, and cutting it to fit.
#pragma once

#include <string>
#include <string_view>

namespace tamis::app {

// Columns of UTF-8 text: wide characters (Chinese, emoji) count two, combining marks none.
int TextWidth(std::string_view text);

// One line that takes at most `columns` columns: line ends, tabs and control characters become spaces, bad bytes
// U+FFFD, and what does not fit is left out behind `ellipsis`, which is ASCII or one column wide.
std::string FitText(std::string_view text, int columns, std::string_view ellipsis = "…");

}  // namespace tamis::app
