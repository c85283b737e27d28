// Cycles of attention for a row and layer at the 0.6B shape (16 query heads and 8 key/value heads of 128), one thread.
//
// w1: 76 tokens of shared prefix, then a document of 100 rows; w2: then one of 384 rows; long: the last 32 rows of
// 4,096. Rows go 32 at a time and all key/value heads in turn. ns are the fastest run's; `share` is the int8 product
// instructions (64 multiply-adds, two a cycle) or fp32 ones (16, two a cycle) that the visible keys need, relative to
// the cycles.
#include <cmath>
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

constexpr int kHeadDim = 128;
constexpr int kQueryHeads = 16;
constexpr int kKeyHeads = 8;
constexpr int kGroup = kQueryHeads / kKeyHeads;

struct Workload {
  const char* name;
  int first;  // position of the first row
  int rows;
};
constexpr Workload kWorkloads[] = {{"w1", 76, 100}, {"w2", 76, 384}, {"long", 4064, 32}};

class Layer {
 public:
  Layer(const kernels::Kernels& kernels, bool int8, const Workload& work)
      : kernels_(kernels), int8_(int8), work_(work) {
    const int positions = work.first + work.rows;
    const int page_count = (positions + 63) / 64;
    page_bytes_ = int8 ? kernels::PageBytesS8(kHeadDim) : kernels::PageBytesF32(kHeadDim);
    page_data_ = AlignedBuffer<char>(page_bytes_ * page_count * kKeyHeads);
    std::memset(page_data_.data(), 0, page_data_.size());
    head_bytes_ = kHeadDim * (int8 ? 1 : sizeof(float));
    q_ = AlignedBuffer<char>(work.rows * kQueryHeads * head_bytes_);
    q_scale_.resize(static_cast<std::size_t>(work.rows) * kQueryHeads);
    out_ = AlignedBuffer<float>(static_cast<std::size_t>(work.rows) * kQueryHeads * kHeadDim);
    scratch_ = AlignedBuffer<char>(kernels::AttentionScratchBytes(kGroup, kHeadDim));
    for (int h = 0; h < kKeyHeads; ++h) {
      pages_.emplace_back();
      for (int p = 0; p < page_count; ++p) {
        pages_.back().push_back(page_data_.data() + (static_cast<std::size_t>(h) * page_count + p) * page_bytes_);
      }
    }
    FillRows(positions);
  }

  void Attend() {
    for (int begin = 0; begin < work_.rows; begin += kernels::kAttentionRowsMax) {
      for (int h = 0; h < kKeyHeads; ++h) AttendHead(begin, h);
    }
  }

  // Multiply-adds of a row, on average.
  double MultiplyAdds() const {
    const double keys = work_.first + 0.5 * (work_.rows + 1);
    return 2.0 * keys * kHeadDim * kQueryHeads;
  }

 private:
  void FillRows(int positions) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    const std::vector<float> ones(kHeadDim, 1.0f);
    kernels::HeadArgs heads;
    heads.q_heads = kQueryHeads;
    heads.kv_heads = kKeyHeads;
    heads.head_dim = heads.head_dim_padded = heads.hadamard_block = kHeadDim;
    heads.eps = 1e-6f;
    heads.q_norm = heads.k_norm = ones.data();
    std::vector<float> qkv((kQueryHeads + 2 * kKeyHeads) * kHeadDim);
    for (int position = 0; position < positions; ++position) {
      for (float& value : qkv) value = normal(random);
      std::vector<void*> row_pages;
      for (int h = 0; h < kKeyHeads; ++h) row_pages.push_back(pages_[h][position / 64]);
      const int row = position < work_.first ? 0 : position - work_.first;
      kernels::HeadRowArgs args;
      args.heads = &heads;
      args.qkv = qkv.data();
      args.rope_cos = args.rope_sin = ones.data();
      args.q = q_.data() + row * kQueryHeads * head_bytes_;
      args.q_scale = q_scale_.data() + row * kQueryHeads;
      args.pages = row_pages.data();
      args.slot = position % 64;
      (int8_ ? kernels_.head_row_s8 : kernels_.head_row_f32)(args);
    }
  }

  void AttendHead(int begin, int h) {
    kernels::AttentionArgs args;
    args.q = q_.data() + (begin * kQueryHeads + h * kGroup) * head_bytes_;
    args.q_row_stride = kQueryHeads * head_bytes_;
    args.q_head_stride = head_bytes_;
    args.q_scale = q_scale_.data() + begin * kQueryHeads + h * kGroup;
    args.q_scale_stride = kQueryHeads;
    args.group = kGroup;
    args.rows = std::min(kernels::kAttentionRowsMax, work_.rows - begin);
    args.first_position = work_.first + begin;
    args.head_dim = args.head_dim_padded = kHeadDim;
    args.pages = pages_[h].data();
    args.out = out_.data() + (begin * kQueryHeads + h * kGroup) * kHeadDim;
    args.out_row_stride = kQueryHeads * kHeadDim;
    args.scratch = scratch_.data();
    (int8_ ? kernels_.attention_s8 : kernels_.attention_f32)(args);
  }

  const kernels::Kernels& kernels_;
  bool int8_;
  Workload work_;
  std::size_t page_bytes_;
  std::size_t head_bytes_;
  AlignedBuffer<char> page_data_;
  AlignedBuffer<char> q_;
  std::vector<float> q_scale_;
  AlignedBuffer<float> out_;
  AlignedBuffer<char> scratch_;
  std::vector<std::vector<void*>> pages_;
};

void Run(Isa isa, bool int8, const Workload& work) {
  Layer layer(kernels::KernelsFor(isa), int8, work);
  const double cycles = BestCyclesPerRow(work.rows, [] {}, [&layer] { layer.Attend(); });
  const double per_cycle = int8 ? 128 : 32;
  std::printf("%-11s %s %-5s %9.0f cycles a row, share %.2f\n", std::string(IsaName(isa)).c_str(),
              int8 ? "int8" : "fp32", work.name, cycles, layer.MultiplyAdds() / per_cycle / cycles);
}

}  // namespace
}  // namespace tamis::bench

int main() {
  for (const tamis::Isa isa : tamis::SupportedIsas()) {
    if (isa == tamis::Isa::kReference) continue;
    for (const bool int8 : {true, false}) {
      for (const tamis::bench::Workload& work : tamis::bench::kWorkloads) tamis::bench::Run(isa, int8, work);
    }
  }
  return 0;
}
