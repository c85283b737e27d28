// Texts are handed out in groups of similar size: one text is often too little work to be worth a hand-over.
#include "text/encode_batch.h"

#include <cstddef>

namespace tamis {
namespace {

constexpr std::size_t kGroupBytes = 16384;  // about 0.2 ms of work

}  // namespace

std::vector<std::vector<TokenId>> EncodeBatch(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
                                              ThreadPool* pool) {
  std::vector<std::size_t> groups = {0};  // where each starts; the last entry is the end
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bytes += texts[i].size() + 64;
    if (bytes >= kGroupBytes) {
      groups.push_back(i + 1);
      bytes = 0;
    }
  }
  if (groups.back() != texts.size()) groups.push_back(texts.size());

  std::vector<std::vector<TokenId>> ids(texts.size());
  pool->ParallelFor(groups.size() - 1, [&](std::size_t group, int) {
    for (std::size_t i = groups[group]; i < groups[group + 1]; ++i) tokenizer.Encode(texts[i], &ids[i]);
  });
  return ids;
}

}  // namespace tamis
