#include "backend/cpu/rotation.h"

#include <cmath>

#include "base/check.h"

namespace tamis::cpu {
namespace {

// One step of the SplitMix64 generator (Steele, Lea, Flood 2014): signs that are the same on every machine.
std::uint64_t NextRandom(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

int HadamardBlock(int n) {
  TAMIS_CHECK(n > 0);
  return n & -n;
}

Rotation::Rotation(int size, bool enabled, const kernels::Kernels& kernels)
    : enabled_(enabled), block_(HadamardBlock(size)), signs_(static_cast<std::size_t>(size), 1.0f), kernels_(kernels) {
  if (!enabled_) return;
  std::uint64_t state = static_cast<std::uint64_t>(size);
  for (float& sign : signs_) sign = (NextRandom(state) >> 63) != 0 ? -1.0f : 1.0f;
}

void Rotation::Apply(float* x) const {
  if (!enabled_) return;
  for (std::size_t i = 0; i < signs_.size(); ++i) x[i] *= signs_[i];
  kernels_.hadamard(x, static_cast<int>(signs_.size()), block_);
}

void Rotation::Undo(float* x) const {
  if (!enabled_) return;
  kernels_.hadamard(x, static_cast<int>(signs_.size()), block_);
  for (std::size_t i = 0; i < signs_.size(); ++i) x[i] *= signs_[i];
}

void Rotation::ApplyToColumns(float* w, std::size_t columns, std::size_t stride) const {
  if (!enabled_) return;
  for (std::size_t row = 0; row < signs_.size(); ++row) {
    if (signs_[row] > 0) continue;
    for (std::size_t j = 0; j < columns; ++j) w[row * stride + j] = -w[row * stride + j];
  }
  HadamardColumns(w, static_cast<int>(signs_.size()), columns, stride, block_, kernels_);
}

void HadamardColumns(float* w, int rows, std::size_t columns, std::size_t stride, int block,
                     const kernels::Kernels& kernels) {
  const float norm = 1.0f / std::sqrt(static_cast<float>(block));
  for (int begin = 0; begin < rows; begin += block) {
    for (int half = 1; half < block; half *= 2) {
      for (int i = 0; i < block; i += 2 * half) {
        for (int j = i; j < i + half; ++j) {
          float* a = w + static_cast<std::size_t>(begin + j) * stride;
          kernels.butterfly(a, a + static_cast<std::size_t>(half) * stride, columns);
        }
      }
    }
    for (int i = 0; i < block; ++i) {
      float* row = w + static_cast<std::size_t>(begin + i) * stride;
      for (std::size_t j = 0; j < columns; ++j) row[j] *= norm;
    }
  }
}

}  // namespace tamis::cpu
