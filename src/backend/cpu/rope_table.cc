#include "backend/cpu/rope_table.h"

#include <cmath>

namespace tamis::cpu {

RopeTable::RopeTable(int head_dim, double theta) {
  for (int i = 0; i < head_dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(head_dim);
    inverse_frequency_.push_back(1.0f / static_cast<float>(std::pow(theta, static_cast<double>(exponent))));
  }
}

void RopeTable::Extend(int positions) {
  const std::size_t pairs = inverse_frequency_.size();
  for (std::size_t p = cos_.size() / pairs; p < static_cast<std::size_t>(positions); ++p) {
    for (float frequency : inverse_frequency_) {
      const float angle = static_cast<float>(p) * frequency;
      cos_.push_back(static_cast<float>(std::cos(static_cast<double>(angle))));
      sin_.push_back(static_cast<float>(std::sin(static_cast<double>(angle))));
    }
  }
}

}  // namespace tamis::cpu
