// From texts to the units of a job: prompts encoded, long documents cut into windows, identical prompts found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "engine/scheduler.h"
#include "tamis/options.h"
#include "tamis/status.h"
#include "text/prompt.h"

namespace tamis {

// One query-document pair, texts only.
struct PairText {
  std::optional<std::string_view> instruction;  // resolved: no presets
  std::string_view query;
  std::string_view document;
  int max_length = 0;  // 0: the options'
};

// One prompt to score: a whole document, or a window of it.
struct PromptUnit {
  std::size_t pair = 0;
  std::size_t unit = 0;  // of the job; several prompts share one if their ids are the same
  int tokens = 0;        // of the prompt
  ByteRange window;
};

struct EncodedPairs {
  std::vector<JobPrefix> prefixes;
  std::vector<JobUnit> units;
  std::vector<PromptUnit> prompts;             // by pair, in the order of its windows
  std::vector<int> truncated_tokens;           // [pairs]
  std::vector<int> windows;                    // [pairs]
  int duplicates = 0;                          // pairs with nothing to compute that is not computed for another
  std::int64_t prompt_tokens = 0;
  bool query_truncated = false;
};

// Pairs with the same instruction, query and length share their beginning. Encodes on the threads of `pool`.
// Errors: InvalidArgument for options out of range, or a query that leaves no room for documents (both lengths named)
// unless options.truncate_query.
Result<EncodedPairs> EncodePairs(const PromptBuilder& prompts, std::span<const PairText> pairs,
                                 const ScoreOptions& options, int max_positions, ThreadPool* pool);

}  // namespace tamis
