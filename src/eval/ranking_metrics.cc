#include "eval/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tamis::eval {
namespace {

std::size_t Cut(std::size_t size, std::size_t k) { return k == 0 ? size : std::min(size, k); }

bool Relevant(double grade) { return grade > 0; }

template <class Gain>
double Dcg(std::span<const double> ranking, std::size_t k, const Gain& gain) {
  double sum = 0;
  for (std::size_t i = 0; i < Cut(ranking.size(), k); ++i) {
    if (Relevant(ranking[i])) sum += gain(ranking[i]) / std::log2(static_cast<double>(i) + 2.0);
  }
  return sum;
}

template <class Gain>
double NormalisedDcg(std::span<const double> ranking, std::span<const double> judged, std::size_t k, const Gain& gain) {
  std::vector<double> ideal(judged.begin(), judged.end());
  std::sort(ideal.begin(), ideal.end(), std::greater<>());
  const double best = Dcg(ideal, k, gain);
  return best > 0 ? Dcg(ranking, k, gain) / best : 0.0;
}

std::size_t CountRelevant(std::span<const double> grades) {
  return static_cast<std::size_t>(std::count_if(grades.begin(), grades.end(), Relevant));
}

}  // namespace

double Ndcg(std::span<const double> ranking, std::span<const double> judged, std::size_t k) {
  return NormalisedDcg(ranking, judged, k, [](double grade) { return grade; });
}

double NdcgExponential(std::span<const double> ranking, std::span<const double> judged, std::size_t k) {
  return NormalisedDcg(ranking, judged, k, [](double grade) { return std::exp2(grade) - 1.0; });
}

double ReciprocalRank(std::span<const double> ranking, std::size_t k) {
  for (std::size_t i = 0; i < Cut(ranking.size(), k); ++i) {
    if (Relevant(ranking[i])) return 1.0 / static_cast<double>(i + 1);
  }
  return 0;
}

double AveragePrecision(std::span<const double> ranking, std::span<const double> judged, std::size_t k) {
  const std::size_t relevant = CountRelevant(judged);
  double sum = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < Cut(ranking.size(), k); ++i) {
    if (Relevant(ranking[i])) sum += static_cast<double>(++found) / static_cast<double>(i + 1);
  }
  return relevant > 0 ? sum / static_cast<double>(relevant) : 0.0;
}

double Recall(std::span<const double> ranking, std::span<const double> judged, std::size_t k) {
  const std::size_t relevant = CountRelevant(judged);
  const std::size_t found = CountRelevant(ranking.first(Cut(ranking.size(), k)));
  return relevant > 0 ? static_cast<double>(found) / static_cast<double>(relevant) : 0.0;
}

double Precision(std::span<const double> ranking, std::size_t k) {
  const std::size_t places = k == 0 ? ranking.size() : k;
  const std::size_t found = CountRelevant(ranking.first(Cut(ranking.size(), k)));
  return places > 0 ? static_cast<double>(found) / static_cast<double>(places) : 0.0;
}

}  // namespace tamis::eval
