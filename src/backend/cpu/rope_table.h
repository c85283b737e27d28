// Cosines and sines of the rotary embedding, computed as the reference does (fp32 angles) and only as far as needed.
#pragma once

#include <cstddef>
#include <vector>

namespace tamis::cpu {

class RopeTable {
 public:
  // Angle of pair i at position p: fp32(p) * fp32(1 / theta^(2i / head_dim)), everything rounded to fp32 as in the
  // reference implementation, so that long contexts agree with it.
  RopeTable(int head_dim, double theta);

  // Makes positions [0, positions) available. Not thread-safe against readers.
  void Extend(int positions);

  // [head_dim / 2] values. REQUIRES: position < the largest Extend().
  const float* cos(int position) const { return cos_.data() + Offset(position); }
  const float* sin(int position) const { return sin_.data() + Offset(position); }

 private:
  std::size_t Offset(int position) const { return static_cast<std::size_t>(position) * inverse_frequency_.size(); }

  std::vector<float> inverse_frequency_;
  std::vector<float> cos_;
  std::vector<float> sin_;
};

}  // namespace tamis::cpu
