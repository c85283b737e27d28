// Matrix products in portable C++: what the other instruction sets' kernels are tested against.
#include <cmath>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/tables.h"

namespace tamis::kernels::reference {
namespace {

float Silu(float x) { return x / (1.0f + std::exp(-x)); }

// Writes one row of results y for columns [begin, end), end <= n, in the way `output` says.
void Store(GemmOutput output, const std::vector<float>& y, int begin, int end, float* c) {
  constexpr int kGroup = 16;
  for (int n = begin; n < end; ++n) {
    const float value = y[static_cast<std::size_t>(n - begin)];
    switch (output) {
      case GemmOutput::kStore: c[n] = value; break;
      case GemmOutput::kAdd: c[n] += value; break;
      case GemmOutput::kSiluMul:
        if (n / kGroup % 2 == 0 && n + kGroup < end) {
          c[n / (2 * kGroup) * kGroup + n % kGroup] = Silu(value) * y[static_cast<std::size_t>(n - begin + kGroup)];
        }
        break;
    }
  }
}

}  // namespace

void GemmS8(const GemmS8Args& args) {
  const PackedS8& b = *args.b;
  const int begin = args.panel_begin * kPanelColumns;
  const int end = std::min(args.panel_end * kPanelColumns, b.n);
  if (begin >= end) return;
  std::vector<float> y(static_cast<std::size_t>(end - begin));
  for (int m = 0; m < args.rows; ++m) {
    const auto* a = static_cast<const std::int8_t*>(args.a) + static_cast<std::size_t>(m) * args.lda;
    for (int n = begin; n < end; ++n) {
      const std::int8_t* w =
          b.data + static_cast<std::size_t>(n / kPanelColumns) * static_cast<std::size_t>(b.k_padded) * kPanelColumns +
          (n % kPanelColumns) * kKeyGroup;
      std::int32_t sum = 0;
      for (int k = 0; k < b.k_padded; ++k) {
        sum += a[k] * w[static_cast<std::size_t>(k / kKeyGroup) * kPanelColumns * kKeyGroup +
                        static_cast<std::size_t>(k % kKeyGroup)];
      }
      y[static_cast<std::size_t>(n - begin)] = static_cast<float>(sum) * (args.a_scale[m] * b.scale[n]);
    }
    Store(args.output, y, begin, end, args.c + static_cast<std::size_t>(m) * args.ldc);
  }
}

void GemmF32(const GemmF32Args& args) {
  const PackedF32& b = *args.b;
  const int begin = args.panel_begin * kPanelColumns;
  const int end = std::min(args.panel_end * kPanelColumns, b.n);
  if (begin >= end) return;
  std::vector<float> y(static_cast<std::size_t>(end - begin));
  for (int m = 0; m < args.rows; ++m) {
    const float* a = args.a + static_cast<std::size_t>(m) * args.lda;
    for (int n = begin; n < end; ++n) {
      const float* w = b.data +
                       static_cast<std::size_t>(n / kPanelColumns) * static_cast<std::size_t>(b.k) * kPanelColumns +
                       n % kPanelColumns;
      float sum = 0;
      for (int k = 0; k < b.k; ++k) sum = std::fma(a[k], w[static_cast<std::size_t>(k) * kPanelColumns], sum);
      y[static_cast<std::size_t>(n - begin)] = sum;
    }
    Store(args.output, y, begin, end, args.c + static_cast<std::size_t>(m) * args.ldc);
  }
}

// The optimiser may do what it likes here; the figure only serves where no better kernels are.
double PeakS8(std::int64_t iterations) {
  volatile std::int8_t a = 3;
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < iterations; ++i) sum += a * static_cast<std::int8_t>(i);
  volatile std::int32_t sink = sum;
  (void)sink;
  return 2.0 * static_cast<double>(iterations);
}

double PeakF32(std::int64_t iterations) {
  volatile float a = 1.5f;
  float sum = 0;
  for (std::int64_t i = 0; i < iterations; ++i) sum += a * 0.5f;
  volatile float sink = sum;
  (void)sink;
  return 2.0 * static_cast<double>(iterations);
}

}  // namespace tamis::kernels::reference
