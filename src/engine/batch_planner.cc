#include "engine/batch_planner.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/check.h"

namespace tamis {
namespace {

// Units of one request that a step looks past because they do not fit.
constexpr int kSkippedUnitsMax = 16;

class Planner {
 public:
  explicit Planner(const PlanInput& input)
      : input_(input), cursors_(input.requests.size()), prefix_planned_(input.prefix_costs.size()) {
    plan_.lane_balance = input.lane_balance;
    for (std::size_t i = 0; i < input.requests.size(); ++i) {
      waiting_cost_ += input.requests[i].waiting_cost;
      if (!input.requests[i].units.empty()) old_.order.push_back(i);
    }
    short_.order = old_.order;
    SortBy(&old_.order, [](const PlanRequest&) { return std::int64_t{0}; });
    SortBy(&short_.order, [](const PlanRequest& request) { return request.waiting_cost; });
  }

  BatchPlan Plan() {
    const std::int64_t enough = EvenShare();
    while (plan_.cost < enough) {
      Lane& owed = plan_.lane_balance > 0 ? old_ : short_;
      Lane& other = plan_.lane_balance > 0 ? short_ : old_;
      if (!TakeHead(owed) && !TakeHead(other) && (plan_.cost >= input_.cost_max / 2 || !Fill())) break;
    }
    std::sort(plan_.units.begin(), plan_.units.end(), [](const PlannedUnit& a, const PlannedUnit& b) {
      return std::tuple(a.request, a.unit) < std::tuple(b.request, b.unit);
    });
    return std::move(plan_);
  }

 private:
  struct Cursor {
    std::size_t next = 0;  // units before it are planned or do not fit
    int skipped = 0;
  };
  struct Lane {
    std::vector<std::size_t> order;  // of requests
    std::size_t at = 0;
  };

  template <class Key>
  void SortBy(std::vector<std::size_t>* order, const Key& key) const {
    std::sort(order->begin(), order->end(), [&](std::size_t a, std::size_t b) {
      const PlanRequest& x = input_.requests[a];
      const PlanRequest& y = input_.requests[b];
      return std::tuple(x.priority, key(x), x.arrival, a) < std::tuple(y.priority, key(y), y.arrival, b);
    });
  }

  // What is waiting is cut into equal steps, rather than full ones and a small last one that fills no tiles.
  std::int64_t EvenShare() const {
    const std::int64_t steps = std::max<std::int64_t>(1, (waiting_cost_ + input_.cost_max - 1) / input_.cost_max);
    return std::max<std::int64_t>(1, std::min(input_.cost_max, (waiting_cost_ + steps - 1) / steps));
  }

  bool AllLookedAt(std::size_t request) const {
    return cursors_[request].next == input_.requests[request].units.size();
  }

  // The first request of a lane that is not planned whole.
  std::size_t Head(Lane& lane) const {
    while (lane.at < lane.order.size() && AllLookedAt(lane.order[lane.at]) &&
           cursors_[lane.order[lane.at]].skipped == 0) {
      ++lane.at;
    }
    return lane.at < lane.order.size() ? lane.order[lane.at] : kNoRequest;
  }

  // Takes a request's next unit if it fits. Returns what it costs, or 0.
  std::int64_t Take(std::size_t request) {
    Cursor& cursor = cursors_[request];
    const PlanUnit& unit = input_.requests[request].units[cursor.next];
    const auto prefix = static_cast<std::size_t>(unit.prefix);
    const bool new_prefix = unit.prefix >= 0 && !prefix_planned_[prefix];
    const std::int64_t cost = unit.cost + (new_prefix ? input_.prefix_costs[prefix] : 0);
    TAMIS_DCHECK(cost > 0);
    if (plan_.cost > 0 && plan_.cost + cost > input_.cost_max) return 0;
    if (new_prefix) prefix_planned_[prefix] = true;
    plan_.units.push_back({request, cursor.next++});
    plan_.cost += cost;
    return cost;
  }

  // A lane never looks past a unit: what it took instead would be paid for with the turn of the one that waits.
  bool TakeHead(Lane& lane) {
    const std::size_t head = Head(lane);
    const bool in_both = head == Head(&lane == &old_ ? short_ : old_);
    if (head == kNoRequest || cursors_[head].skipped > 0) return false;
    const std::int64_t cost = Take(head);
    if (!in_both) plan_.lane_balance += &lane == &old_ ? -cost : cost;
    return cost > 0;
  }

  // Half a step is enough to use the machine well; below that, whatever fits is better than nothing.
  bool Fill() {
    for (; fill_at_ < short_.order.size(); ++fill_at_) {
      const std::size_t request = short_.order[fill_at_];
      Cursor& cursor = cursors_[request];
      for (; !AllLookedAt(request) && cursor.skipped <= kSkippedUnitsMax; ++cursor.next, ++cursor.skipped) {
        if (Take(request) > 0) return true;
      }
    }
    return false;
  }

  static constexpr std::size_t kNoRequest = static_cast<std::size_t>(-1);

  const PlanInput& input_;
  std::vector<Cursor> cursors_;
  std::vector<bool> prefix_planned_;
  Lane old_;
  Lane short_;
  std::size_t fill_at_ = 0;
  std::int64_t waiting_cost_ = 0;
  BatchPlan plan_;
};

}  // namespace

BatchPlan PlanNextStep(const PlanInput& input) {
  TAMIS_CHECK(input.cost_max > 0);
  return Planner(input).Plan();
}

}  // namespace tamis
