// Which instruction sets this process may use, and which kernels to choose.
//
// TAMIS_FORCE_ISA=reference|avx2|avx512vnni|amx picks one by name; SelectIsa() fails loudly if the CPU lacks it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"

namespace tamis {

// In rising order of preference. Each has one table of kernels (src/kernels/).
enum class Isa {
  kReference,   // portable C++: the specification of the others
  kAvx2,        // AVX2 + FMA + F16C
  kAvx512Vnni,  // AVX-512 F/BW/DQ/VL + VNNI
  kAmx,         // the same + AMX-INT8 tiles for int8 products
};

std::string_view IsaName(Isa isa);
Result<Isa> ParseIsa(std::string_view name);

// True if CPU and operating system both support it (for AMX this asks the kernel for tile state).
bool IsaSupported(Isa isa);
std::vector<Isa> SupportedIsas();

// The best supported ISA, or the one that TAMIS_FORCE_ISA names.
// Errors: InvalidArgument for an unknown name, FailedPrecondition for one this CPU lacks.
Result<Isa> SelectIsa();

// The processor's name as it reports it, such as "AMD EPYC 9754", or "unknown".
std::string CpuModelName();

}  // namespace tamis
