// Kernels: one table of functions for each instruction set, chosen once at start.
//
// reference.cc is the specification: every other table is tested against it at ragged shapes and extreme values.
// Integer results are equal bit for bit on every ISA. Floating-point results may differ between ISAs in the last
// places, but within one ISA they depend only on the row's own data and position: never on the number of rows in the
// call, on neighbours, on tile position or on the thread. That is what makes scores independent of the batch.
//
// Int8 scheme. An activation row x (K floats) becomes bytes q = round(x * (127 / max|x|)), rounded to nearest even, and
// a scale s = max|x| / 127, all in single precision: q is in [-127, 127] (-128 never occurs). A row with
// max|x| < 1e-30 has s = 0 and q = 0; a row with a NaN or an infinity has s = NaN and q = 0, so that whatever follows
// is NaN too. Factors that apply to the whole row (of a norm, of a transform) go into s, never into q.
// A table with `activation_bias` 128 stores q + 128 as unsigned bytes (VNNI multiplies unsigned by signed), else q.
// Rows are K_padded bytes long, the padding holds the code of zero.
// y[m][n] = a_scale[m] * b_scale[n] * sum_k q[m][k] w[n][k].
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.h"

namespace tamis::kernels {

inline constexpr int kPanelColumns = 64;  // columns of an int8 weight panel, and keys of a key/value page
inline constexpr int kKeyGroup = 4;  // consecutive k values that one 32-bit lane holds
inline constexpr int kDepthAlignment = 64;  // K is padded to this (one AMX tile row)

// ---- int8 matrix product ---------------------------------------------------------------------------------------

// Weights of one linear layer, N outputs by K inputs, packed [N/64][K_padded/4][64][4] (panels of 64 columns; missing
// columns and the padding of K are zero).
struct PackedS8 {
  const std::int8_t* data = nullptr;
  const float* scale = nullptr;  // [n_padded] one for each output column
  const std::int32_t* column_sum = nullptr;  // [n_padded] sum_k w[n][k]
  int n = 0;
  int k = 0;
  int n_padded = 0;  // multiple of 64
  int k_padded = 0;  // multiple of 64
};

enum class GemmOutput {
  kStore,  // c[m][n] = y[m][n]
  kAdd,  // c[m][n] += y[m][n]
  // Columns come in groups of 16 gates then 16 ups: c[m][j] = silu(y[gate j]) * y[up j], half as many columns.
  kSiluMul,
};

struct GemmS8Args {
  const void* a = nullptr;  // [rows][lda] bytes, quantised rows
  std::size_t lda = 0;  // bytes from row to row, >= k_padded
  const float* a_scale = nullptr;  // [rows]
  const PackedS8* b = nullptr;
  int rows = 0;
  int panel_begin = 0;  // panels of 64 columns [panel_begin, panel_end)
  int panel_end = 0;
  float* c = nullptr;  // row 0, column 0 of the whole output (not of the first panel)
  std::size_t ldc = 0;  // floats from row to row
  GemmOutput output = GemmOutput::kStore;
  // Columns n >= b->n of the last panel are not written.
};

// ---- fp32 matrix product ---------------------------------------------------------------------------------------

// Packed [N/64][K][64] (64 neighbours in one stream: four streams of 16, a power of two apart, would fight for the same
// sets of the first-level cache); missing columns are zero.
struct PackedF32 {
  const float* data = nullptr;
  int n = 0;
  int k = 0;
  int n_padded = 0;
};

// For each output element the K products are added in order of k by fused multiply-adds, whatever the tiling.
struct GemmF32Args {
  const float* a = nullptr;
  std::size_t lda = 0;
  const PackedF32* b = nullptr;
  int rows = 0;
  int panel_begin = 0;  // panels of 64 columns, as in GemmS8Args
  int panel_end = 0;
  float* c = nullptr;
  std::size_t ldc = 0;
  GemmOutput output = GemmOutput::kStore;
};

// ---- attention -------------------------------------------------------------------------------------------------

// Keys and values live in pages of 64 consecutive positions; page p of a sequence holds positions [64 p, 64 p + 64).
// One page belongs to one layer and one key/value head. Bytes of an int8 page, d = head_dim padded to 64:
//   keys    s8  [d/4][64 keys][4]      a weight panel whose columns are the keys
//   values  s8  [64/4 keys][d][4]      a weight panel (of d/64 blocks of 64 columns: [d/64][64/4][64][4]) whose K is
//   the keys k_scale f32 [64], v_scale f32 [64], k_sum i32 [64]  (k_sum = sum over d of the key's bytes)
// Bytes of an fp32 page, d = head_dim (not padded):
//   keys f32 [d][64 keys], values f32 [64 keys][d]
// Pages start zeroed; slots past the last written position hold stale but finite values.
// Sizes are multiples of 64 bytes; pages are 64-byte aligned.
inline constexpr int kHeadDimMax = 512;
std::size_t PageBytesS8(int head_dim_padded);
std::size_t PageBytesF32(int head_dim);

struct PageS8 {  // typed views of the parts of one page
  std::int8_t* keys;
  std::int8_t* values;
  float* k_scale;
  float* v_scale;
  std::int32_t* k_sum;
};
PageS8 ViewPageS8(void* page, int head_dim_padded);

// What turns a row's raw q, k and v projections into attention operands.
struct HeadArgs {
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;  // even, at most kHeadDimMax
  int head_dim_padded = 0;  // the next multiple of 64
  float eps = 0;  // of the q and k norms
  const float* q_norm = nullptr;  // [head_dim]
  const float* k_norm = nullptr;  // [head_dim]
  int hadamard_block = 1;  // largest power of two that divides head_dim
};

// One row (token) of the step. qkv = [q_heads*head_dim | kv_heads*head_dim | kv_heads*head_dim] floats.
// Per q and k head: x * rsqrt(mean(x^2) + eps) * norm, then rotary embedding (half-split form: the pair is
// (x[i], x[i + head_dim/2]) with angle position * theta^(-2i/head_dim)); then, int8 only, a normalised Walsh-Hadamard
// transform over blocks of hadamard_block (dot products of q and k are unchanged by it) and quantisation by row.
// Values are quantised by row as they come (int8) or copied (fp32).
// Calls for different rows may run at the same time, even where their slots share a page.
struct HeadRowArgs {
  const HeadArgs* heads = nullptr;
  const float* qkv = nullptr;
  const float* rope_cos = nullptr;  // [head_dim/2] of this row's position
  const float* rope_sin = nullptr;
  // Outputs. q: int8 [q_heads][head_dim_padded] bytes with q_scale [q_heads] (softmax scale 1/sqrt(head_dim) included),
  // only for attention_s8 of the same table (whether they are biased is between the two), or fp32 [q_heads][head_dim]
  // with the softmax scale multiplied in.
  void* q = nullptr;
  float* q_scale = nullptr;
  void* const* pages = nullptr;  // [kv_heads] the page of this position, one for each key/value head
  int slot = 0;  // position % 64
};

// Attention of some rows of one sequence over one key/value head: rows r in [0, rows) sit at consecutive positions
// first_position + r and see keys at positions 0 .. their own.
// For each page in order (online softmax): s = q.k; m' = max(m, max s); p = exp(s - m'); the sums are rescaled by
// exp(m - m'). int8: p[j] * v_scale[j] is quantised to u8 by row and page (scale = max_j / 255, round to nearest),
// the integer product with the values is exact, and the softmax denominator uses the unquantised p.
struct AttentionArgs {
  const void* q = nullptr;  // row 0, head 0 of the group
  std::size_t q_row_stride = 0;  // bytes from row to row
  std::size_t q_head_stride = 0;  // bytes from head to head
  const float* q_scale = nullptr;  // int8 only: [row * q_scale_stride + head]
  std::size_t q_scale_stride = 0;
  int group = 1;  // query heads that share the key/value head
  int rows = 0;
  int first_position = 0;
  int head_dim = 0;
  int head_dim_padded = 0;
  const void* const* pages =
      nullptr;  // pages of this sequence, layer and kv head: [(first_position + rows - 1) / 64 + 1]
  float* out = nullptr;  // [row * out_row_stride + head * head_dim + i], head in [0, group)
  std::size_t out_row_stride = 0;  // floats
  void* scratch = nullptr;  // attention_scratch_bytes(args' shape), 64-byte aligned, private to the thread
};
inline constexpr int kAttentionRowsMax = 32;  // rows per call, at most
std::size_t AttentionScratchBytes(int group, int head_dim_padded);

// ---- the table -------------------------------------------------------------------------------------------------

struct Kernels {
  Isa isa;
  int activation_bias;  // 0 or 128, see the head of this file

  void (*gemm_s8)(const GemmS8Args& args);
  void (*gemm_f32)(const GemmF32Args& args);

  // out[i] = x[i] * rsqrt(mean(x^2) + eps) (* weight[i] in the fp32 form).
  void (*rms_norm_quantize)(const float* x, int n, int n_padded, float eps, void* out, float* scale);
  void (*rms_norm_f32)(const float* x, const float* weight, int n, float eps, float* out);
  // Quantises one row.
  void (*quantize)(const float* x, int n, int n_padded, void* out, float* scale);
  // Normalised Walsh-Hadamard transform of each block of `block` (a power of two) floats, in place; block divides n.
  // Butterflies at distance 1, 2, 4 ... block/2 in this order, then one multiplication: the same bits on every ISA.
  void (*hadamard)(float* x, int n, int block);
  // hadamard() then quantize(); x is destroyed.
  void (*hadamard_quantize)(float* x, int n, int n_padded, int block, void* out, float* scale);
  // One butterfly of a transform across rows: a, b <- a + b, a - b.
  void (*butterfly)(float* a, float* b, std::size_t n);

  void (*head_row_s8)(const HeadRowArgs& args);
  void (*head_row_f32)(const HeadRowArgs& args);
  void (*attention_s8)(const AttentionArgs& args);
  void (*attention_f32)(const AttentionArgs& args);

  // sum_i a[i] * b[i] in a fixed order (the two-row head; double accumulation is not needed).
  float (*dot_f32)(const float* a, const float* b, std::size_t n);

  // Register-only loops of the densest int8 / fp32 multiply-add instruction of the ISA: run `iterations` rounds, return
  // operations done (a multiply and an add count as two). For peak_share in `tamis bench`.
  double (*peak_s8)(std::int64_t iterations);
  double (*peak_f32)(std::int64_t iterations);
};

// REQUIRES: IsaSupported(isa).
const Kernels& KernelsFor(Isa isa);

}  // namespace tamis::kernels
