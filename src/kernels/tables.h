// The functions behind the tables of kernels.h: one namespace for each instruction set.
//
// Declarations only: the definitions live in <operation>_<isa>.cc files, each compiled with its own instruction-set
// flags, so nothing here may be inline (an inline function compiled with AVX-512 could be the copy that the linker
// keeps for every CPU). kernels.cc fills the tables from these names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::kernels {

struct GemmS8Args;
struct GemmF32Args;
struct HeadRowArgs;
struct AttentionArgs;

// Portable C++; activation_bias 0.
namespace reference {
void GemmS8(const GemmS8Args& args);
void GemmF32(const GemmF32Args& args);
void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale);
void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out);
void Quantize(const float* x, int n, int n_padded, void* out, float* scale);
void Hadamard(float* x, int n, int block);
void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale);
void Butterfly(float* a, float* b, std::size_t n);
void HeadRowS8(const HeadRowArgs& args);
void HeadRowF32(const HeadRowArgs& args);
void AttentionS8(const AttentionArgs& args);
void AttentionF32(const AttentionArgs& args);
float DotF32(const float* a, const float* b, std::size_t n);
double PeakS8(std::int64_t iterations);
double PeakF32(std::int64_t iterations);
}  // namespace reference

// AVX2 + FMA; activation_bias 0.
namespace avx2 {
void GemmS8(const GemmS8Args& args);
void GemmF32(const GemmF32Args& args);
void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale);
void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out);
void Quantize(const float* x, int n, int n_padded, void* out, float* scale);
void Hadamard(float* x, int n, int block);
void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale);
void Butterfly(float* a, float* b, std::size_t n);
void HeadRowS8(const HeadRowArgs& args);
void HeadRowF32(const HeadRowArgs& args);
void AttentionS8(const AttentionArgs& args);
void AttentionF32(const AttentionArgs& args);
float DotF32(const float* a, const float* b, std::size_t n);
double PeakS8(std::int64_t iterations);
double PeakF32(std::int64_t iterations);
}  // namespace avx2

// AVX-512 F/BW/DQ/VL + VNNI; activation_bias 128.
namespace avx512vnni {
void GemmS8(const GemmS8Args& args);
void GemmF32(const GemmF32Args& args);
void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale);
void RmsNormF32(const float* x, const float* weight, int n, float eps, float* out);
void Quantize(const float* x, int n, int n_padded, void* out, float* scale);
void Hadamard(float* x, int n, int block);
void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale);
void Butterfly(float* a, float* b, std::size_t n);
void HeadRowS8(const HeadRowArgs& args);
void HeadRowF32(const HeadRowArgs& args);
void AttentionS8(const AttentionArgs& args);
void AttentionF32(const AttentionArgs& args);
float DotF32(const float* a, const float* b, std::size_t n);
double PeakS8(std::int64_t iterations);
double PeakF32(std::int64_t iterations);
}  // namespace avx512vnni

// What AMX does differently (activation_bias 0, so the producers of quantised rows differ too, but not of queries); the
// rest of its table is avx512vnni's.
namespace amx {
void GemmS8(const GemmS8Args& args);
void RmsNormQuantize(const float* x, int n, int n_padded, float eps, void* out, float* scale);
void Quantize(const float* x, int n, int n_padded, void* out, float* scale);
void HadamardQuantize(float* x, int n, int n_padded, int block, void* out, float* scale);
void AttentionS8(const AttentionArgs& args);
double PeakS8(std::int64_t iterations);
}  // namespace amx

}  // namespace tamis::kernels
