// Whole prompts equal to the reference's, and split encoding equal to whole encoding on texts made to break it.
#include <gtest/gtest.h>

#include <random>

#include "text/prompt.h"
#include "text/test_support.h"
#include "text/utf8.h"

namespace tamis {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::vector<TokenId> Join(const EncodedQuery& query, const EncodedDocument& document) {
  std::vector<TokenId> ids = query.prefix_ids;
  ids.insert(ids.end(), document.tail_ids.begin(), document.tail_ids.end());
  return ids;
}

TEST(PromptGolden, PublishedTokenizer) {
  TAMIS_REQUIRE_REAL_TOKENIZER();
  const auto tokenizer = LoadTokenizer(RealTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  const auto builder = PromptBuilder::Create(tokenizer.get(), *FindBuiltInProfile("qwen3-reranker"), 8192);
  ASSERT_TRUE(builder.ok());
  EXPECT_TRUE(builder->splits());
  int truncated = 0;
  // A folder of further rows, such as texts that may not be redistributed, can be checked by hand.
  const char* other = std::getenv("TAMIS_PROMPT_GOLDENS");
  for (const auto& row : ReadJsonLines(other != nullptr ? other : Golden("prompt.jsonl"))) {
    const auto query = builder->EncodeQuery(Text(row.at("instruction")), Text(row.at("query")),
                                            static_cast<int>(row.at("max_length").as_int64()));
    ASSERT_TRUE(query.ok()) << query.status().message();
    const auto document = builder->EncodeDocument(*query, Text(row.at("document")));
    EXPECT_EQ(Join(*query, document), Ids(row.at("ids"))) << row.at("query");
    EXPECT_EQ(document.truncated_tokens > 0 || query->query_truncated, row.at("truncated").as_bool());
    truncated += row.at("truncated").as_bool();
  }
  EXPECT_GT(truncated, 5);
}

// The models' goldens hold scores, for which the number of ids is a first check.
TEST(PromptGolden, ModelGoldensHaveTheirNumberOfTokens) {
  const auto tokenizer = LoadTokenizer(TinyTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  const auto builder = PromptBuilder::Create(tokenizer.get(), *FindBuiltInProfile("qwen3-reranker"), 8192);
  ASSERT_TRUE(builder.ok());
  const char* folder = std::getenv("TAMIS_MODEL_GOLDENS");
  for (const char* model : {"a-tied-f32", "b-untied-bf16", "c-tied-f16", "d-sharded-bf16", "e-seqcls-f32",
                            "f-v4config-bf16", "f-v5config-bf16", "g-gqa4-odd-f32"}) {
    const std::string base = folder != nullptr ? std::string(folder) : Golden("models");
    for (const auto& row : ReadJsonLines(base + "/" + model + "/scores.jsonl")) {
      const auto query = builder->EncodeQuery(Text(row.at("instruction")), Text(row.at("query")),
                                              static_cast<int>(row.at("max_length").as_int64()));
      ASSERT_TRUE(query.ok());
      const auto document = builder->EncodeDocument(*query, Text(row.at("document")));
      EXPECT_EQ(static_cast<std::int64_t>(Join(*query, document).size()), row.at("n_tokens").as_int64());
      EXPECT_EQ(document.truncated_tokens > 0 || query->query_truncated, row.at("truncated").as_bool());
    }
  }
}

// Texts of characters that interact across a join: marks, spaces, line ends, letters, bad bytes, parts of the template.
class HostileTexts {
 public:
  explicit HostileTexts(unsigned seed) : random_(seed) {}

  std::string Next() {
    static const std::vector<std::string> kParts = {
        "",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u00a0",
        "\u3000",
        "\u0338",
        "\u0301",
        "\u0323",
        "\u3099",
        "\u1161",
        "\u11a8",
        "\u1100",
        "\uac00",
        "<",
        ">",
        ":",
        "=",
        "'s",
        "'",
        "a",
        "word",
        "Z",
        "7",
        "\u4e2d",
        "\u3002",
        "\u00e9",
        "!",
        "!!\n",
        "\xe4\xb8",
        "\xff",
        "\x80",
        "\xc3",
        "\xf0\x9f\x98",
        "\u0345",
        "\u017f",
        "<|im_end|>",
        "{document}",
        "{query}",
        "\n<Document>: ",
        "<Query>:",
        "\U0001f600",
        "\u200d",
        std::string(1, '\0'),
        "\u0f71\u0f72\u0f74",
        "\u212b",
        "\ufb1d",
    };
    std::string text;
    for (auto n = random_() % 6; n > 0; --n) text += kParts[random_() % kParts.size()];
    return text;
  }

 private:
  std::mt19937 random_;
};

std::vector<TokenId> WholePrompt(const Tokenizer& tokenizer, const PromptBuilder& builder, const std::string& content,
                                 int room) {
  std::vector<TokenId> ids = builder.prefix_ids(), inner = Encode(tokenizer, content);
  inner.resize(std::min(inner.size(), static_cast<std::size_t>(room)));
  ids.insert(ids.end(), inner.begin(), inner.end());
  ids.insert(ids.end(), builder.suffix_ids().begin(), builder.suffix_ids().end());
  return ids;
}

void CheckSplitIsWhole(const Tokenizer& tokenizer, unsigned seed, int rounds) {
  SCOPED_TRACE(seed);
  HostileTexts texts(seed);
  const auto builder = PromptBuilder::Create(&tokenizer, *FindBuiltInProfile("qwen3-reranker"), 8192);
  ASSERT_TRUE(builder.ok());
  const int frame = static_cast<int>(builder->prefix_ids().size() + builder->suffix_ids().size());
  for (int i = 0; i < rounds; ++i) {
    const std::string instruction = texts.Next(), text = texts.Next(), document = texts.Next();
    const int room = i % 3 == 0 ? i % 40 : 8000;
    const auto query = builder->EncodeQuery(instruction, text, frame + room);
    ASSERT_TRUE(query.ok());
    const std::string content = "<Instruct>: " + instruction + "\n<Query>: " + text + "\n<Document>: " + document;
    const auto got = builder->EncodeDocument(*query, document);
    ASSERT_EQ(Join(*query, got), WholePrompt(tokenizer, *builder, content, room)) << content;

    const auto other = builder->EncodeQuery(instruction, texts.Next(), frame + room);
    const auto common = static_cast<std::ptrdiff_t>(query->query_independent_tokens);
    ASSERT_EQ(other->query_independent_tokens, query->query_independent_tokens);
    ASSERT_TRUE(std::equal(query->prefix_ids.begin(), query->prefix_ids.begin() + common, other->prefix_ids.begin()));

    const DocumentTokens tokens = builder->TokenizeDocument(*query, document);
    ASSERT_EQ(tokens.ids.size(), static_cast<std::size_t>(got.document_tokens + got.truncated_tokens));
    ASSERT_TRUE(std::is_sorted(tokens.end_bytes.begin(), tokens.end_bytes.end()));
    ASSERT_EQ(tokens.end_bytes.back(), document.size());
  }
}

TEST(PromptSplit, EqualsWholeEncodingOnHostileTexts) {
  const auto tokenizer = LoadTokenizer(TinyTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  for (unsigned seed = 1; seed <= 5; ++seed) CheckSplitIsWhole(*tokenizer, seed, 2000);
}

TEST(PromptSplit, EqualsWholeEncodingWithThePublishedTokenizer) {
  TAMIS_REQUIRE_REAL_TOKENIZER();
  const auto tokenizer = LoadTokenizer(RealTokenizerPath());
  ASSERT_NE(tokenizer, nullptr);
  for (unsigned seed = 11; seed <= 13; ++seed) CheckSplitIsWhole(*tokenizer, seed, 2000);
}

}  // namespace
}  // namespace tamis
