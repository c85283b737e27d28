#include "document_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

namespace tamis::app {
namespace {

namespace fs = std::filesystem;

class DocumentReaderTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }

  Result<DocumentSet> Read(const std::string& ending, const std::string& content, const DocumentOptions& options = {}) {
    fs::remove(path_);
    path_ = fs::path(testing::TempDir()) / ("tamis_documents_" + std::to_string(getpid()) + ending);
    std::ofstream(path_, std::ios::binary) << content;
    return ReadDocuments(path_.string(), options);
  }

 private:
  fs::path path_;
};

TEST_F(DocumentReaderTest, LinesSkipBlankOnes) {
  const auto set = Read(".txt", "\xEF\xBB\xBFone\r\n \n\ntwo");
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->documents.size(), 2u);
  EXPECT_EQ(set->documents[0].text, "one");
  EXPECT_EQ(set->documents[1].text, "two");
}

TEST_F(DocumentReaderTest, ParagraphsKeepTheirLines) {
  const auto set = Read(".md", "a\nb\n\n\nc\n");
  ASSERT_TRUE(set.ok());
  ASSERT_EQ(set->documents.size(), 2u);
  EXPECT_EQ(set->documents[0].text, "a\nb");
}

TEST_F(DocumentReaderTest, JsonLinesKeepOtherFieldsInOrder) {
  DocumentOptions options;
  options.field = "content";
  const auto set = Read(".jsonl", "{\"z\": 1, \"content\": \"x\", \"a\": [2]}\n\"plain\"\n", options);
  ASSERT_TRUE(set.ok()) << set.status().message();
  EXPECT_EQ(boost::json::serialize(set->documents[0].fields), "{\"z\":1,\"a\":[2]}");
  EXPECT_EQ(set->documents[1].text, "plain");
  EXPECT_FALSE(set->documents[1].text_is_field);
}

TEST_F(DocumentReaderTest, CsvCellsMayHoldQuotesCommasAndLines) {
  const auto set = Read(".csv", "id,text\n1,\"a, \"\"b\"\"\nc\"\n");
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->documents.size(), 1u);
  EXPECT_EQ(set->documents[0].text, "a, \"b\"\nc");
  EXPECT_EQ(boost::json::serialize(set->documents[0].fields), "{\"id\":\"1\"}");
}

TEST_F(DocumentReaderTest, ErrorsNameTheirPlace) {
  EXPECT_NE(Read(".jsonl", "{\"text\": \"a\"}\n{\"text\": 1}\n").status().message().find(".jsonl:2: \"text\" is int64"), std::string::npos);
  EXPECT_NE(Read(".json", "[true]").status().message().find("document 0"), std::string::npos);
  EXPECT_NE(Read(".csv", "a,b\n1,2\n").status().message().find("the columns are \"a\", \"b\""), std::string::npos);
  EXPECT_NE(Read(".csv", "text\n\"open\n").status().message().find("not CSV"), std::string::npos);
  EXPECT_EQ(ReadDocuments("/nowhere.txt", {}).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tamis::app
