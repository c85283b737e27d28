// How far two sets of scores of the same documents agree. Pure functions.
//
// a[i] and b[i] belong to the same document; both spans have the same length (REQUIRES), values are finite. Where one
// side has no spread (fewer than two values, or all equal), the correlations are NaN: there is none.
#pragma once

#include <cstddef>
#include <span>

namespace tamis::eval {

// Pearson's product-moment correlation.
double Pearson(std::span<const double> a, std::span<const double> b);

// Spearman's rank correlation: Pearson's of the ranks, ties having the mean of their ranks.
double Spearman(std::span<const double> a, std::span<const double> b);

// Kendall's tau-b, which corrects for ties, in O(n log n) (Knight 1966).
double Kendall(std::span<const double> a, std::span<const double> b);

// Share of the k best by a that are among the k best by b (ties by position); k is cut to the length. 1 for k = 0.
double OverlapAtK(std::span<const double> a, std::span<const double> b, std::size_t k);

}  // namespace tamis::eval
