// Backend: the one interface between the engine and whatever computes scores (own CPU kernels, ONNX Runtime).
//
// Work comes in steps. A step is a list of segments: runs of token ids, each continuing its parent's tokens, so that
// what many prompts share (template, instruction, query) is computed once. A segment with `score` set yields logits at
// its last token. Scores do not depend on how a prompt is cut into segments, on the other segments of the step, on
// their order or on the number of threads: bit for bit on one ISA and precision.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tamis/status.h"
#include "text/token_id.h"

namespace tamis {

// What the scored position yields; fixed when a backend is made.
struct HeadSpec {
  enum class Kind : std::uint8_t {
    kLabelPair,     // logits of two tokens: {positive, negative}
    kLabel,         // logit of one token; with `log_sum_exp`, also that of the whole vocabulary's logits
    kScoreRow,      // one logit of a sequence-classification head
  };
  Kind kind = Kind::kLabelPair;
  TokenId positive = 0;
  TokenId negative = 0;
  bool log_sum_exp = false;
};

struct HeadLogits {
  float first = 0;   // positive / label / score logit
  float second = 0;  // negative logit, or log-sum-exp over the vocabulary (kLabel), else 0

  // logit(yes) - logit(no), the one logit, or the label's log-probability.
  float margin() const { return first - second; }
};

// Keys and values of a run of tokens, kept so that later steps can continue from it. Immutable, shared.
class PrefixState {
 public:
  virtual ~PrefixState() = default;
  virtual std::size_t tokens() const = 0;  // from the start of the prompt
  virtual std::size_t bytes() const = 0;   // memory that freeing it gives back
};

struct Segment {
  int parent = -1;                            // earlier segment of this step that it continues, or -1
  std::shared_ptr<const PrefixState> prefix;  // parent == -1: what it continues, or null for the start of the prompt
  std::span<const TokenId> ids;               // own tokens; never empty; must outlive the call
  bool score = false;
  bool keep = false;                          // return its PrefixState
};

struct SegmentResult {
  HeadLogits logits;                          // of a scored segment
  std::shared_ptr<const PrefixState> state;   // of a kept segment
};

// Lets the owner of a step stop it between layers and row blocks. Thread-safe.
class StepControl {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  void Reset() { cancelled_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

struct BackendInfo {
  std::string backend;         // "cpu"
  std::string precision;       // "int8", "fp32"
  std::string isa;             // "avx512vnni"
  int threads = 1;
  std::size_t weight_bytes = 0;  // packed weights in memory, mapped embedding not counted
  int max_positions = 0;       // longest prompt in tokens
  double linear_ops_per_token = 0;  // multiply-adds x 2 of the linear layers
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendInfo& info() const = 0;

  // Computes one step. Results are in the order of the segments. Not re-entrant: one step at a time.
  // Errors: InvalidArgument (an id out of the vocabulary, a prompt longer than max_positions), ResourceExhausted
  // (memory), Cancelled (`control`), Internal (a score that is not finite).
  virtual Result<std::vector<SegmentResult>> Run(std::span<const Segment> segments, const StepControl* control) = 0;
};

}  // namespace tamis
