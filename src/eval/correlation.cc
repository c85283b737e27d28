#include "eval/correlation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace tamis::eval {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::size_t> Indexes(std::size_t n) {
  std::vector<std::size_t> out(n);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

// Ranks from 1 on, ties having the mean of theirs.
std::vector<double> Ranks(std::span<const double> values) {
  std::vector<std::size_t> order = Indexes(values.size());
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2.0;
    begin = end;
  }
  return ranks;
}

double Pairs(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1.0) / 2.0; }

// Pairs of equal neighbours' runs in [0, n), where same(i, j) says whether i and j are tied.
template <class Same>
double TiedPairs(std::size_t n, const Same& same) {
  double pairs = 0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && same(begin, end)) ++end;
    pairs += Pairs(end - begin);
    begin = end;
  }
  return pairs;
}

// Sorts values[begin, end) and returns how many pairs stood in descending order.
double CountInversions(std::vector<double>& values, std::vector<double>& buffer, std::size_t begin, std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  double count = CountInversions(values, buffer, begin, middle) + CountInversions(values, buffer, middle, end);
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t out = begin; out < end; ++out) {
    if (right == end || (left < middle && values[left] <= values[right])) {
      buffer[out] = values[left++];
    } else {
      count += static_cast<double>(middle - left);
      buffer[out] = values[right++];
    }
  }
  std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return count;
}

std::vector<std::size_t> Best(std::span<const double> scores, std::size_t k) {
  std::vector<std::size_t> order = Indexes(scores.size());
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return scores[i] != scores[j] ? scores[i] > scores[j] : i < j; });
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

double Pearson(std::span<const double> a, std::span<const double> b) {
  TAMIS_CHECK(a.size() == b.size());
  const double n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / (std::sqrt(aa) * std::sqrt(bb)) : kNone;
}

double Spearman(std::span<const double> a, std::span<const double> b) { return Pearson(Ranks(a), Ranks(b)); }

double Kendall(std::span<const double> a, std::span<const double> b) {
  TAMIS_CHECK(a.size() == b.size());
  const std::size_t n = a.size();
  std::vector<std::size_t> order = Indexes(n);
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = b[order[i]];
  const double tied_a = TiedPairs(n, [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; });
  const double tied_both =
      TiedPairs(n, [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]] && values[i] == values[j]; });
  std::vector<double> buffer(n);
  const double discordant = CountInversions(values, buffer, 0, n);  // sorts values
  const double tied_b = TiedPairs(n, [&](std::size_t i, std::size_t j) { return values[i] == values[j]; });
  const double all = Pairs(n);
  const double concordant_minus_discordant = all - tied_a - tied_b + tied_both - 2.0 * discordant;
  const double scale = std::sqrt(all - tied_a) * std::sqrt(all - tied_b);
  return n > 1 && scale > 0 ? concordant_minus_discordant / scale : kNone;
}

double OverlapAtK(std::span<const double> a, std::span<const double> b, std::size_t k) {
  TAMIS_CHECK(a.size() == b.size());
  k = std::min(k, a.size());
  if (k == 0) return 1.0;
  const std::vector<std::size_t> best_a = Best(a, k);
  const std::vector<std::size_t> best_b = Best(b, k);
  std::vector<std::size_t> both;
  std::set_intersection(best_a.begin(), best_a.end(), best_b.begin(), best_b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(k);
}

}  // namespace tamis::eval
