// The rotation of the residual stream: x -> H D x, with D random signs and H a normalised block Walsh-Hadamard matrix.
//
// RMSNorm without weights commutes with it, so it can be absorbed into the weights on both sides (QuaRot, arXiv
// 2404.00456). It spreads outlier channels over all channels, which is what makes one int8 scale a row enough.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.h"

namespace tamis::cpu {

// The largest power of two that divides n. REQUIRES: n > 0.
int HadamardBlock(int n);

class Rotation {
 public:
  // `enabled` false makes the identity. Signs depend on the size only, so that packed weights are reproducible.
  Rotation(int size, bool enabled, const kernels::Kernels& kernels);

  bool enabled() const { return enabled_; }
  int block() const { return block_; }

  // x <- H D x. x has `size` floats.
  void Apply(float* x) const;
  // x <- D H x, the inverse of Apply (H is symmetric and orthonormal).
  void Undo(float* x) const;
  // Applies the rotation to each column of w [size rows][columns], rows `stride` floats apart.
  void ApplyToColumns(float* w, std::size_t columns, std::size_t stride) const;

 private:
  bool enabled_;
  int block_;
  std::vector<float> signs_;
  const kernels::Kernels& kernels_;
};

// Normalised Walsh-Hadamard transform down each column of w [rows][columns], over blocks of `block` rows.
void HadamardColumns(float* w, int rows, std::size_t columns, std::size_t stride, int block,
                     const kernels::Kernels& kernels);

}  // namespace tamis::cpu
