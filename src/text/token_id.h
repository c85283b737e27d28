// TokenId: a row of the model's embedding table.
#pragma once

#include <cstdint>

namespace tamis {
using TokenId = std::int32_t;
}  // namespace tamis
