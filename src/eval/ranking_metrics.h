// Measures of one ranking against judged relevance, as trec_eval defines them.
//
// A ranking is the list of relevance grades in ranked order, best first; grades <= 0 are not relevant. `judged` holds
// the grades of all judged documents of the query, ranked or not, in any order: it says what an ideal ranking would be.
// `k` counts from 1; k = 0 means the whole ranking. All functions are pure and return 0 where nothing is relevant.
#pragma once

#include <cstddef>
#include <span>

namespace tamis::eval {

// sum_i grade_i / log2(i + 1) over the first k ranks i = 1, 2, ..., divided by the same sum of the ideal order
// (Jarvelin and Kekalainen 2002, with trec_eval's linear gain).
double Ndcg(std::span<const double> ranking, std::span<const double> judged, std::size_t k);

// The same with gain 2^grade - 1 (Burges et al. 2005). Equal to Ndcg() for grades 0 and 1.
double NdcgExponential(std::span<const double> ranking, std::span<const double> judged, std::size_t k);

// 1 / rank of the first relevant document within the first k, else 0.
double ReciprocalRank(std::span<const double> ranking, std::size_t k);

// Mean over all relevant judged documents of the precision at the rank where each is found; those not found count 0.
double AveragePrecision(std::span<const double> ranking, std::span<const double> judged, std::size_t k);

// Share of the relevant judged documents that are within the first k.
double Recall(std::span<const double> ranking, std::span<const double> judged, std::size_t k);

// Relevant documents within the first k, divided by k even where the ranking is shorter (trec_eval's P_k). With k = 0,
// divided by the ranking's length.
double Precision(std::span<const double> ranking, std::size_t k);

}  // namespace tamis::eval
