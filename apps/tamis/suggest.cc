#include "suggest.h"

#include <algorithm>
#include <vector>

namespace tamis::app {

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string Nearest(std::string_view word, std::span<const std::string> choices) {
  std::string best;
  int distance = static_cast<int>(word.size()) / 3 + 1;  // further away is no help
  for (const std::string& choice : choices) {
    const int d = EditDistance(word, choice);
    if (d <= distance) {
      distance = d - 1;
      best = choice;
    }
  }
  return best;
}

}  // namespace tamis::app
