// The forward pass of one step: all rows of all segments through all layers.
//
// Rows go through the layers in tiles of a few dozen. What a tile needs between two barriers stays in its thread's own
// buffers (and so in its cache): attention, output projection and MLP of one layer, then norm, projections and
// key/value storage of the next. There is one barrier a layer, after which the keys of all rows are there to be read.
// Memory is the hidden rows, the queries, and two layers' keys and values (the one read and the one written).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kv_pages.h"
#include "backend/cpu/policies.h"
#include "backend/cpu/prepare.h"
#include "backend/cpu/rope_table.h"
#include "backend/cpu/step_plan.h"
#include "base/aligned_buffer.h"
#include "base/thread_pool.h"

namespace tamis::cpu {

// How rows are cut into tiles: `tile_rows` at most, a multiple of `granule` but for the last, and as many tiles as
// keep all threads busy to the end.
std::size_t TileRows(std::size_t rows, int threads, std::size_t tile_rows, std::size_t granule);

template <class Policy>
class Forward {
 public:
  using Linear = typename Policy::Linear;

  Forward(const PreparedModel<Linear>& model, const PageShape& pages, const kernels::Kernels& kernels,
          ThreadPool& pool);
  ~Forward();

  // Writes the normalised final hidden row (without the final norm's weights) of each scored segment to `out`,
  // [plan.scored][hidden]. Errors: Cancelled.
  Status Run(const StepPlan& plan, const StepControl* control, float* out);

 private:
  struct Workspace;
  struct Tile;

  void Prepare(const StepPlan& plan);
  void Release(const StepPlan& plan);
  void Embed(const StepPlan& plan, const Tile& tile);
  void ProjectQkv(const Tile& tile, int layer, bool queries, bool keys, int thread);
  void Attend(const Tile& tile, int layer, Workspace& work);
  void FinishLayer(const Tile& tile, int layer, int thread);
  void CopySharedSlots(const StepPlan& plan, int layer);
  void FinishScoredRows(const StepPlan& plan, float* out);
  Tile RowsOf(std::size_t begin, std::size_t count);
  const kernels::HeadArgs& Heads(int layer, bool queries, bool keys, kernels::HeadArgs* args) const;

  const PreparedModel<Linear>& model_;
  PageShape page_shape_;
  const kernels::Kernels& kernels_;
  ThreadPool& pool_;
  RopeTable rope_;

  AlignedBuffer<float> hidden_;          // [rows][hidden]
  AlignedBuffer<std::byte> q_;           // [rows][q_heads][head_dim_padded] bytes, or floats
  AlignedBuffer<float> q_scale_;         // [rows][q_heads]
  std::vector<int> row_segment_;
  std::vector<int> row_position_;
  PageArena arena_[2];                   // by parity of the layer
  PageTable table_[2];
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

extern template class Forward<Int8Policy>;
extern template class Forward<F32Policy>;

}  // namespace tamis::cpu
