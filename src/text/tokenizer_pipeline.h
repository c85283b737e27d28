// The small parts of tokenizer.json: is the pipeline one that tamis implements, to the letter?
#pragma once

#include <string_view>
#include <vector>

#include "tamis/status.h"
#include "text/added_tokens.h"

namespace tamis {

// The text of each option of "model", empty where it is absent.
struct ModelOptionSlices {
  std::string_view type, dropout, unk_token, continuing_subword_prefix, end_of_word_suffix, fuse_unk, byte_fallback,
      ignore_merges;

  // The slice of a field, or null for a name that no option has.
  std::string_view* Find(std::string_view name);
};

struct BpeOptions {
  bool ignore_merges = false;
};

// Each names the field, what was found and what was expected where it refuses. An empty slice is an absent field.
Result<BpeOptions> CheckModelOptions(const ModelOptionSlices& slices, std::string_view file);
Result<bool> CheckNormalizer(std::string_view slice, std::string_view file);  // true: form C; false: none
Status CheckPreTokenizer(std::string_view slice, std::string_view file);
Result<std::vector<AddedToken>> ReadAddedTokens(std::string_view slice, std::size_t tokens_max, std::string_view file);

}  // namespace tamis
