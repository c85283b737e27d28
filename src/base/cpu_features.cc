// CPUID says what the CPU has, XGETBV what the operating system saves on a context switch; both must agree before a
// wide register may be touched. AMX tile state is granted to a process only on request (Linux 5.16).
#include "base/cpu_features.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tamis {
namespace {

struct NamedIsa {
  Isa isa;
  std::string_view name;
};
constexpr std::array<NamedIsa, 4> kIsas = {
    {{Isa::kReference, "reference"}, {Isa::kAvx2, "avx2"}, {Isa::kAvx512Vnni, "avx512vnni"}, {Isa::kAmx, "amx"}}};

struct Support {
  bool avx2 = false;
  bool avx512vnni = false;
  bool amx = false;
};

#if defined(__x86_64__)

struct CpuidRegisters {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters Cpuid(unsigned leaf, unsigned subleaf = 0) {
  CpuidRegisters r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);  // leaves all zero where the leaf does not exist
  return r;
}

bool Bit(unsigned value, int bit) { return ((value >> bit) & 1U) != 0; }

// REQUIRES: CPUID reports OSXSAVE. Inline assembly: the intrinsic would need this file compiled with -mxsave.
std::uint64_t EnabledStates() {
  unsigned low = 0;
  unsigned high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

bool RequestAmxPermission() {
  constexpr long kArchReqXcompPerm = 0x1023;  // asm/prctl.h of newer kernels than some we build on
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kArchReqXcompPerm, kTileData) == 0;
}

Support DetectSupport() {
  constexpr std::uint64_t kYmmStates = 0x6;        // SSE, AVX
  constexpr std::uint64_t kZmmStates = 0xe6;       // + opmask, upper halves, high 16
  constexpr std::uint64_t kTileStates = 0x60000;   // tile configuration, tile data
  Support support;
  const CpuidRegisters basic = Cpuid(1);
  const bool osxsave = Bit(basic.ecx, 27);
  if (!osxsave) return support;
  const std::uint64_t states = EnabledStates();
  const CpuidRegisters extended = Cpuid(7);
  const bool avx = Bit(basic.ecx, 28), fma = Bit(basic.ecx, 12), f16c = Bit(basic.ecx, 29);
  support.avx2 = avx && fma && f16c && Bit(extended.ebx, 5) && (states & kYmmStates) == kYmmStates;
  const bool avx512 = Bit(extended.ebx, 16) && Bit(extended.ebx, 17) && Bit(extended.ebx, 30) &&
                      Bit(extended.ebx, 31) && Bit(extended.ecx, 11);  // F, DQ, BW, VL, VNNI
  support.avx512vnni = support.avx2 && avx512 && (states & kZmmStates) == kZmmStates;
  const bool amx_int8 = Bit(extended.edx, 24) && Bit(extended.edx, 25);
  support.amx = support.avx512vnni && amx_int8 && (states & kTileStates) == kTileStates && RequestAmxPermission();
  return support;
}

#else

Support DetectSupport() { return {}; }

#endif

const Support& CpuSupport() {
  static const Support support = DetectSupport();
  return support;
}

}  // namespace

std::string_view IsaName(Isa isa) {
  for (const NamedIsa& entry : kIsas) {
    if (entry.isa == isa) return entry.name;
  }
  return "unknown";
}

Result<Isa> ParseIsa(std::string_view name) {
  for (const NamedIsa& entry : kIsas) {
    if (entry.name == name) return entry.isa;
  }
  return InvalidArgument(
      fmt::format("unknown instruction set \"{}\", expected reference, avx2, avx512vnni or amx", name));
}

bool IsaSupported(Isa isa) {
  switch (isa) {
    case Isa::kReference: return true;
    case Isa::kAvx2: return CpuSupport().avx2;
    case Isa::kAvx512Vnni: return CpuSupport().avx512vnni;
    case Isa::kAmx: return CpuSupport().amx;
  }
  return false;
}

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> isas;
  for (const NamedIsa& entry : kIsas) {
    if (IsaSupported(entry.isa)) isas.push_back(entry.isa);
  }
  return isas;
}

Result<Isa> SelectIsa() {
  const char* forced = std::getenv("TAMIS_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') return SupportedIsas().back();
  Result<Isa> isa = ParseIsa(forced);
  if (!isa.ok()) return InvalidArgument("TAMIS_FORCE_ISA: " + isa.status().message());
  if (!IsaSupported(*isa)) {
    return FailedPrecondition(fmt::format("TAMIS_FORCE_ISA={}: this machine ({}) supports at most {}", forced,
                                          CpuModelName(), IsaName(SupportedIsas().back())));
  }
  return isa;
}

std::string CpuModelName() {
#if defined(__x86_64__)
  constexpr unsigned kFirstBrandLeaf = 0x80000002U;
  constexpr unsigned kBrandLeaves = 3;
  if (__get_cpuid_max(0x80000000U, nullptr) >= kFirstBrandLeaf + kBrandLeaves - 1) {
    std::array<char, kBrandLeaves * sizeof(CpuidRegisters) + 1> brand{};
    for (unsigned i = 0; i < kBrandLeaves; ++i) {
      const CpuidRegisters r = Cpuid(kFirstBrandLeaf + i);
      std::memcpy(brand.data() + i * sizeof(r), &r, sizeof(r));
    }
    std::string name = brand.data();
    const std::size_t begin = name.find_first_not_of(' ');
    if (begin != std::string::npos) return name.substr(begin, name.find_last_not_of(' ') - begin + 1);
  }
#endif
  return "unknown";
}

}  // namespace tamis
