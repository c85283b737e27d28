// What the engine relies on: scores do not depend on how prompts are cut, shared, ordered or threaded; and the
// rotations make int8 indifferent to badly scaled channels. Agreement with reference scores: tests/golden_test.cc.
#include "backend/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace tamis {
namespace {

Qwen3Config TinyConfig() {
  Qwen3Config config;
  config.architecture = "Qwen3ForCausalLM";
  config.hidden_size = 72;
  config.layers = 3;
  config.q_heads = 4;
  config.kv_heads = 2;
  config.head_dim = 24;
  config.intermediate_size = 104;
  config.vocab_size = 300;
  config.max_positions = 2000;
  config.rms_norm_eps = 1e-6f;
  config.rope_theta = 1e4;
  config.tied_embeddings = true;
  return config;
}

CpuBackendOptions Options(Precision precision, int threads = 2) {
  CpuBackendOptions options;
  options.precision = precision;
  options.threads = threads;
  options.head.positive = 11;
  options.head.negative = 22;
  return options;
}

std::unique_ptr<Backend> Make(const CpuBackendOptions& options) {
  auto backend = MakeCpuBackend(RandomQwen3(TinyConfig(), 5), options);
  EXPECT_TRUE(backend.ok()) << backend.status().message();
  return std::move(backend).value();
}

std::vector<TokenId> RandomIds(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> ids(n);
  for (TokenId& id : ids) id = static_cast<TokenId>(random() % 300);
  return ids;
}

std::vector<SegmentResult> RunStep(Backend& backend, const std::vector<Segment>& segments) {
  auto results = backend.Run(segments, nullptr);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return std::move(results).value();
}

std::vector<TokenId> Join(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
  std::vector<TokenId> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

std::uint32_t Bits(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

class CpuBackendTest : public testing::TestWithParam<Precision> {
 protected:
  // One prompt by itself, in one segment, on one thread: what every other way must equal.
  HeadLogits Alone(const std::vector<TokenId>& ids) {
    if (!alone_) alone_ = Make(Options(GetParam(), 1));
    return RunStep(*alone_, {{-1, nullptr, ids, true, false}})[0].logits;
  }

  void ExpectAlone(const HeadLogits& got, const std::vector<TokenId>& ids, const std::string& what) {
    const HeadLogits want = Alone(ids);
    EXPECT_EQ(Bits(got.first), Bits(want.first)) << what << ": " << got.first << " " << want.first;
    EXPECT_EQ(Bits(got.second), Bits(want.second)) << what;
  }

 private:
  std::unique_ptr<Backend> alone_;
};

TEST_P(CpuBackendTest, AnyNumberOfThreadsAndNeighboursGivesTheSameBits) {
  std::vector<std::vector<TokenId>> prompts;
  for (unsigned i = 0; i < 40; ++i) prompts.push_back(RandomIds(1 + (i * 37) % 210, i));
  for (int threads : {1, 2, 3}) {
    auto backend = Make(Options(GetParam(), threads));
    std::vector<Segment> segments;
    for (const auto& ids : prompts) segments.push_back({-1, nullptr, ids, true, false});
    const auto results = RunStep(*backend, segments);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      ExpectAlone(results[i].logits, prompts[i], "prompt " + std::to_string(i));
    }
  }
}

TEST_P(CpuBackendTest, SharedPrefixesGiveTheSameBits) {
  auto backend = Make(Options(GetParam()));
  for (std::size_t prefix_tokens : {1u, 5u, 60u, 63u, 64u, 65u, 76u, 128u, 200u}) {
    const auto prefix = RandomIds(prefix_tokens, 1);
    const auto middle = RandomIds(16, 2);
    std::vector<std::vector<TokenId>> tails;
    for (unsigned i = 0; i < 12; ++i) tails.push_back(RandomIds(1 + i * 11, 100 + i));
    std::vector<Segment> segments = {{-1, nullptr, prefix, false, false}, {0, nullptr, middle, true, false}};
    for (const auto& tail : tails) segments.push_back({1, nullptr, tail, true, false});
    const auto results = RunStep(*backend, segments);
    ExpectAlone(results[1].logits, Join(prefix, middle), "middle");
    for (std::size_t i = 0; i < tails.size(); ++i) {
      ExpectAlone(results[i + 2].logits, Join(Join(prefix, middle), tails[i]), "tail " + std::to_string(i));
    }
  }
}

TEST_P(CpuBackendTest, KeptPrefixesGiveTheSameBitsInLaterSteps) {
  auto backend = Make(Options(GetParam()));
  for (std::size_t prefix_tokens : {3u, 64u, 76u, 150u}) {
    const auto prefix = RandomIds(prefix_tokens, 1);
    const auto middle = RandomIds(16, 2);
    const auto tail = RandomIds(70, 3);
    auto first = RunStep(*backend, {{-1, nullptr, prefix, false, true}});
    ASSERT_NE(first[0].state, nullptr);
    EXPECT_EQ(first[0].state->tokens(), prefix_tokens);
    EXPECT_GT(first[0].state->bytes(), 0u);
    auto second = RunStep(*backend, {{-1, first[0].state, middle, false, true}});
    first.clear();
    const auto last = RunStep(*backend, {{-1, second[0].state, tail, true, false}});
    ExpectAlone(last[0].logits, Join(Join(prefix, middle), tail), "after two kept prefixes");
    const auto both = RunStep(
        *backend,
        {{-1, nullptr, prefix, false, true}, {0, nullptr, middle, false, true}, {1, nullptr, tail, true, false}});
    ExpectAlone(both[2].logits, Join(Join(prefix, middle), tail), "kept in the same step");
    const auto again = RunStep(*backend, {{-1, both[1].state, tail, true, false}});
    ExpectAlone(again[0].logits, Join(Join(prefix, middle), tail), "from the state kept beside it");
  }
}

TEST_P(CpuBackendTest, ACancelledStepSaysSo) {
  auto backend = Make(Options(GetParam()));
  const auto ids = RandomIds(100, 1);
  StepControl control;
  control.Cancel();
  const std::vector<Segment> segments = {{-1, nullptr, ids, true, false}};
  const auto results = backend->Run(segments, &control);
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().code(), StatusCode::kCancelled);
  ExpectAlone(RunStep(*backend, segments)[0].logits, ids, "after a cancelled step");
}

TEST_P(CpuBackendTest, LabelLogProbabilitiesSumToOne) {
  CpuBackendOptions options = Options(GetParam());
  options.head.kind = HeadSpec::Kind::kLabel;
  options.head.log_sum_exp = true;
  const auto ids = RandomIds(50, 9);
  double total = 0;
  for (TokenId label = 0; label < TinyConfig().vocab_size; ++label) {
    options.head.positive = label;
    total +=
        std::exp(static_cast<double>(RunStep(*Make(options), {{-1, nullptr, ids, true, false}})[0].logits.margin()));
  }
  EXPECT_NEAR(total, 1.0, 1e-4);
}

TEST_P(CpuBackendTest, RefusesAHeadThatIsNotThere) {
  CpuBackendOptions options = Options(GetParam());
  options.head.kind = HeadSpec::Kind::kScoreRow;
  auto backend = MakeCpuBackend(RandomQwen3(TinyConfig(), 5), options);
  ASSERT_FALSE(backend.ok());
  EXPECT_NE(backend.status().message().find("score.weight"), std::string::npos);
  options.head.kind = HeadSpec::Kind::kLabelPair;
  options.head.positive = 300;
  backend = MakeCpuBackend(RandomQwen3(TinyConfig(), 5), options);
  ASSERT_FALSE(backend.ok());
  EXPECT_NE(backend.status().message().find("label token 300"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Precisions, CpuBackendTest, testing::Values(Precision::kInt8, Precision::kFp32));

TEST(CpuBackend, Int8FollowsFp32) {
  auto int8 = Make(Options(Precision::kInt8));
  auto fp32 = Make(Options(Precision::kFp32));
  double error = 0;
  double spread = 0;
  for (unsigned i = 0; i < 50; ++i) {
    const auto ids = RandomIds(80, i);
    const float a = RunStep(*int8, {{-1, nullptr, ids, true, false}})[0].logits.margin();
    const float b = RunStep(*fp32, {{-1, nullptr, ids, true, false}})[0].logits.margin();
    error += (a - b) * (a - b);
    spread += b * b;
  }
  EXPECT_LT(error, 0.02 * spread);
}

}  // namespace
}  // namespace tamis
