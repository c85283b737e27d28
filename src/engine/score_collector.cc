#include "engine/score_collector.h"

#include <algorithm>

namespace tamis {

ScoreCollector::ScoreCollector(const EncodedPairs& encoded, std::size_t units)
    : encoded_(encoded),
      margins_(units),
      prompts_(encoded.prompts.size()),
      prompts_begin_(units + 1),
      open_prompts_(encoded.windows.size()) {
  for (const PromptUnit& prompt : encoded.prompts) {
    ++prompts_begin_[prompt.unit + 1];
    ++open_prompts_[prompt.pair];
  }
  for (std::size_t i = 0; i < units; ++i) prompts_begin_[i + 1] += prompts_begin_[i];
  std::vector<std::size_t> at(prompts_begin_.begin(), prompts_begin_.end() - 1);
  for (std::size_t i = 0; i < encoded.prompts.size(); ++i) prompts_[at[encoded.prompts[i].unit]++] = i;
}

std::size_t ScoreCollector::Add(std::size_t unit, const HeadLogits& logits) {
  margins_[unit] = logits.margin();
  for (std::size_t i = prompts_begin_[unit]; i < prompts_begin_[unit + 1]; ++i) {
    if (--open_prompts_[encoded_.prompts[prompts_[i]].pair] == 0) ++documents_done_;
  }
  return documents_done_;
}

std::vector<DocumentScore> ScoreCollector::Scores(Activation activation) const {
  std::vector<DocumentScore> out(encoded_.windows.size());
  std::vector<bool> seen(out.size());
  for (const PromptUnit& prompt : encoded_.prompts) {
    DocumentScore& score = out[prompt.pair];
    const float margin = margins_[prompt.unit];
    score.tokens += prompt.tokens;
    if (seen[prompt.pair] && margin <= score.margin) continue;
    seen[prompt.pair] = true;
    score.index = prompt.pair;
    score.margin = margin;
    score.truncated_tokens = encoded_.truncated_tokens[prompt.pair];
    score.windows = encoded_.windows[prompt.pair];
    if (score.windows > 1) score.window = prompt.window;
  }
  for (DocumentScore& score : out) {
    score.score = static_cast<float>(ApplyActivation(activation, static_cast<double>(score.margin)));
  }
  return out;
}

void RankScores(std::vector<DocumentScore>* scores, int top_n, std::optional<float> min_score) {
  std::sort(scores->begin(), scores->end(), [](const DocumentScore& a, const DocumentScore& b) {
    return a.margin != b.margin ? a.margin > b.margin : a.index < b.index;
  });
  if (min_score) std::erase_if(*scores, [&](const DocumentScore& s) { return s.score < *min_score; });
  if (top_n > 0 && scores->size() > static_cast<std::size_t>(top_n)) scores->resize(static_cast<std::size_t>(top_n));
}

}  // namespace tamis
