// CostModel: what computing tokens costs, in units of one token's linear layers.
//
// Limits, fairness and queue lengths count cost, not tokens: attention makes a document of 8,000 tokens cost more than
// eight of 1,000.
#pragma once

#include <cmath>
#include <cstdint>

namespace tamis {

struct CostModel {
  // One query row against one key of every layer and head, as a share of a token's linear layers:
  // 4 * layers * heads * head_dim / linear_ops_per_token. 1/3850 for Qwen3-Reranker-0.6B.
  double attention_share = 0;

  // The cost of `tokens` that follow `before` tokens of the same prompt. At least `tokens`.
  std::int64_t Cost(std::int64_t tokens, std::int64_t before) const {
    const double keys = static_cast<double>(tokens) * (static_cast<double>(before) + static_cast<double>(tokens) / 2);
    return tokens + static_cast<std::int64_t>(std::llround(attention_share * keys));
  }
};

}  // namespace tamis
