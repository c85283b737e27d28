// Cycles of each row operation of a layer at the 0.6B shape (hidden 1024, 16 query and 8 key/value heads of 128, feed
// forward 3072), one thread, data in L2: 64 rows are done in turn, as between two matrix products. For comparison: the
// int8 products of a row and layer take 123,000 cycles at two VNNI instructions a cycle.
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "core_clock.h"
#include "kernels/kernels.h"

namespace tamis::bench {
namespace {

constexpr int kRows = 64;
constexpr int kHidden = 1024;
constexpr int kAttention = 2048;
constexpr int kFeedForward = 3072;
constexpr int kHeadDim = 128;
constexpr int kQueryHeads = 16;
constexpr int kKeyHeads = 8;
constexpr int kQkv = (kQueryHeads + 2 * kKeyHeads) * kHeadDim;

struct Operands {
  Operands()
      : x(kRows * kQkv),
        weight(kQkv),
        codes(kRows * kQkv * sizeof(float)),
        page_data(kernels::PageBytesF32(kHeadDim) * kKeyHeads) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (int i = 0; i < kRows * kQkv; ++i) gaussian.push_back(normal(random));
    for (float& value : weight.span()) value = 1.0f + 0.1f * normal(random);
    Fill();
    std::memset(page_data.data(), 0, page_data.size());
    for (int h = 0; h < kKeyHeads; ++h) {
      pages.push_back(page_data.data() + h * kernels::PageBytesS8(kHeadDim));
      f32_pages.push_back(page_data.data() + h * kernels::PageBytesF32(kHeadDim));
    }
    heads.q_heads = kQueryHeads;
    heads.kv_heads = kKeyHeads;
    heads.head_dim = heads.head_dim_padded = heads.hadamard_block = kHeadDim;
    heads.eps = 1e-6f;
    heads.q_norm = heads.k_norm = weight.data();
  }

  void Fill() { std::memcpy(x.data(), gaussian.data(), gaussian.size() * sizeof(float)); }

  kernels::HeadRowArgs HeadRow(int row, bool int8) {
    kernels::HeadRowArgs args;
    args.heads = &heads;
    args.qkv = x.data() + row * kQkv;
    args.rope_cos = weight.data() + kHeadDim;
    args.rope_sin = weight.data() + 2 * kHeadDim;
    args.q = codes.data() + row * kQueryHeads * kHeadDim * sizeof(float);
    args.q_scale = scale;
    args.pages = int8 ? pages.data() : f32_pages.data();
    args.slot = row % kernels::kPanelColumns;
    return args;
  }

  std::vector<float> gaussian;
  AlignedBuffer<float> x;
  AlignedBuffer<float> weight;
  AlignedBuffer<char> codes;
  AlignedBuffer<char> page_data;
  std::vector<void*> pages;
  std::vector<void*> f32_pages;
  float scale[kQueryHeads] = {};
  kernels::HeadArgs heads;
};

// `prepare` runs untimed before each pass over the rows.
template <typename F, typename Prepare = void (*)()>
void Report(Isa isa, const char* name, F row, Prepare prepare = [] {}) {
  const auto rows = [&row] {
    for (int i = 0; i < kRows; ++i) row(i);
  };
  const double cycles = BestCyclesPerRow(kRows, prepare, rows);
  std::printf("%-11s %-28s %8.0f cycles a row\n", std::string(IsaName(isa)).c_str(), name, cycles);
}

void Run(Isa isa) {
  const kernels::Kernels& k = kernels::KernelsFor(isa);
  Operands o;
  const auto x = [&o](int row, int n) { return o.x.data() + row * n; };
  const auto out = [&o](int row, int n) { return o.codes.data() + row * n; };
  Report(isa, "rms_norm_quantize 1024",
         [&](int row) { k.rms_norm_quantize(x(row, kHidden), kHidden, kHidden, 1e-6f, out(row, kHidden), o.scale); });
  Report(isa, "quantize 2048",
         [&](int row) { k.quantize(x(row, kAttention), kAttention, kAttention, out(row, kAttention), o.scale); });
  Report(isa, "head_row_s8", [&](int row) { k.head_row_s8(o.HeadRow(row, true)); });
  Report(isa, "head_row_f32", [&](int row) { k.head_row_f32(o.HeadRow(row, false)); });
  Report(isa, "rms_norm_f32 1024", [&](int row) {
    k.rms_norm_f32(x(row, kHidden), o.weight.data(), kHidden, 1e-6f, reinterpret_cast<float*>(o.codes.data()));
  });
  Report(isa, "hadamard 1024", [&](int row) { k.hadamard(x(row, kHidden), kHidden, kHidden); });
  Report(
      isa, "hadamard_quantize 3072",
      [&](int row) {
        k.hadamard_quantize(x(row, kFeedForward), kFeedForward, kFeedForward, 1024, out(row, kFeedForward), o.scale);
      },
      [&] { o.Fill(); });
}

}  // namespace
}  // namespace tamis::bench

int main() {
  for (const tamis::Isa isa : tamis::SupportedIsas()) {
    if (isa != tamis::Isa::kReference) tamis::bench::Run(isa);
  }
  return 0;
}
