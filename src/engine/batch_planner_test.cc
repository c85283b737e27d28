#include "engine/batch_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

namespace tamis {
namespace {

constexpr std::int64_t kCostMax = 512;

// A machine of speed one and the requests that reach it: time is cost.
class Simulation {
 public:
  struct Request {
    int priority = 0;
    std::int64_t arrival = 0;
    std::vector<PlanUnit> units;
    std::int64_t total = 0;
    std::int64_t done_at = -1;
  };

  void Add(std::int64_t arrival, std::vector<std::int64_t> costs, int priority = 0) {
    Request request{priority, arrival, {}, 0, -1};
    for (std::int64_t cost : costs) {
      request.units.push_back({cost, -1});
      request.total += cost;
      largest_unit_ = std::max(largest_unit_, cost);
    }
    requests_.push_back(std::move(request));
  }

  void Run() {
    std::vector<std::vector<PlanUnit>> waiting;
    for (const Request& request : requests_) waiting.push_back(request.units);
    std::int64_t now = 0;
    std::int64_t balance = 0;
    for (;;) {
      PlanInput input;
      std::vector<PlanRequest> arrived;
      std::vector<std::size_t> which;
      std::int64_t next_arrival = -1;
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (waiting[i].empty()) continue;
        if (requests_[i].arrival > now) {
          next_arrival = next_arrival < 0 ? requests_[i].arrival : std::min(next_arrival, requests_[i].arrival);
          continue;
        }
        std::int64_t cost = 0;
        for (const PlanUnit& unit : waiting[i]) cost += unit.cost;
        arrived.push_back({requests_[i].priority, requests_[i].arrival, cost, waiting[i]});
        which.push_back(i);
      }
      if (arrived.empty()) {
        if (next_arrival < 0) return;
        now = next_arrival;
        balance = 0;
        continue;
      }
      input.requests = arrived;
      input.cost_max = kCostMax;
      input.lane_balance = balance;
      const BatchPlan plan = PlanNextStep(input);
      Check(plan, arrived);
      balance = plan.lane_balance;
      now += plan.cost;
      for (auto planned = plan.units.rbegin(); planned != plan.units.rend(); ++planned) {
        auto& units = waiting[which[planned->request]];
        units.erase(units.begin() + static_cast<std::ptrdiff_t>(planned->unit));
        if (units.empty()) requests_[which[planned->request]].done_at = now;
      }
    }
  }

  std::int64_t Took(std::size_t i) const { return requests_[i].done_at - requests_[i].arrival; }
  const std::vector<Request>& requests() const { return requests_; }
  std::int64_t largest_unit() const { return largest_unit_; }
  // Of a step that one came too late for, the one that it finished in, and the turn that another lane was owed.
  std::int64_t step_slack() const { return 3 * std::max(kCostMax, largest_unit_); }

 private:
  static void Check(const BatchPlan& plan, const std::vector<PlanRequest>& arrived) {
    ASSERT_FALSE(plan.units.empty());
    std::int64_t cost = 0;
    std::int64_t waiting = 0;
    std::int64_t largest = 0;
    std::size_t at = 0;
    for (std::size_t r = 0; r < arrived.size(); ++r) {
      for (std::size_t u = 0; u < arrived[r].units.size(); ++u) {
        const std::int64_t unit = arrived[r].units[u].cost;
        waiting += unit;
        largest = std::max(largest, unit);
        if (at == plan.units.size() || plan.units[at].request != r || plan.units[at].unit != u) continue;
        cost += unit;
        ++at;
      }
    }
    EXPECT_EQ(at, plan.units.size()) << "planned units are not in order";
    EXPECT_EQ(cost, plan.cost);
    EXPECT_TRUE(plan.cost <= kCostMax || plan.units.size() == 1) << plan.cost;
    // Full while work waits: what units of a quarter of a step at most leave empty is less than a quarter.
    if (largest <= kCostMax / 4) { EXPECT_GE(plan.cost, std::min(waiting, kCostMax / 2)); }
  }

  std::vector<Request> requests_;
  std::int64_t largest_unit_ = 0;
};

std::vector<std::int64_t> Costs(std::mt19937& random, int count, std::int64_t min, std::int64_t max) {
  std::vector<std::int64_t> costs;
  for (int i = 0; i < count; ++i) costs.push_back(std::uniform_int_distribution<std::int64_t>(min, max)(random));
  return costs;
}

TEST(BatchPlanner, NothingWaitingGivesAnEmptyPlan) {
  PlanInput input;
  input.cost_max = kCostMax;
  EXPECT_TRUE(PlanNextStep(input).units.empty());
  const PlanRequest idle;
  input.requests = {&idle, 1};
  EXPECT_TRUE(PlanNextStep(input).units.empty());
}

TEST(BatchPlanner, OneRequestIsCutIntoEvenSteps) {
  const std::vector<PlanUnit> units(12, {50, -1});  // 600: two steps of 300, not 500 and 100
  const PlanRequest request{0, 0, 600, units};
  PlanInput input;
  input.requests = {&request, 1};
  input.cost_max = kCostMax;
  EXPECT_EQ(PlanNextStep(input).cost, 300);
}

TEST(BatchPlanner, APrefixIsPaidForOnceAStep) {
  const std::vector<PlanUnit> units = {{10, 0}, {10, 0}, {10, 1}};
  const std::vector<PlanUnit> same = {{10, 0}};
  const PlanRequest requests[] = {{0, 0, 30, units}, {0, 1, 10, same}};
  const std::int64_t prefix_costs[] = {100, 0};
  PlanInput input;
  input.requests = requests;
  input.prefix_costs = prefix_costs;
  input.cost_max = kCostMax;
  // The even share of 40 is reached with the first unit and its prefix.
  EXPECT_EQ(PlanNextStep(input).cost, 110);
  input.cost_max = 20;
  EXPECT_EQ(PlanNextStep(input).units.size(), 1u);
}

TEST(BatchPlanner, UnitsThatFitGoPastOneThatDoesNotWhileAStepIsNotHalfFull) {
  const std::vector<PlanUnit> units = {{200, -1}, {400, -1}, {100, -1}, {100, -1}, {5000, -1}};
  const PlanRequest request{0, 0, 5800, units};
  PlanInput input;
  input.requests = {&request, 1};
  input.cost_max = kCostMax;
  const BatchPlan plan = PlanNextStep(input);
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[1].unit, 2u);
}

TEST(BatchPlanner, AnOversizedUnitGetsAStepOfItsOwn) {
  Simulation simulation;
  simulation.Add(0, {40000, 10, 10});
  simulation.Add(0, {20});
  simulation.Run();
  EXPECT_GT(simulation.requests()[0].done_at, 40000);
}

TEST(BatchPlanner, HigherPriorityGoesFirst) {
  Simulation simulation;
  simulation.Add(0, std::vector<std::int64_t>(1000, 90), 1);
  simulation.Add(100, std::vector<std::int64_t>(100, 90), 0);
  simulation.Run();
  EXPECT_LE(simulation.Took(1), 9000 + 2 * kCostMax);
}

// A request beside larger ones only: twice its time alone and the steps around it, however many they are.
TEST(BatchPlanner, SmallRequestsDoNotWaitForLargeOnes) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Simulation simulation;
    const int large = std::uniform_int_distribution<int>(1, 12)(random);
    for (int i = 0; i < large; ++i) {
      simulation.Add(std::uniform_int_distribution<int>(0, 3000)(random), Costs(random, 100, 20, 400));
    }
    const std::int64_t alone = 20 * 90;
    simulation.Add(std::uniform_int_distribution<int>(0, 6000)(random), std::vector<std::int64_t>(20, 90));
    simulation.Run();
    EXPECT_LE(simulation.Took(simulation.requests().size() - 1), 2 * alone + simulation.step_slack());
  }
}

// Long documents do not make short ones wait for more than the one that is running and one more.
TEST(BatchPlanner, ShortDocumentsDoNotWaitForManyLongOnes) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Simulation simulation;
    for (int i = 0; i < 6; ++i) simulation.Add(i, Costs(random, 5, 5000, 20000));
    simulation.Add(std::uniform_int_distribution<int>(0, 90000)(random), Costs(random, 10, 20, 200));
    simulation.Run();
    EXPECT_LE(simulation.Took(6), 2 * simulation.requests()[6].total + simulation.step_slack());
  }
}

// A stream of small requests that would fill the machine by itself does not starve a large one, nor a long document.
TEST(BatchPlanner, LargeRequestsAreNotStarved) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Simulation simulation;
    std::vector<std::int64_t> costs = Costs(random, 100, 20, 400);
    costs.insert(costs.begin() + std::uniform_int_distribution<int>(0, 100)(random), 15000);
    simulation.Add(0, costs);
    const std::int64_t alone = simulation.requests()[0].total;
    for (std::int64_t t = 0; t < 3 * alone; t += 100) simulation.Add(t, Costs(random, 5, 10, 30));
    simulation.Run();
    EXPECT_LE(simulation.Took(0), 2 * alone + simulation.step_slack());
  }
}

// Whatever comes, the machine is never idle while something waits, and everything is computed once.
TEST(BatchPlanner, RandomLoadsAreServedWholeWithoutIdling) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Simulation simulation;
    std::int64_t total = 0;
    const int count = std::uniform_int_distribution<int>(1, 30)(random);
    for (int i = 0; i < count; ++i) {
      const std::int64_t max = std::uniform_int_distribution<int>(0, 3)(random) == 0 ? 3000 : 200;
      simulation.Add(0, Costs(random, std::uniform_int_distribution<int>(1, 60)(random), 1, max), i % 3);
      total += simulation.requests().back().total;
    }
    simulation.Run();
    std::int64_t end = 0;
    for (const auto& request : simulation.requests()) end = std::max(end, request.done_at);
    EXPECT_EQ(end, total);
  }
}

}  // namespace
}  // namespace tamis
