// Encoding many texts on all threads of a pool.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "text/tokenizer.h"

namespace tamis {

// The ids of each text, in order: as Encode() gives them, whatever the number of threads.
std::vector<std::vector<TokenId>> EncodeBatch(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
                                              ThreadPool* pool);

}  // namespace tamis
