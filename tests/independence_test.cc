// A score depends on its pair alone: one document by itself and among a thousand, in any order, on any number of
// threads, with and without shared prefixes and step sizes, gives the same bits, in int8 and fp32, on each instruction
// set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu_features.h"
#include "tamis/reranker.h"

namespace tamis {
namespace {

// The sanitizers look for faults of memory and threads, ten times slower: fewer documents show those as well.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMany = 80;
#else
constexpr std::size_t kMany = 1000;
#endif
constexpr std::size_t kChecked = 25;  // of the thousand, scored by themselves

std::vector<std::string> Documents() {
  static const char* const kWords[] = {"river", "数据库", "index",  "a",  "the", "backup", "天气",
                                       "of",    "planet", "refund", "42", "\n",  "naïve",  "🙂"};
  std::mt19937 random(7);
  std::vector<std::string> out(kMany);
  for (std::string& text : out) {
    const std::size_t words =
        random() % 12 == 0 ? 60 + random() % 90 : random() % 14;  // mostly short, some across pages
    for (std::size_t w = 0; w < words; ++w) text += std::string(kWords[random() % std::size(kWords)]) + " ";
  }
  return out;
}

// The margin of each document's text: identical texts must agree as well.
using Margins = std::map<std::string, std::uint32_t>;

Margins Score(Reranker& reranker, const std::vector<std::string>& documents) {
  RerankRequest request;
  request.query = "how do I restore a backup of the database";
  request.documents = documents;
  const auto answer = reranker.Rerank(request);
  EXPECT_TRUE(answer.ok()) << answer.status().message();
  Margins out;
  if (!answer.ok()) return out;
  EXPECT_EQ(answer->results.size(), documents.size());
  for (const DocumentScore& result : answer->results) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &result.margin, sizeof bits);
    const auto [at, added] = out.emplace(documents[result.index], bits);
    EXPECT_EQ(at->second, bits) << documents[result.index];
  }
  return out;
}

class IndependenceTest : public testing::TestWithParam<std::tuple<Isa, Precision>> {
 protected:
  void SetUp() override { setenv("TAMIS_FORCE_ISA", std::string(IsaName(std::get<0>(GetParam()))).c_str(), 1); }
  void TearDown() override { unsetenv("TAMIS_FORCE_ISA"); }

  std::unique_ptr<Reranker> Load(int threads, bool share, int step_tokens) const {
    ModelOptions options;
    options.precision = std::get<1>(GetParam());
    options.threads = threads;
    options.share_prefixes = share;
    options.step_tokens = step_tokens;
    auto reranker = Reranker::Load(options);
    EXPECT_TRUE(reranker.ok()) << reranker.status().message();
    return std::move(reranker).value();
  }
};

TEST_P(IndependenceTest, OneAndAThousandAndEveryWayBetween) {
  std::vector<std::string> documents = Documents();
  if (std::get<0>(GetParam()) == Isa::kReference)
    documents.resize(std::min<std::size_t>(60, kMany));  // the specification is slow
  const auto usual = Load(2, true, 0);
  const Margins expected = Score(*usual, documents);
  for (std::size_t i = 0; i < std::min(kChecked, documents.size()); ++i) {
    const std::string& text = documents[i * documents.size() / kChecked];
    EXPECT_EQ(Score(*usual, {text}).at(text), expected.at(text)) << "alone: " << text;
  }
  std::vector<std::string> shuffled = documents;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  EXPECT_EQ(Score(*Load(1, true, 0), shuffled), expected) << "one thread, another order";
  EXPECT_EQ(Score(*Load(3, true, 97), documents), expected) << "three threads, small steps";
  EXPECT_EQ(Score(*Load(2, true, 100000), documents), expected) << "one step";
  const std::vector<std::string> some(documents.begin(), documents.begin() + 50);
  for (const auto& [text, bits] : Score(*Load(2, false, 0), some))
    EXPECT_EQ(bits, expected.at(text)) << "prefix not shared: " << text;
}

TEST_P(IndependenceTest, RequestsAtTheSameTimeDoNotTouchEachOther) {
  std::vector<std::string> documents = Documents();
  documents.resize(std::get<0>(GetParam()) == Isa::kReference ? 20 : std::min<std::size_t>(120, kMany));
  const auto reranker = Load(2, true, 0);
  const Margins expected = Score(*reranker, documents);
  std::vector<std::thread> threads;
  std::vector<Margins> got(4);
  for (std::size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::string> mine = documents;
      std::shuffle(mine.begin(), mine.end(), std::mt19937(static_cast<unsigned>(t)));
      got[t] = Score(*reranker, mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Margins& margins : got) EXPECT_EQ(margins, expected);
}

INSTANTIATE_TEST_SUITE_P(All, IndependenceTest,
                         testing::Combine(testing::ValuesIn(SupportedIsas()),
                                          testing::Values(Precision::kInt8, Precision::kFp32)),
                         [](const auto& param) {
                           return std::string(IsaName(std::get<0>(param.param))) +
                                  (std::get<1>(param.param) == Precision::kInt8 ? "_int8" : "_fp32");
                         });

}  // namespace
}  // namespace tamis
