// Malformed and foreign tokenizer files: refused by name, never a crash.
#include <gtest/gtest.h>

#include "text/test_support.h"

namespace tamis {
namespace {

class TokenizerJsonTest : public testing::Test {
 protected:
  TokenizerJsonTest() : json_(test::ReadFile(test::TinyTokenizerPath())) {}

  // The file with the first `from` replaced.
  std::string With(const std::string& from, const std::string& to) {
    std::string changed = json_;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  }

  static std::string Fault(const std::string& json) {
    const auto result = ParseTokenizer(json, "t.json");
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.status().message().starts_with("t.json: ")) << result.status().message();
    return result.status().message();
  }
  void ExpectFault(const std::string& from, const std::string& to, const std::string& part) {
    const std::string message = Fault(With(from, to));
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  std::string json_;
};

TEST_F(TokenizerJsonTest, EveryTruncationIsAnError) {
  ASSERT_TRUE(ParseTokenizer(json_, "t.json").ok());
  for (std::size_t size = 0; size + 1 < json_.size(); size += size < 3000 ? 1 : 499) {
    EXPECT_FALSE(ParseTokenizer(std::string_view(json_).substr(0, size), "t.json").ok()) << size;
  }
}

TEST_F(TokenizerJsonTest, ChangedBytesNeverCrash) {
  for (std::size_t at = 0; at < json_.size(); at += at < 5000 ? 7 : 331) {
    for (const char c : {'\0', '"', '{', ']', '9', '\xFF', '\\'}) {
      std::string changed = json_;
      changed[at] = c;
      (void)ParseTokenizer(changed, "t.json");
    }
  }
}

TEST_F(TokenizerJsonTest, ForeignPipelinesAreNamed) {
  ExpectFault("\"NFC\"", "\"NFKC\"", "normalizer: found");
  ExpectFault("\"BPE\"", "\"Unigram\"", "model.type: found \"Unigram\", expected \"BPE\"");
  ExpectFault("\\\\p{N}|", "\\\\p{N}{1,3}|", "pre_tokenizer.pretokenizers[0]: found");
  ExpectFault("\"Isolated\"", "\"Removed\"", "pre_tokenizer.pretokenizers[0]");
  ExpectFault("\"dropout\"", "\"dropped\"", "unknown field \"dropped\"");
}

TEST_F(TokenizerJsonTest, BadVocabulariesAreNamed) {
  ExpectFault("\"!\"", "\"\u4e2d\"", "not made of byte-level characters");
  ExpectFault("\"!\"", "\"\\\"\"", "there twice");
  const std::size_t at = json_.find("\"!\"");
  const std::string entry = json_.substr(at, json_.find(',', at) - at);
  ExpectFault(entry, "\"!\": 1", "has id 1, which another token has too");
  ExpectFault(entry, "\"!\": -1", "has id -1");
  ExpectFault(entry, "\"!\": 2000000", "has id 2000000");
  ExpectFault(entry, "\"!\": 99999999999999999999", "whole number");
  ExpectFault(entry, "\"!\": 0.5", "whole number");
  ExpectFault(entry, "\"!!!!!!!\": 0", "no token for the byte 0x21");
}

TEST_F(TokenizerJsonTest, BadMergesAreNamed) {
  const std::size_t at = json_.find("\"merges\"");
  const std::size_t open = json_.find('[', at), end = json_.find(']', open) + 1;
  const std::size_t first = json_.find('[', open + 1);
  const std::string pair = json_.substr(first, end - first);
  const auto with_merge = [&](const std::string& merge) {
    return json_.substr(0, first) + merge + json_.substr(first + pair.size());
  };
  for (const std::string bad : {"[\"a\"]", "[\"a\", \"b\", \"c\"]", "\"ab\"", "\"a b c\"", "7", "[\"a\", 1]", "null"}) {
    EXPECT_FALSE(ParseTokenizer(with_merge(bad), "t.json").ok()) << bad;
  }
  EXPECT_NE(Fault(with_merge("[\"a\", \"zqzqzq\"]")).find("needs the token \"zqzqzq\""), std::string::npos);
  EXPECT_NE(Fault(with_merge("\"Q q\"")).find("needs the token \"Qq\""), std::string::npos);
}

TEST_F(TokenizerJsonTest, BadAddedTokensAreNamed) {
  ExpectFault("\"content\": \"<|endoftext|>\"", "\"content\": \"\"", "added_tokens[0]");
  ExpectFault("\"id\": 2000", "\"id\": 2001", "two added tokens have the id 2001");
  ExpectFault("\"id\": 2000", "\"id\": 5", "has the id of a token of model.vocab");
  ExpectFault("\"id\": 2000", "\"id\": 2000000000", "has an id outside");
  ExpectFault("\"id\": 2000", "\"id\": -4", "added_tokens[0]");
  ExpectFault("\"lstrip\": false", "\"lstrip\": true", "added_tokens[0].lstrip");
}

TEST_F(TokenizerJsonTest, DuplicatedAndMissingSectionsAreNamed) {
  EXPECT_NE(Fault("{}").find("no \"model\""), std::string::npos);
  EXPECT_NE(Fault("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(Fault(json_ + "x").find("expected the end of the file"), std::string::npos);
  ExpectFault("\"normalizer\"", "\"normalizer\": null, \"normalizer\"", "\"normalizer\" is there twice");
  ExpectFault("\"normalizer\"", "\"model\": {}, \"normalizer\"", "\"model\" is there twice");
}

TEST_F(TokenizerJsonTest, DeepNestingIsRefused) {
  const std::string deep(200000, '[');
  EXPECT_NE(Fault("{\"version\": " + deep).find("levels of nesting"), std::string::npos);
  EXPECT_FALSE(ParseTokenizer("{\"normalizer\": " + deep, "t.json").ok());
  EXPECT_FALSE(ParseTokenizer(deep, "t.json").ok());
}

}  // namespace
}  // namespace tamis
