#include "bench_workload.h"

#include <gtest/gtest.h>

#include <set>

#include "test_files.h"

namespace tamis::app {
namespace {

TEST(BenchWorkloadTest, Names) {
  EXPECT_EQ(ParseWorkload("w3")->documents, 1000);
  EXPECT_EQ(ParseWorkload("w4")->kind, WorkloadKind::kPairs);
  EXPECT_EQ(ParseWorkload("7x30")->document_tokens, 30);
  for (const char* bad : {"", "w5", "0x10", "10x", "x", "10x10x10", "-1x3", "999999999x3", "1048576x1048576"}) {
    EXPECT_FALSE(ParseWorkload(bad).ok()) << bad;
  }
}

struct Counts {
  std::size_t prompt = 0;
  std::size_t computed = 0;  // with the prefix shared
};

Counts CountTokens(const Reranker& reranker, const WorkloadText& text) {
  Counts out;
  for (const std::string& document : text.documents) {
    const auto prompt = reranker.TokenizePair({text.queries[0], document, text.instruction, 0});
    EXPECT_TRUE(prompt.ok());
    const auto shared = static_cast<std::size_t>(prompt->shared_tokens);
    if (out.prompt == 0) out.computed = shared;
    out.prompt += prompt->ids.size();
    out.computed += prompt->ids.size() - shared;
  }
  return out;
}

TEST(BenchWorkloadTest, TokenCountsAreExact) {
  ModelOptions options;
  options.threads = 1;
  const auto reranker = Reranker::Load(options);
  ASSERT_TRUE(reranker.ok()) << reranker.status().message();
  struct Case {
    const char* name;
    std::size_t prompt, computed;
  };
  for (const Case& c : {Case{"w1", 8731, 5007}, Case{"w2", 4637, 3953}, Case{"w3", 99330, 23406}}) {
    const auto text = MakeWorkload(**reranker, *ParseWorkload(c.name), 3);
    ASSERT_TRUE(text.ok()) << text.status().message();
    const Counts counts = CountTokens(**reranker, *text);
    EXPECT_EQ(counts.prompt, c.prompt) << c.name;
    EXPECT_EQ(counts.computed, c.computed) << c.name;
    EXPECT_EQ(std::set<std::string>(text->documents.begin(), text->documents.end()).size(), text->documents.size());
    EXPECT_EQ(std::set<std::string>(text->queries.begin(), text->queries.end()).size(), 3u);
  }
}

TEST(BenchWorkloadTest, Files) {
  const TempFile file("w.json", R"({"query": "q", "documents": ["a", {"text": "b"}]})");
  const auto text = ReadWorkload(file.path());
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->documents, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(text->instruction.has_value());
  const TempFile empty("w.json", R"({"query": "q", "documents": []})");
  EXPECT_NE(ReadWorkload(empty.path()).status().message().find("not empty"), std::string::npos);
}

}  // namespace
}  // namespace tamis::app
