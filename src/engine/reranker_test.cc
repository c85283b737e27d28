#include "tamis/reranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <numeric>
#include <random>
#include <thread>

namespace tamis {
namespace {

std::unique_ptr<Reranker> Load(const ModelOptions& options = {}) {
  auto reranker = Reranker::Load(options);
  EXPECT_TRUE(reranker.ok()) << reranker.status().message();
  return reranker.ok() ? std::move(*reranker) : nullptr;
}

// The built-in model; loaded once, as a program would.
Reranker& Mini() {
  static const std::unique_ptr<Reranker> reranker = Load();
  return *reranker;
}

std::string Model(const char* name) { return std::string(TAMIS_TEST_DATA "/goldens/models/") + name; }

RerankRequest Request(std::string query, std::vector<std::string> documents) {
  RerankRequest request;
  request.query = std::move(query);
  request.documents = std::move(documents);
  return request;
}

RerankResponse Rerank(Reranker& reranker, const RerankRequest& request) {
  auto response = reranker.Rerank(request);
  EXPECT_TRUE(response.ok()) << response.status().message();
  return response.ok() ? *response : RerankResponse{};
}

// Margins by document.
std::vector<float> Margins(const RerankResponse& response) {
  std::vector<float> margins(response.results.size());
  for (const DocumentScore& result : response.results) margins[result.index] = result.margin;
  return margins;
}

std::vector<std::string> RandomDocuments(unsigned seed, std::size_t count) {
  const std::string_view words[] = {"backup",  "river", "数据库", "the", "of",   "cake",
                                    "network", "天气",  "price",  "ſt",  "music"};
  std::mt19937 random(seed);
  std::vector<std::string> documents;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    const int length = std::uniform_int_distribution<int>(0, 40)(random);
    for (int j = 0; j < length; ++j) {
      text += words[std::uniform_int_distribution<std::size_t>(0, std::size(words) - 1)(random)];
      text += ' ';
    }
    documents.push_back(std::move(text));
  }
  return documents;
}

TEST(Reranker, RanksEnglishAndChinese) {
  const RerankResponse english = Rerank(
      Mini(), Request("What is the capital of France?",
                      {"Berlin is the capital and largest city of Germany.", "The flute is a woodwind instrument.",
                       "Paris is the capital and most populous city of France."}));
  EXPECT_EQ(english.results[0].index, 2u);
  const RerankResponse chinese = Rerank(
      Mini(), Request("如何安装软件包", {"今天天气很好。", "使用 apt install 命令可以安装软件包。", "他喜欢音乐。"}));
  EXPECT_EQ(chinese.results[0].index, 1u);
  for (const DocumentScore& result : chinese.results) {
    EXPECT_GT(result.score, 0);
    EXPECT_LT(result.score, 1);
    EXPECT_NEAR(result.score, 1 / (1 + std::exp(-result.margin)), 1e-6);
  }
}

TEST(Reranker, EmptyListsAndEmptyDocuments) {
  EXPECT_TRUE(Rerank(Mini(), Request("query", {})).results.empty());
  EXPECT_EQ(Rerank(Mini(), Request("query", {"", " ", "\n", "text"})).results.size(), 4u);
  EXPECT_EQ(Rerank(Mini(), Request("", {"", "text"})).results.size(), 2u);
  EXPECT_TRUE(Mini().Score({})->empty());
}

TEST(Reranker, TopNAndMinScore) {
  RerankRequest request = Request("database backup", RandomDocuments(1, 33));
  const RerankResponse all = Rerank(Mini(), request);
  ASSERT_EQ(all.results.size(), 33u);
  request.top_n = 5;
  const RerankResponse top = Rerank(Mini(), request);
  ASSERT_EQ(top.results.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(top.results[i].index, all.results[i].index);
  request.top_n = 1000;
  EXPECT_EQ(Rerank(Mini(), request).results.size(), 33u);
  request.top_n = -1;
  EXPECT_EQ(Mini().Rerank(request).status().code(), StatusCode::kInvalidArgument);
  request.top_n = 0;
  request.min_score = all.results[9].score;
  EXPECT_EQ(Rerank(Mini(), request).results.size(), 10u);
}

TEST(Reranker, ScoresDependOnNothingButThePair) {
  for (const Precision precision : {Precision::kInt8, Precision::kFp32}) {
    ModelOptions options;
    options.precision = precision;
    const auto reranker = Load(options);
    RerankRequest request = Request("database backup", RandomDocuments(2, 80));
    const std::vector<float> expected = Margins(Rerank(*reranker, request));
    // In another order.
    std::vector<std::size_t> order(request.documents.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    RerankRequest shuffled = request;
    for (std::size_t i = 0; i < order.size(); ++i) shuffled.documents[i] = request.documents[order[i]];
    const std::vector<float> margins = Margins(Rerank(*reranker, shuffled));
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(margins[i], expected[order[i]]) << i;
    // Alone, as a pair, with the prefix at hand or not.
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(Rerank(*reranker, Request(request.query, {request.documents[i]})).results[0].margin, expected[i]);
      const TextPair pair{request.query, request.documents[i], {}, 0};
      EXPECT_EQ((*reranker->Score({&pair, 1}))[0].margin, expected[i]);
    }
    // Without sharing, on one thread, in small steps.
    options.share_prefixes = false;
    options.threads = 1;
    EXPECT_EQ(Margins(Rerank(*Load(options), request)), expected);
    options.share_prefixes = true;
    options.step_tokens = 100;
    options.prefix_cache_bytes = 0;
    EXPECT_EQ(Margins(Rerank(*Load(options), request)), expected);
  }
}

TEST(Reranker, IdenticalDocumentsAreScoredOnce) {
  const RerankResponse response = Rerank(Mini(), Request("backup", {"same text", "other", "same text", "same text"}));
  EXPECT_EQ(response.stats.duplicates, 2);
  const std::vector<float> margins = Margins(response);
  EXPECT_EQ(margins[0], margins[2]);
  EXPECT_EQ(margins[0], margins[3]);
  const RerankResponse again = Rerank(Mini(), Request("backup", {"other", "same text"}));
  EXPECT_EQ(again.stats.computed_tokens,
            Rerank(Mini(), Request("backup", {"same text", "other", "other"})).stats.computed_tokens);
}

TEST(Reranker, AWarmQueryComputesOnlyTheDocuments) {
  const auto reranker = Load();
  const RerankRequest request = Request("a query nobody asked before", {"a document"});
  const RerankResponse cold = Rerank(*reranker, request);
  const RerankResponse warm = Rerank(*reranker, request);
  EXPECT_EQ(cold.stats.computed_tokens, cold.stats.prompt_tokens);
  const auto prompt = reranker->TokenizePair({request.query, request.documents[0], {}, 0});
  EXPECT_EQ(warm.stats.computed_tokens, cold.stats.prompt_tokens - prompt->shared_tokens);
  EXPECT_EQ(warm.results[0].margin, cold.results[0].margin);
}

TEST(Reranker, FiveThousandDocuments) {
  std::vector<std::string> documents;
  for (int i = 0; i < 5000; ++i) documents.push_back("title " + std::to_string(i));
  std::size_t last = 0;
  const auto response = Mini().Rerank(Request("title 17", documents), [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 5000u);
    EXPECT_GT(done, last);
    last = done;
  });
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(last, 5000u);
  ASSERT_EQ(response->results.size(), 5000u);
  EXPECT_TRUE(std::is_sorted(response->results.begin(), response->results.end(),
                             [](const auto& a, const auto& b) { return a.score > b.score; }));
}

TEST(Reranker, EightThreadsAtOnce) {
  std::vector<RerankRequest> requests;
  std::vector<std::vector<float>> expected;
  for (unsigned i = 0; i < 8; ++i) {
    requests.push_back(Request("query " + std::to_string(i % 3), RandomDocuments(10 + i, 5 + i * 5)));
    expected.push_back(Margins(Rerank(Mini(), requests.back())));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) EXPECT_EQ(Margins(Rerank(Mini(), requests[i])), expected[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Reranker, AsyncAnswersOnceAlsoWhenItIsDestroyed) {
  std::atomic<int> answers{0};
  std::atomic<int> good{0};
  {
    const auto reranker = Load();
    for (unsigned i = 0; i < 20; ++i) {
      reranker->RerankAsync(Request("query", RandomDocuments(i, 300)), [&](Result<RerankResponse> response) {
        ++answers;
        if (response.ok()) {
          ++good;
        } else {
          EXPECT_EQ(response.status().code(), StatusCode::kCancelled);
        }
      });
    }
  }
  EXPECT_EQ(answers, 20);
  std::promise<Result<RerankResponse>> answer;
  Mini().RerankAsync(Request("q", {"a", "b"}),
                     [&](Result<RerankResponse> response) { answer.set_value(std::move(response)); });
  EXPECT_EQ(answer.get_future().get()->results.size(), 2u);
}

TEST(Reranker, ScoreKeepsTheOrderOfPairs) {
  const std::vector<TextPair> pairs = {
      {"q1", "a", {}, 0}, {"q2", "b", {}, 0}, {"q1", "c", "", 0}, {"q1", "d", {}, 0}, {"q2", "a", "preset:medical", 0}};
  const auto scores = Mini().Score(pairs);
  ASSERT_TRUE(scores.ok());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ((*scores)[i].index, i);
    RerankRequest request = Request(pairs[i].query, {pairs[i].document});
    request.instruction = pairs[i].instruction;
    EXPECT_EQ((*scores)[i].margin, Rerank(Mini(), request).results[0].margin) << i;
  }
  ScoreOptions raw;
  raw.raw_scores = true;
  EXPECT_EQ((*Mini().Score(pairs, raw))[3].score, (*scores)[3].margin);
}

TEST(Reranker, LongDocumentsAreTruncatedAndTheResponseSaysSo) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "many other words about rivers and hills. ";
  RerankRequest request = Request("backup", {text, "short"});
  request.options.max_length = 256;
  const RerankResponse response = Rerank(Mini(), request);
  for (const DocumentScore& result : response.results) {
    EXPECT_LE(result.tokens, 256);
    EXPECT_EQ(result.truncated_tokens > 1000, result.index == 0);
  }
  ASSERT_EQ(response.warnings.size(), 1u);
  EXPECT_EQ(response.warnings[0], "1 of 2 documents were truncated");
}

TEST(Reranker, WindowsFindWhatTruncationLoses) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "Many other words about rivers and hills. ";
  const std::size_t begin = text.size();
  text += "Use pg_dump to make a backup of the database. ";
  const std::size_t end = text.size();
  for (int i = 0; i < 100; ++i) text += "Many other words about rivers and hills. ";
  RerankRequest request = Request("backup of the database", {text});
  request.options.max_length = 256;
  const DocumentScore cut = Rerank(Mini(), request).results[0];
  request.options.windows = WindowMode::kAuto;
  const RerankResponse response = Rerank(Mini(), request);
  const DocumentScore& windowed = response.results[0];
  EXPECT_TRUE(response.warnings.empty());
  EXPECT_GT(windowed.margin, cut.margin);
  EXPECT_GT(windowed.windows, 5);
  EXPECT_EQ(windowed.truncated_tokens, 0);
  ASSERT_TRUE(windowed.window);
  EXPECT_LE(windowed.window->start_byte, begin);
  EXPECT_GE(windowed.window->end_byte, end - 1);
  // The window by itself scores the same.
  request.documents[0] =
      text.substr(windowed.window->start_byte, windowed.window->end_byte - windowed.window->start_byte);
  const RerankResponse alone = Rerank(Mini(), request);
  EXPECT_EQ(alone.results[0].margin, windowed.margin);
  EXPECT_EQ(alone.results[0].windows, 1);
}

TEST(Reranker, BadUtf8IsAWarning) {
  const RerankResponse response = Rerank(Mini(), Request("q\xFF", {"a\x80z", "fine", "\xEF\xBF\xBD"}));
  ASSERT_EQ(response.warnings.size(), 1u);
  EXPECT_EQ(response.warnings[0].substr(0, 2), "2 ");
}

TEST(Reranker, BadRequestsAreRefusedInWords) {
  RerankRequest request = Request("q", {"a"});
  request.instruction = "preset:no-such-preset";
  EXPECT_EQ(Mini().Rerank(request).status().code(), StatusCode::kInvalidArgument);
  request.instruction.reset();
  request.options.max_length = 1000000;
  EXPECT_EQ(Mini().Rerank(request).status().code(), StatusCode::kInvalidArgument);
  request.options.max_length = 100;
  request.query = std::string(5000, 'x');
  const auto refused = Mini().Rerank(request);
  ASSERT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("max_length 100"), std::string::npos) << refused.status().message();
  request.options.truncate_query = true;
  EXPECT_EQ(Rerank(Mini(), request).warnings.size(), 2u) << "query and document";
}

TEST(Reranker, BadModelOptionsAreRefusedInWords) {
  const auto message = [](ModelOptions options) {
    const auto reranker = Reranker::Load(options);
    EXPECT_FALSE(reranker.ok());
    return reranker.ok() ? "" : reranker.status().message();
  };
  ModelOptions options;
  options.model = "no/such/folder";
  EXPECT_NE(message(options).find("no/such/folder"), std::string::npos);
  options = {};
  options.profile = "no-such-profile";
  EXPECT_NE(message(options).find("qwen3-reranker"), std::string::npos) << "lists what there is";
  options = {};
  options.max_length = 1 << 20;
  EXPECT_NE(message(options).find("max_length"), std::string::npos);
  options = {};
  options.tokenizer = Model("a-tied-f32") + "/config.json";
  EXPECT_NE(message(options).find("config.json"), std::string::npos);
  options = {};
  options.model = Model("a-tied-f32");
  options.tokenizer = "builtin";
  EXPECT_NE(message(options).find("tokenizer"), std::string::npos) << "more ids than the model has";
  options = {};
  options.model = "random:qwen3-reranker-0.6b";
  EXPECT_NE(message(options).find("tokenizer"), std::string::npos);
}

TEST(Reranker, ProfilesThatTheCheckpointCannotServeAreRefused) {
  ModelOptions options;
  options.model = Model("a-tied-f32");
  options.profile = "qwen3-seq-cls";
  EXPECT_FALSE(Reranker::Load(options).ok()) << "no score head";
  options.model = Model("e-seqcls-f32");
  options.profile = "qwen3-reranker";
  EXPECT_FALSE(Reranker::Load(options).ok()) << "no language head";
  options.profile.clear();
  EXPECT_EQ(Load(options)->info().profile, "qwen3-seq-cls");
}

TEST(Reranker, TokenizesPairsAndTexts) {
  const auto prompt = Mini().TokenizePair({"query", "document", {}, 0});
  ASSERT_TRUE(prompt.ok());
  EXPECT_GT(prompt->shared_tokens, 40);
  EXPECT_GT(prompt->ids.size(), static_cast<std::size_t>(prompt->shared_tokens));
  EXPECT_EQ(prompt->truncated_tokens, 0);
  EXPECT_TRUE(Mini().Tokenize("").empty());
  EXPECT_GT(Mini().Tokenize("<|im_end|>").size(), 1u) << "what users type is plain text";
}

TEST(Reranker, DescribesTheModel) {
  const ModelInfo& info = Mini().info();
  EXPECT_TRUE(info.built_in);
  EXPECT_EQ(info.model, "tamis-mini");
  EXPECT_EQ(info.precision, "int8");
  EXPECT_EQ(info.layers, 4);
  EXPECT_EQ(info.max_length, 4096);
  EXPECT_GT(info.linear_ops_per_token, 1e6);
  EXPECT_FALSE(Version().empty());
}

}  // namespace
}  // namespace tamis
