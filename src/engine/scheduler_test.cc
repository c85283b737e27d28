#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <random>
#include <thread>

#include "engine/fake_backend.h"

namespace tamis {
namespace {

using Ids = std::vector<TokenId>;

struct Answer {
  Status status;
  JobStats stats;
  std::map<std::size_t, float> margins;
};

// A job whose answer a test waits for.
class Sent {
 public:
  Sent(Scheduler& scheduler, Job job) : scheduler_(scheduler), state_(std::make_shared<State>()) {
    job.on_scored = [state = state_](std::size_t unit, const HeadLogits& logits) {
      EXPECT_TRUE(state->answer.margins.emplace(unit, logits.margin()).second) << "scored twice";
    };
    job.on_done = [state = state_](Status status, const JobStats& stats) {
      EXPECT_EQ(++state->answers, 1);
      state->answer.status = std::move(status);
      state->answer.stats = stats;
      state->promise.set_value();
    };
    id_ = scheduler.Submit(std::move(job));
  }

  const Answer& Wait() {
    state_->answered.wait();
    return state_->answer;
  }
  bool done() const { return state_->answers > 0; }
  void Cancel() { scheduler_.Cancel(id_); }

 private:
  struct State {
    Answer answer;
    std::atomic<int> answers{0};
    std::promise<void> promise;
    std::shared_future<void> answered = promise.get_future().share();
  };
  Scheduler& scheduler_;
  std::shared_ptr<State> state_;
  Scheduler::JobId id_ = 0;
};

// Documents of `tokens` ids, different from each other unless seed and number are the same.
Job MakeJob(int seed, std::size_t documents, std::size_t tokens) {
  Job job;
  Ids prefix(40, 5);
  prefix.insert(prefix.end(), 8, 1000 + seed % 7);
  job.prefixes.push_back({std::move(prefix), 40});
  for (std::size_t i = 0; i < documents; ++i) {
    Ids ids(tokens, static_cast<TokenId>(100 + i));
    ids.push_back(seed);
    job.units.push_back({std::move(ids), 0});
  }
  return job;
}

void ExpectScores(const Job& job, const Answer& answer) {
  ASSERT_TRUE(answer.status.ok()) << answer.status.message();
  ASSERT_EQ(answer.margins.size(), job.units.size());
  for (std::size_t i = 0; i < job.units.size(); ++i) {
    Ids prompt;
    if (job.units[i].prefix >= 0) prompt = job.prefixes[static_cast<std::size_t>(job.units[i].prefix)].ids;
    prompt.insert(prompt.end(), job.units[i].ids.begin(), job.units[i].ids.end());
    EXPECT_EQ(answer.margins.at(i), test::FakeMargin(prompt)) << i;
  }
}

class SchedulerTest : public testing::Test {
 protected:
  std::unique_ptr<Scheduler> Make(bool share = true, std::size_t cache_bytes = 1 << 20) {
    SchedulerOptions options;
    options.step_tokens = 512;
    options.share_prefixes = share;
    options.prefix_cache_bytes = cache_bytes;
    return std::make_unique<Scheduler>(std::make_unique<test::FakeBackend>(log_), options);
  }

  std::shared_ptr<test::FakeLog> log_ = std::make_shared<test::FakeLog>();
};

TEST_F(SchedulerTest, ScoresEveryUnit) {
  const auto scheduler = Make();
  const Job job = MakeJob(1, 100, 30);
  Sent sent(*scheduler, job);
  ExpectScores(job, sent.Wait());
  EXPECT_EQ(log_->rows(), 48u + 100 * 31);
  for (const auto& step : log_->steps()) EXPECT_LE(step.rows, 512u);
}

TEST_F(SchedulerTest, AJobWithoutUnitsIsAnswered) {
  const auto scheduler = Make();
  EXPECT_TRUE(Sent(*scheduler, Job{}).Wait().status.ok());
  EXPECT_TRUE(log_->steps().empty());
}

TEST_F(SchedulerTest, SharingPrefixesChangesRowsButNoScore) {
  const Job job = MakeJob(1, 50, 20);
  for (const std::size_t cache_bytes : {0, 1 << 20}) {
    for (const bool share : {true, false}) {
      log_ = std::make_shared<test::FakeLog>();
      const auto scheduler = Make(share, cache_bytes);
      const Answer answer = Sent(*scheduler, job).Wait();
      ExpectScores(job, answer);
      EXPECT_EQ(log_->rows(), share ? 48u + 50 * 21 : 50u * 69) << "also without a cache, within the job";
      EXPECT_EQ(answer.stats.computed_tokens, static_cast<std::int64_t>(log_->rows()));
    }
  }
}

TEST_F(SchedulerTest, PrefixesAreReusedByLaterJobs) {
  const auto scheduler = Make();
  Job job = MakeJob(1, 1, 10);
  job.keep_prefixes = true;
  ExpectScores(job, Sent(*scheduler, job).Wait());
  EXPECT_EQ(log_->rows(), 48u + 11);
  ExpectScores(job, Sent(*scheduler, job).Wait());
  EXPECT_EQ(log_->rows(), 48u + 11 + 11) << "the query was kept";
  const Job other = MakeJob(2, 1, 10);
  ExpectScores(other, Sent(*scheduler, other).Wait());
  EXPECT_EQ(log_->rows(), 48u + 11 + 11 + 8 + 11) << "the instruction was kept";
  ExpectScores(other, Sent(*scheduler, other).Wait());
  EXPECT_EQ(log_->rows(), 48u + 11 + 11 + 2 * (8 + 11)) << "a query that was not to be kept";
}

TEST_F(SchedulerTest, AJobOfManyQueriesDoesNotHoldTheStatesOfAll) {
  const auto scheduler = Make(true, 0);
  Job job;
  for (int query = 0; query < 500; ++query) {
    Ids prefix(20, 5);
    prefix.push_back(query);
    job.prefixes.push_back({std::move(prefix), 20});
    for (int i = 0; i < 2; ++i) job.units.push_back({Ids(40, 100 + i), query});
  }
  std::size_t most = 0;
  std::promise<void> done;
  Job watched = job;
  watched.on_scored = [&](std::size_t, const HeadLogits&) { most = std::max(most, scheduler->stats().prefix_bytes); };
  watched.on_done = [&](const Status&, const JobStats&) { done.set_value(); };
  scheduler->Submit(std::move(watched));
  done.get_future().wait();
  EXPECT_LE(most, (20 + 20) * test::kStateBytesPerToken);
  EXPECT_LE(log_->rows(), 20u + 500 * (1 + 80) + 60) << "the instruction once, each query once";
}

TEST_F(SchedulerTest, NewJobsJoinAtTheNextStep) {
  const auto scheduler = Make();
  log_->Hold();
  Sent large(*scheduler, MakeJob(1, 1000, 30));
  log_->AwaitHeldStep();
  Sent small(*scheduler, MakeJob(2, 3, 30));
  log_->Release();
  EXPECT_LE(small.Wait().stats.steps, 2);
  EXPECT_TRUE(large.Wait().status.ok());
}

TEST_F(SchedulerTest, CancelStopsAStepThatComputesNothingElse) {
  const auto scheduler = Make();
  log_->Hold();
  Sent sent(*scheduler, MakeJob(1, 1000, 30));
  log_->AwaitHeldStep();
  sent.Cancel();
  EXPECT_EQ(sent.Wait().status.code(), StatusCode::kCancelled);
  EXPECT_EQ(log_->steps().size(), 1u);
  log_->Release();
  const Job job = MakeJob(2, 5, 30);
  ExpectScores(job, Sent(*scheduler, job).Wait());
  EXPECT_EQ(scheduler->stats().jobs, 0u);
  EXPECT_EQ(scheduler->stats().queued_cost, 0);
}

TEST_F(SchedulerTest, CancelLeavesOtherJobsOfTheStepAlone) {
  const auto scheduler = Make();
  log_->Hold();
  Sent first(*scheduler, MakeJob(0, 1, 30));
  log_->AwaitHeldStep();
  const Job kept = MakeJob(1, 5, 30);
  Sent a(*scheduler, kept);
  Sent b(*scheduler, MakeJob(2, 1000, 30));
  b.Cancel();
  log_->Release();
  ExpectScores(kept, a.Wait());
  EXPECT_EQ(b.Wait().status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(first.Wait().status.ok());
}

TEST_F(SchedulerTest, DeadlinesDropWhatIsLeft) {
  const auto scheduler = Make();
  Job late = MakeJob(1, 10, 30);
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(Sent(*scheduler, std::move(late)).Wait().status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(log_->steps().empty());
  Job early = MakeJob(1, 10, 30);
  early.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  EXPECT_TRUE(Sent(*scheduler, std::move(early)).Wait().status.ok());
}

TEST_F(SchedulerTest, OneJobsFaultIsNotTheOthers) {
  const auto scheduler = Make();
  log_->Hold();
  Sent first(*scheduler, MakeJob(0, 1, 30));
  log_->AwaitHeldStep();
  const Job good = MakeJob(1, 3, 30);
  Job failing = MakeJob(2, 3, 30);
  failing.units[1].ids[0] = test::kFailingId;
  Job nan = MakeJob(3, 3, 30);
  nan.units[1].ids[0] = test::kNanId;
  Sent a(*scheduler, good), b(*scheduler, failing), c(*scheduler, nan);
  log_->Release();
  ExpectScores(good, a.Wait());
  EXPECT_EQ(b.Wait().status.code(), StatusCode::kInternal);
  EXPECT_EQ(c.Wait().status.code(), StatusCode::kInternal);
  EXPECT_EQ(c.Wait().margins.count(1), 0u) << "NaN never leaves";
}

TEST_F(SchedulerTest, ShutdownAnswersEveryJob) {
  auto scheduler = Make();
  log_->Hold();
  std::vector<std::unique_ptr<Sent>> sent;
  for (int i = 0; i < 20; ++i) sent.push_back(std::make_unique<Sent>(*scheduler, MakeJob(i, 100, 30)));
  log_->AwaitHeldStep();
  scheduler.reset();
  for (const auto& job : sent) {
    ASSERT_TRUE(job->done());
    EXPECT_EQ(job->Wait().status.code(), StatusCode::kCancelled);
  }
}

TEST_F(SchedulerTest, CallbacksMaySubmit) {
  const auto scheduler = Make();
  std::promise<void> all;
  int left = 50;
  std::function<void()> submit = [&] {
    Job job = MakeJob(left, 2, 5);
    job.on_done = [&](const Status& status, const JobStats&) {
      EXPECT_TRUE(status.ok());
      if (--left > 0) return submit();
      all.set_value();
    };
    scheduler->Submit(std::move(job));
  };
  submit();
  all.get_future().wait();
}

TEST_F(SchedulerTest, ManyThreadsSubmitAndCancel) {
  const auto scheduler = Make(true, 5000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      const auto pick = [&](int max) { return std::uniform_int_distribution<int>(0, max)(random); };
      for (int i = 0; i < 40; ++i) {
        Job job = MakeJob(pick(20), static_cast<std::size_t>(pick(30)), static_cast<std::size_t>(pick(60) + 1));
        job.priority = pick(2);
        job.keep_prefixes = pick(1) > 0;
        Sent sent(*scheduler, job);
        if (pick(4) == 0) {
          sent.Cancel();
          const Answer& answer = sent.Wait();
          EXPECT_TRUE(answer.status.ok() || answer.status.code() == StatusCode::kCancelled);
        } else {
          ExpectScores(job, sent.Wait());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const SchedulerStats stats = scheduler->stats();
  EXPECT_EQ(stats.jobs, 0u);
  EXPECT_EQ(stats.queued_cost, 0);
  EXPECT_EQ(stats.queued_tokens, 0);
}

}  // namespace
}  // namespace tamis
