#include "engine/batch_planner.h"

#include <queue>
#include <tuple>

namespace tamis {
namespace {

// A request's place in the queue: priority, service count including this step, order of arrival.
using Place = std::tuple<int, std::int64_t, std::size_t>;

}  // namespace

StepPlanChoice PlanNextStep(std::span<const PlanRequest> requests, std::int64_t cost_max) {
  StepPlanChoice choice;
  choice.take.resize(requests.size());
  choice.cost.resize(requests.size());
  std::vector<std::vector<bool>> prefix_taken(requests.size());
  std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    prefix_taken[i].resize(requests[i].prefix_costs.size());
    if (!requests[i].units.empty()) queue.emplace(requests[i].priority, requests[i].served, i);
  }
  while (!queue.empty()) {
    const auto [priority, served, index] = queue.top();
    queue.pop();
    const PlanRequest& request = requests[index];
    const PlanUnit& unit = request.units[choice.take[index]];
    const bool new_prefix = unit.prefix >= 0 && !prefix_taken[index][static_cast<std::size_t>(unit.prefix)];
    const std::int64_t cost = unit.cost + (new_prefix ? request.prefix_costs[static_cast<std::size_t>(unit.prefix)] : 0);
    if (choice.total_cost > 0 && choice.total_cost + cost > cost_max) break;  // the one whose turn it is goes first next time
    if (new_prefix) prefix_taken[index][static_cast<std::size_t>(unit.prefix)] = true;
    choice.total_cost += cost;
    choice.cost[index] += cost;
    if (++choice.take[index] < request.units.size()) queue.emplace(priority, served + cost, index);
  }
  return choice;
}

}  // namespace tamis
