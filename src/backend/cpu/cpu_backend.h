// The CPU backend: Qwen3 with the project's own kernels, in int8 (folded, rotated) or fp32.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/backend.h"
#include "model/qwen3.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

struct CpuBackendOptions {
  Precision precision = Precision::kInt8;
  int threads = 0;  // 0: AvailableCpuCount()
  HeadSpec head;
  bool rotate = true;  // int8: the Hadamard rotations; off only to measure what they bring
};

// Prepares the model's weights (folding, rotation, quantisation, packing) and gives its mapped source pages back as it
// goes; the embedding stays mapped. The model's storage is kept alive by the backend.
// Errors: DataLoss for a weight that is not finite (tensor and place named), FailedPrecondition for the ISA,
// InvalidArgument for a head that the model does not have.
Result<std::unique_ptr<Backend>> MakeCpuBackend(Qwen3Model model, const CpuBackendOptions& options);

}  // namespace tamis
