// From the last hidden state to logits: two rows (or one) in fp32, or the whole vocabulary where log-probabilities
// are asked for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/prepare.h"
#include "backend/cpu/rotation.h"
#include "base/thread_pool.h"
#include "kernels/kernels.h"
#include "model/qwen3.h"

namespace tamis::cpu {

// Errors: InvalidArgument for a label outside the vocabulary or a head that the model does not have.
Result<PreparedHead> PrepareHead(const Qwen3Model& model, const HeadSpec& spec, const Rotation& rotation);

// hidden: [count][hidden size], normalised (final norm's weights not applied), rotated.
std::vector<HeadLogits> ComputeLogits(const PreparedHead& head, const Qwen3Model& model, const Rotation& rotation,
                                      const float* hidden, std::size_t count, const kernels::Kernels& kernels,
                                      ThreadPool& pool);

}  // namespace tamis::cpu
