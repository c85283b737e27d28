// The tables of kernels, one for each instruction set.
#include "kernels/kernels.h"

#include "base/check.h"
#include "kernels/tables.h"

namespace tamis::kernels {
namespace {

constexpr Kernels kReference = {
    Isa::kReference,
    0,
    reference::GemmS8,
    reference::GemmF32,
    reference::RmsNormQuantize,
    reference::RmsNormF32,
    reference::Quantize,
    reference::Hadamard,
    reference::HadamardQuantize,
    reference::Butterfly,
    reference::HeadRowS8,
    reference::HeadRowF32,
    reference::AttentionS8,
    reference::AttentionF32,
    reference::DotF32,
    reference::PeakS8,
    reference::PeakF32,
};

#if defined(__x86_64__)
constexpr Kernels kAvx2 = {
    Isa::kAvx2,
    0,
    avx2::GemmS8,
    avx2::GemmF32,
    avx2::RmsNormQuantize,
    avx2::RmsNormF32,
    avx2::Quantize,
    avx2::Hadamard,
    avx2::HadamardQuantize,
    avx2::Butterfly,
    avx2::HeadRowS8,
    avx2::HeadRowF32,
    avx2::AttentionS8,
    avx2::AttentionF32,
    avx2::DotF32,
    avx2::PeakS8,
    avx2::PeakF32,
};

constexpr Kernels kAvx512Vnni = {
    Isa::kAvx512Vnni,
    128,
    avx512vnni::GemmS8,
    avx512vnni::GemmF32,
    avx512vnni::RmsNormQuantize,
    avx512vnni::RmsNormF32,
    avx512vnni::Quantize,
    avx512vnni::Hadamard,
    avx512vnni::HadamardQuantize,
    avx512vnni::Butterfly,
    avx512vnni::HeadRowS8,
    avx512vnni::HeadRowF32,
    avx512vnni::AttentionS8,
    avx512vnni::AttentionF32,
    avx512vnni::DotF32,
    avx512vnni::PeakS8,
    avx512vnni::PeakF32,
};

constexpr Kernels kAmx = {
    Isa::kAmx,
    0,
    amx::GemmS8,
    avx512vnni::GemmF32,
    amx::RmsNormQuantize,
    avx512vnni::RmsNormF32,
    amx::Quantize,
    avx512vnni::Hadamard,
    amx::HadamardQuantize,
    avx512vnni::Butterfly,
    avx512vnni::HeadRowS8,
    avx512vnni::HeadRowF32,
    amx::AttentionS8,
    avx512vnni::AttentionF32,
    avx512vnni::DotF32,
    amx::PeakS8,
    avx512vnni::PeakF32,
};
#endif

}  // namespace

const Kernels& KernelsFor(Isa isa) {
  TAMIS_CHECK(IsaSupported(isa));
  switch (isa) {
    case Isa::kReference: return kReference;
#if defined(__x86_64__)
    case Isa::kAvx2: return kAvx2;
    case Isa::kAvx512Vnni: return kAvx512Vnni;
    case Isa::kAmx: return kAmx;
#else
    default: break;
#endif
  }
  return kReference;
}

}  // namespace tamis::kernels
