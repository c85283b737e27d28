// ScoreCollector: from the logits of prompts, in whatever order they come, to the scores of documents.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "engine/prompt_units.h"
#include "tamis/options.h"
#include "text/profile.h"

namespace tamis {

class ScoreCollector {
 public:
  // Keeps what it needs of `encoded`, which may lose its units and prefixes meanwhile. REQUIRES: it outlives this.
  explicit ScoreCollector(const EncodedPairs& encoded, std::size_t units);

  // Takes the logits of a unit, once for each. Returns how many documents are complete.
  std::size_t Add(std::size_t unit, const HeadLogits& logits);

  // By document; a document's score is that of its best prompt, the first of equals. REQUIRES: all units were added.
  std::vector<DocumentScore> Scores(Activation activation) const;

 private:
  const EncodedPairs& encoded_;
  std::vector<float> margins_;               // [units]
  std::vector<std::size_t> prompts_;         // of encoded_.prompts, by unit
  std::vector<std::size_t> prompts_begin_;   // [units + 1]: where a unit's start
  std::vector<int> open_prompts_;            // [documents]
  std::size_t documents_done_ = 0;
};

// Best first, equal margins by index; then without those below min_score, then the first top_n (0: all). By margin,
// not by score: a sigmoid in single precision makes equals of large margins.
void RankScores(std::vector<DocumentScore>* scores, int top_n, std::optional<float> min_score);

}  // namespace tamis
