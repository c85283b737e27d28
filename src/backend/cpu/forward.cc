#include "backend/cpu/forward.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/policies.h"

namespace tamis::cpu {
namespace {

// Rows of a tile: enough that streaming the weights costs little beside computing, few enough that a tile's buffers
// stay in a 1-2 MB second-level cache (48 rows x 4096 projections x 4 bytes = 0.8 MB). The tile unit multiplies eight
// times faster, so it needs more rows for the same weights. Chosen by `bench/kernels` and `tamis bench`.
constexpr std::size_t kTileRows = 48;
constexpr std::size_t kTileRowsAmx = 128;
constexpr std::size_t kGranule = 6;      // rows that the vector kernels take at once
constexpr std::size_t kGranuleAmx = 32;

// Buffers for more rows than this are given back after the step that needed them.
constexpr std::size_t kRowsKept = 8192;

}  // namespace

std::size_t TileRows(std::size_t rows, int threads, std::size_t tile_rows, std::size_t granule) {
  if (rows == 0) return granule;
  const std::size_t per_round = static_cast<std::size_t>(threads) * tile_rows;
  const std::size_t tiles = (rows + per_round - 1) / per_round * static_cast<std::size_t>(threads);
  const std::size_t even = (rows + tiles - 1) / tiles;
  return (even + granule - 1) / granule * granule;
}

// What one thread works in.
template <class Policy>
struct Forward<Policy>::Workspace {
  typename Policy::Operand operand;
  AlignedBuffer<float> projected;  // [tile][qkv columns]
  AlignedBuffer<float> attended;   // [tile][q columns]
  AlignedBuffer<float> inner;      // [tile][inner_padded]
  AlignedBuffer<std::byte> scratch;
};

// Some rows on their way through a layer: rows of the step, or the scored rows gathered for the last layer.
template <class Policy>
struct Forward<Policy>::Tile {
  std::size_t rows = 0;
  float* hidden = nullptr;    // [rows][hidden]
  std::byte* q = nullptr;     // [rows][q_heads][query head bytes]
  float* q_scale = nullptr;   // [rows][q_heads]
  const int* segment = nullptr;
  const int* position = nullptr;
};

template <class Policy>
Forward<Policy>::Forward(const PreparedModel<Linear>& model, const PageShape& pages, const kernels::Kernels& kernels,
                         ThreadPool& pool)
    : model_(model),
      page_shape_(pages),
      kernels_(kernels),
      pool_(pool),
      rope_(model.shape.head_dim, model.source.config.rope_theta) {
  for (int i = 0; i < pool.threads(); ++i) workspaces_.push_back(std::make_unique<Workspace>());
}

template <class Policy>
Forward<Policy>::~Forward() = default;

template <class Policy>
void Forward<Policy>::Prepare(const StepPlan& plan) {
  const LayerShape& s = model_.shape;
  rope_.Extend(plan.positions);
  hidden_.EnsureSize(plan.rows * static_cast<std::size_t>(s.hidden));
  q_.EnsureSize(plan.rows * static_cast<std::size_t>(s.q_heads) * Policy::QueryHeadBytes(s));
  q_scale_.EnsureSize(plan.rows * static_cast<std::size_t>(s.q_heads));
  for (PageArena& arena : arena_) arena.EnsurePages(page_shape_, plan.arena_pages);
  row_segment_.clear();
  row_position_.clear();
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    for (int p = plan.segments[i].begin; p < plan.segments[i].end; ++p) {
      row_segment_.push_back(static_cast<int>(i));
      row_position_.push_back(p);
    }
  }
}

template <class Policy>
void Forward<Policy>::Release(const StepPlan& plan) {
  if (plan.rows <= kRowsKept) return;
  hidden_ = {};
  q_ = {};
  q_scale_ = {};
  for (PageArena& arena : arena_) arena = {};
}

template <class Policy>
typename Forward<Policy>::Tile Forward<Policy>::RowsOf(std::size_t begin, std::size_t count) {
  const LayerShape& s = model_.shape;
  const std::size_t heads = static_cast<std::size_t>(s.q_heads);
  return {count,
          hidden_.data() + begin * static_cast<std::size_t>(s.hidden),
          q_.data() + begin * heads * Policy::QueryHeadBytes(s),
          q_scale_.data() + begin * heads,
          row_segment_.data() + begin,
          row_position_.data() + begin};
}

template <class Policy>
void Forward<Policy>::Embed(const StepPlan& plan, const Tile& tile) {
  for (std::size_t r = 0; r < tile.rows; ++r) {
    const PlannedSegment& segment = plan.segments[static_cast<std::size_t>(tile.segment[r])];
    const TokenId id = segment.ids[static_cast<std::size_t>(tile.position[r] - segment.begin)];
    float* row = tile.hidden + r * static_cast<std::size_t>(model_.shape.hidden);
    model_.source.embedding.ReadRows(id, 1, row);
    model_.rotation.Apply(row);
  }
}

template <class Policy>
const kernels::HeadArgs& Forward<Policy>::Heads(int layer, bool queries, bool keys, kernels::HeadArgs* args) const {
  const LayerShape& s = model_.shape;
  const auto& weights = model_.layers[static_cast<std::size_t>(layer)];
  args->q_heads = queries ? s.q_heads : 0;
  args->kv_heads = keys ? s.kv_heads : 0;
  args->head_dim = s.head_dim;
  args->head_dim_padded = s.head_dim_padded;
  args->eps = s.eps;
  args->q_norm = weights.q_norm.data();
  args->k_norm = weights.k_norm.data();
  args->hadamard_block = model_.rotation.enabled() ? HadamardBlock(s.head_dim) : 1;
  return *args;
}

// Norm, projections, and each row's queries (to the tile) and keys and values (to their pages).
template <class Policy>
void Forward<Policy>::ProjectQkv(const Tile& tile, int layer, bool queries, bool keys, int thread) {
  const LayerShape& s = model_.shape;
  const auto& weights = model_.layers[static_cast<std::size_t>(layer)];
  Workspace& work = *workspaces_[static_cast<std::size_t>(thread)];
  const std::size_t ldc = static_cast<std::size_t>(weights.qkv.view.n_padded);
  Policy::Resize(work.operand, tile.rows, s.hidden);
  work.projected.EnsureSize(tile.rows * ldc);
  for (std::size_t r = 0; r < tile.rows; ++r) {
    Policy::Normalise(kernels_, tile.hidden + r * static_cast<std::size_t>(s.hidden), weights.input_norm, s.hidden,
                      s.eps, work.operand, r);
  }
  const int panel_begin = queries ? 0 : s.q_columns() / kernels::kPanelColumns;
  const int panel_end = keys ? weights.qkv.view.n_padded / kernels::kPanelColumns
                             : (s.q_columns() + kernels::kPanelColumns - 1) / kernels::kPanelColumns;
  Policy::Multiply(kernels_, work.operand, weights.qkv, static_cast<int>(tile.rows), panel_begin, panel_end,
                   work.projected.data(), ldc, kernels::GemmOutput::kStore);

  kernels::HeadArgs heads;
  Heads(layer, queries, keys, &heads);
  std::vector<void*> pages(static_cast<std::size_t>(s.kv_heads));
  const PageTable& table = table_[layer % 2];
  for (std::size_t r = 0; r < tile.rows; ++r) {
    const int position = tile.position[r];
    for (int h = 0; h < heads.kv_heads; ++h) {
      pages[static_cast<std::size_t>(h)] = table.pages(tile.segment[r], h)[position / kPagePositions];
    }
    const float* row = work.projected.data() + r * ldc + (queries ? 0 : s.q_columns());
    const std::size_t q_row = r * static_cast<std::size_t>(s.q_heads);
    Policy::HeadRow(kernels_,
                    {&heads, row, rope_.cos(position), rope_.sin(position), tile.q + q_row * Policy::QueryHeadBytes(s),
                     tile.q_scale + q_row, pages.data(), position % kPagePositions});
  }
}

template <class Policy>
void Forward<Policy>::Attend(const Tile& tile, int layer, Workspace& work) {
  const LayerShape& s = model_.shape;
  const int group = s.q_heads / s.kv_heads;
  const std::size_t q_bytes = Policy::QueryHeadBytes(s);
  const std::size_t columns = static_cast<std::size_t>(s.q_columns());
  work.attended.EnsureSize(tile.rows * columns);
  work.scratch.EnsureSize(kernels::AttentionScratchBytes(group, s.head_dim_padded));
  for (std::size_t begin = 0; begin < tile.rows;) {
    std::size_t end = begin + 1;  // rows of one segment, in consecutive positions
    while (end < tile.rows && end - begin < kernels::kAttentionRowsMax && tile.segment[end] == tile.segment[begin])
      ++end;
    for (int h = 0; h < s.kv_heads; ++h) {
      const std::size_t head = static_cast<std::size_t>(h) * static_cast<std::size_t>(group);
      kernels::AttentionArgs args;
      args.q = tile.q + (begin * static_cast<std::size_t>(s.q_heads) + head) * q_bytes;
      args.q_row_stride = static_cast<std::size_t>(s.q_heads) * q_bytes;
      args.q_head_stride = q_bytes;
      args.q_scale = tile.q_scale + begin * static_cast<std::size_t>(s.q_heads) + head;
      args.q_scale_stride = static_cast<std::size_t>(s.q_heads);
      args.group = group;
      args.rows = static_cast<int>(end - begin);
      args.first_position = tile.position[begin];
      args.head_dim = s.head_dim;
      args.head_dim_padded = s.head_dim_padded;
      args.pages = table_[layer % 2].pages(tile.segment[begin], h);
      args.out = work.attended.data() + begin * columns + head * static_cast<std::size_t>(s.head_dim);
      args.out_row_stride = columns;
      args.scratch = work.scratch.data();
      Policy::Attention(kernels_, args);
    }
    begin = end;
  }
}

// Attention, output projection and MLP of a tile.
template <class Policy>
void Forward<Policy>::FinishLayer(const Tile& tile, int layer, int thread) {
  const LayerShape& s = model_.shape;
  const auto& weights = model_.layers[static_cast<std::size_t>(layer)];
  Workspace& work = *workspaces_[static_cast<std::size_t>(thread)];
  const int rows = static_cast<int>(tile.rows);
  const std::size_t hidden = static_cast<std::size_t>(s.hidden);
  const auto panels = [](const auto& linear) { return linear.view.n_padded / kernels::kPanelColumns; };

  Attend(tile, layer, work);
  Policy::Resize(work.operand, tile.rows, s.q_columns());
  for (std::size_t r = 0; r < tile.rows; ++r) {
    Policy::Attended(kernels_, work.attended.data() + r * static_cast<std::size_t>(s.q_columns()), s.q_columns(),
                     work.operand, r);
  }
  Policy::Multiply(kernels_, work.operand, weights.o, rows, 0, panels(weights.o), tile.hidden, hidden,
                   kernels::GemmOutput::kAdd);

  Policy::Resize(work.operand, tile.rows, s.hidden);
  for (std::size_t r = 0; r < tile.rows; ++r) {
    Policy::Normalise(kernels_, tile.hidden + r * hidden, weights.post_norm, s.hidden, s.eps, work.operand, r);
  }
  const std::size_t inner = static_cast<std::size_t>(s.inner_padded());
  work.inner.EnsureSize(tile.rows * inner);
  Policy::Multiply(kernels_, work.operand, weights.gate_up, rows, 0, panels(weights.gate_up), work.inner.data(), inner,
                   kernels::GemmOutput::kSiluMul);

  Policy::Resize(work.operand, tile.rows, s.inner);
  for (std::size_t r = 0; r < tile.rows; ++r) {
    Policy::Inner(kernels_, work.inner.data() + r * inner, s.inner, model_.rotation.enabled(), work.operand, r);
  }
  Policy::Multiply(kernels_, work.operand, weights.down, rows, 0, panels(weights.down), tile.hidden, hidden,
                   kernels::GemmOutput::kAdd);
}

// Segments that start inside a page see what came before through their own copy of it.
template <class Policy>
void Forward<Policy>::CopySharedSlots(const StepPlan& plan, int layer) {
  const auto inside_page = [](const PlannedSegment& s) { return s.begin % kPagePositions != 0; };
  if (std::none_of(plan.segments.begin(), plan.segments.end(), inside_page)) return;
  const PageTable& table = table_[layer % 2];
  pool_.ParallelFor(static_cast<std::size_t>(page_shape_.kv_heads), [&](std::size_t task, int) {
    const int head = static_cast<int>(task);
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {  // parents come first
      const PlannedSegment& segment = plan.segments[i];
      if (!inside_page(segment)) continue;
      const int page = segment.first_page();
      const void* from = segment.parent >= 0 ? table.pages(segment.parent, head)[page]
                                             : static_cast<const void*>(segment.base->Page(layer, page, head));
      CopySlots(page_shape_, from, table.pages(static_cast<int>(i), head)[page], 0, segment.begin % kPagePositions);
    }
  });
}

// The last layer, of which only the scored rows are needed, and the final norm.
template <class Policy>
void Forward<Policy>::FinishScoredRows(const StepPlan& plan, float* out) {
  const LayerShape& s = model_.shape;
  const int layer = page_shape_.layers - 1;
  const std::size_t count = plan.scored.size();
  const std::size_t hidden = static_cast<std::size_t>(s.hidden);
  const std::size_t heads = static_cast<std::size_t>(s.q_heads);
  AlignedBuffer<std::byte> q(count * heads * Policy::QueryHeadBytes(s));
  AlignedBuffer<float> q_scale(count * heads);
  AlignedBuffer<float> rows(count * hidden);
  std::vector<int> position(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PlannedSegment& segment = plan.segments[static_cast<std::size_t>(plan.scored[i])];
    position[i] = segment.end - 1;
    const std::size_t row = segment.row_begin + segment.ids.size() - 1;
    std::memcpy(rows.data() + i * hidden, hidden_.data() + row * hidden, hidden * sizeof(float));
  }
  const std::vector<float> ones(hidden, 1.0f);
  const std::size_t tile_rows = TileRows(count, pool_.threads(), kTileRows, 1);
  pool_.ParallelFor((count + tile_rows - 1) / tile_rows, [&](std::size_t task, int thread) {
    const std::size_t begin = task * tile_rows;
    const std::size_t n = std::min(tile_rows, count - begin);
    const Tile tile{n,
                    rows.data() + begin * hidden,
                    q.data() + begin * heads * Policy::QueryHeadBytes(s),
                    q_scale.data() + begin * heads,
                    plan.scored.data() + begin,
                    position.data() + begin};
    ProjectQkv(tile, layer, true, false, thread);
    FinishLayer(tile, layer, thread);
    for (std::size_t r = 0; r < n; ++r) {
      kernels_.rms_norm_f32(tile.hidden + r * hidden, ones.data(), s.hidden, s.eps, out + (begin + r) * hidden);
    }
  });
}

template <class Policy>
Status Forward<Policy>::Run(const StepPlan& plan, const StepControl* control, float* out) {
  Prepare(plan);
  const bool amx = kernels_.isa == Isa::kAmx && page_shape_.precision == Precision::kInt8;
  const std::size_t tile_rows =
      TileRows(plan.rows, pool_.threads(), amx ? kTileRowsAmx : kTileRows, amx ? kGranuleAmx : kGranule);
  const std::size_t tiles = (plan.rows + tile_rows - 1) / tile_rows;
  const int last = page_shape_.layers - 1;
  const auto cancelled = [control] { return control != nullptr && control->cancelled(); };

  // Round -1 embeds; round `layer` finishes that layer and begins the next.
  for (int layer = -1; layer < last && !cancelled(); ++layer) {
    table_[(layer + 1) % 2].Build(plan, page_shape_, layer + 1, arena_[(layer + 1) % 2]);
    if (layer >= 0) CopySharedSlots(plan, layer);
    pool_.ParallelFor(tiles, [&](std::size_t task, int thread) {
      if (cancelled()) return;
      const std::size_t begin = task * tile_rows;
      const Tile tile = RowsOf(begin, std::min(tile_rows, plan.rows - begin));
      if (layer < 0) {
        Embed(plan, tile);
      } else {
        FinishLayer(tile, layer, thread);
      }
      ProjectQkv(tile, layer + 1, layer + 1 < last, true, thread);
    });
  }
  if (!cancelled() && !plan.scored.empty()) {
    CopySharedSlots(plan, last);
    FinishScoredRows(plan, out);
  } else if (!cancelled()) {
    CopySharedSlots(plan, last);  // kept segments are complete pages
  }
  Release(plan);
  if (cancelled()) return {StatusCode::kCancelled, "the step was cancelled"};
  return OkStatus();
}

template class Forward<Int8Policy>;
template class Forward<F32Policy>;

}  // namespace tamis::cpu
