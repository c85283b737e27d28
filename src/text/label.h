// Labels of a scoring head, looked up in a vocabulary.
#pragma once

#include <string>
#include <vector>

#include "tamis/status.h"
#include "text/profile.h"
#include "text/tokenizer.h"

namespace tamis {

struct ResolvedHead {
  HeadKind kind = HeadKind::kLabelPair;
  TokenId positive = -1;             // the one label of kLabel; -1 for kScore
  TokenId negative = -1;             // of kLabelPair, else -1
  LabelOutput output = LabelOutput::kLogit;
  std::vector<std::string> notes;    // what a person should know, such as which token a longer label stands for
};

// Errors: InvalidArgument for a label that is not one token (its pieces are named), an id beyond the vocabulary, or two
// labels that are the same token.
Result<ResolvedHead> ResolveHead(const ScoringProfile& profile, const Tokenizer& tokenizer);

}  // namespace tamis
