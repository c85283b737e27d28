#include "base/cpu_features.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace tamis {
namespace {

class ForcedIsa {
 public:
  explicit ForcedIsa(const char* value) { setenv("TAMIS_FORCE_ISA", value, 1); }
  ~ForcedIsa() { unsetenv("TAMIS_FORCE_ISA"); }
};

TEST(CpuFeatures, NamesRoundTrip) {
  for (Isa isa : {Isa::kReference, Isa::kAvx2, Isa::kAvx512Vnni, Isa::kAmx}) {
    const Result<Isa> parsed = ParseIsa(IsaName(isa));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, isa);
  }
}

TEST(CpuFeatures, SupportedIsasRise) {
  const std::vector<Isa> isas = SupportedIsas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.front(), Isa::kReference);
  for (std::size_t i = 1; i < isas.size(); ++i) EXPECT_LT(isas[i - 1], isas[i]);
  for (Isa isa : isas) EXPECT_TRUE(IsaSupported(isa));
}

TEST(CpuFeatures, SelectsTheBestByDefault) {
  unsetenv("TAMIS_FORCE_ISA");
  EXPECT_EQ(*SelectIsa(), SupportedIsas().back());
  const ForcedIsa empty("");
  EXPECT_EQ(*SelectIsa(), SupportedIsas().back());
}

TEST(CpuFeatures, ForcingASupportedIsaSelectsIt) {
  for (Isa isa : SupportedIsas()) {
    const ForcedIsa forced(std::string(IsaName(isa)).c_str());
    const Result<Isa> selected = SelectIsa();
    ASSERT_TRUE(selected.ok()) << selected.status().message();
    EXPECT_EQ(*selected, isa);
  }
}

TEST(CpuFeatures, ForcingFailsLoudly) {
  {
    const ForcedIsa forced("sse9");
    const Result<Isa> selected = SelectIsa();
    ASSERT_FALSE(selected.ok());
    EXPECT_EQ(selected.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(selected.status().message().find("TAMIS_FORCE_ISA"), std::string::npos);
    EXPECT_NE(selected.status().message().find("sse9"), std::string::npos);
  }
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512Vnni, Isa::kAmx}) {
    if (IsaSupported(isa)) continue;
    const ForcedIsa forced(std::string(IsaName(isa)).c_str());
    EXPECT_EQ(SelectIsa().status().code(), StatusCode::kFailedPrecondition);
  }
}

TEST(CpuFeatures, CpuHasAName) { EXPECT_FALSE(CpuModelName().empty()); }

}  // namespace
}  // namespace tamis
