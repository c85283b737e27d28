// The batch planner: which pending units the next step computes. A pure function, so that fairness and starvation are
// tested without threads or clocks.
//
// Two lanes share the work evenly: the short lane serves the request with the least work left, the old lane the one
// that has waited longest. So a small request takes at most twice its time alone (plus the steps around it) beside any
// number of larger ones, and the oldest request, however large, gets half of the machine until it is done: nothing
// starves. Whoever is in both lanes gets everything. A higher priority is served before a lower one in both lanes.
//
// A unit that is larger than a whole step gets one of its own. Where neither lane's next unit fits and the step is
// less than half full, later units and other requests fill it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tamis {

struct PlanUnit {
  std::int64_t cost = 0;  // of its own tokens (engine/cost_model.h). REQUIRES: > 0
  int prefix = -1;        // the beginning that it shares with others: index into PlanInput::prefix_costs; -1: none
};

struct PlanRequest {
  int priority = 0;                 // lower is served first (as Cohere's `priority`)
  std::int64_t arrival = 0;         // any order of waiting: a count or a time
  std::int64_t waiting_cost = 0;    // of all its units
  std::span<const PlanUnit> units;  // waiting, in the order they are to be computed
};

struct PlanInput {
  std::span<const PlanRequest> requests;
  std::span<const std::int64_t> prefix_costs;  // of computing each now; 0 where it is at hand
  std::int64_t cost_max = 0;                   // of a step. REQUIRES: > 0
  std::int64_t lane_balance = 0;               // as the last plan left it; 0 at first
};

struct PlannedUnit {
  std::size_t request = 0;
  std::size_t unit = 0;
};

struct BatchPlan {
  // By request, then by place.
  std::vector<PlannedUnit> units;
  std::int64_t cost = 0;          // prefixes included
  std::int64_t lane_balance = 0;  // work of the short lane less work of the old one
};

// A plan is empty only if nothing waits, and costs more than cost_max only if it is a single unit.
// Time: linear in the requests and in the units planned.
BatchPlan PlanNextStep(const PlanInput& input);

}  // namespace tamis
