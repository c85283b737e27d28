// The batch planner: which pending units the next step computes. A pure function, so that fairness and starvation are
// tested without threads or clocks.
//
// Each request has a service count: the cost served so far, level with the least-served waiting request when it
// arrives. The planner gives the next unit to the request with the lowest count, again and again, until the step is
// full. So two requests share every step evenly: the slower one takes at most twice its time alone, plus one step. A
// higher priority is served first as long as it has work. A unit that is larger than a whole step gets one of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

struct PlanUnit {
  std::int64_t cost = 0;   // own tokens (engine/cost_model.h)
  int prefix = -1;         // index of the request's prefix that it continues, or -1
};

struct PlanRequest {
  int priority = 0;               // lower is served first (as Cohere's `priority`)
  std::int64_t served = 0;        // service count
  std::span<const PlanUnit> units;  // pending, in the order they are to be computed
  std::span<const std::int64_t> prefix_costs;  // what computing each prefix costs now; 0 if it is at hand
};

struct StepPlanChoice {
  std::vector<std::size_t> take;     // for each request: how many of its first units
  std::vector<std::int64_t> cost;    // for each request: what they cost, prefixes included
  std::int64_t total_cost = 0;
};

// REQUIRES: cost_max > 0. A step is never empty while a unit is pending, and takes units until the next one would
// bring it over cost_max.
StepPlanChoice PlanNextStep(std::span<const PlanRequest> requests, std::int64_t cost_max);

}  // namespace tamis
