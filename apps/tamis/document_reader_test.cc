#include "document_reader.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace tamis::app {
namespace {

using Texts = std::vector<std::string>;

Texts TextsOf(const DocumentSet& set) {
  Texts out;
  for (const InputDocument& document : set.documents) out.push_back(document.text);
  return out;
}

Texts Read(const std::string& name, const std::string& content, const DocumentOptions& options = {}) {
  const TempFile file(name, content);
  const auto set = ReadDocuments(file.path(), options);
  EXPECT_TRUE(set.ok()) << set.status().message();
  return set.ok() ? TextsOf(*set) : Texts{};
}

std::string ErrorOf(const std::string& name, const std::string& content, const DocumentOptions& options = {}) {
  const TempFile file(name, content);
  const std::string message = ReadDocuments(file.path(), options).status().message();
  EXPECT_TRUE(message.starts_with(file.path() + ":")) << message;
  return message.substr(std::min(file.path().size() + 1, message.size()));
}

TEST(DocumentReaderTest, LinesSkipEmptyOnes) {
  EXPECT_EQ(Read("a.txt",
                 "\xEF\xBB\xBF"
                 "one\r\n\r\n two \n\t\nthree"),
            (Texts{"one", " two ", "three"}));
  EXPECT_EQ(Read("a.unknown", "{\"text\": 1}\n"), (Texts{"{\"text\": 1}"}));
  EXPECT_EQ(Read("empty.txt", ""), Texts{});
}

TEST(DocumentReaderTest, Paragraphs) {
  const std::string content = "\n\none\ntwo\n\n \nthree\r\n";
  EXPECT_EQ(Read("a.md", content), (Texts{"one\ntwo", "three"}));
  DocumentOptions options;
  options.format = InputFormat::kParagraphs;
  EXPECT_EQ(Read("a.txt", content, options), (Texts{"one\ntwo", "three"}));
}

TEST(DocumentReaderTest, JsonLines) {
  EXPECT_EQ(Read("a.jsonl", "{\"text\": \"one\"}\n\n\"two\"\n"), (Texts{"one", "two"}));
  DocumentOptions options;
  options.field = "content";
  EXPECT_EQ(Read("a.JSONL", "{\"content\": \"x\", \"text\": 3}", options), (Texts{"x"}));
  EXPECT_EQ(Read("pipe", "{\"content\": \"x\"}", options), (Texts{"x"}));  // the flag tells the form
}

TEST(DocumentReaderTest, JsonFieldsStayAsTheyWere) {
  const TempFile file("a.jsonl", R"({"id": 1.10, "text": "t", "meta": {"b": [1, 2]}})");
  const auto set = ReadDocuments(file.path(), {});
  ASSERT_TRUE(set.ok());
  const RawFields& fields = set->documents[0].fields;
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].value, "1.10");
  EXPECT_EQ(fields[2].value, R"({"b":[1,2]})");
}

TEST(DocumentReaderTest, JsonFile) {
  EXPECT_EQ(Read("a.json", "[\n \"one\",\n {\"text\": \"two\"}\n]"), (Texts{"one", "two"}));
  EXPECT_EQ(Read("a.json", R"({"query": "q", "documents": ["one"]})"), (Texts{"one"}));
  EXPECT_EQ(Read("a.json", "[]"), Texts{});
  EXPECT_NE(ErrorOf("a.json", "{\"x\": 1}").find("a JSON list of documents is expected"), std::string::npos);
  EXPECT_NE(ErrorOf("a.json", "[\"a\", 7]").find("document 1: a document is a string or an object"), std::string::npos);
}

TEST(DocumentReaderTest, JsonErrorsNameTheLine) {
  EXPECT_TRUE(ErrorOf("a.jsonl", "{\"text\": \"a\"}\n\n{\"text\": }\n").starts_with("3: column "));
  EXPECT_EQ(ErrorOf("a.jsonl", "{\"txt\": \"a\"}\n"), "1: there is no field \"text\"");
  EXPECT_EQ(ErrorOf("a.jsonl", "{\"text\": 5}\n"), "1: \"text\" is int64; a string is expected");
  EXPECT_NE(ErrorOf("a.jsonl", "\"a\"\n[1]\n").find("2: a document is a string"), std::string::npos);
}

TEST(DocumentReaderTest, Csv) {
  const std::string content = "id,text,note\r\n1,\"a, \"\"b\"\"\nc\", x \r\n\r\n2,d,\r\n";
  EXPECT_EQ(Read("a.csv", content), (Texts{"a, \"b\"\nc", "d"}));
  DocumentOptions options;
  options.column = "note";
  EXPECT_EQ(Read("a.csv", content, options), (Texts{" x ", ""}));
  EXPECT_EQ(Read("a.csv", "only\nx\ny"), (Texts{"x", "y"}));
  EXPECT_EQ(Read("a.tsv", "id\ttext\n1\ta, b\n"), (Texts{"a, b"}));
}

TEST(DocumentReaderTest, CsvFieldsAreStrings) {
  const TempFile file("a.csv", "id,text,\"na\"\"me\"\n007,t,\"x\ny\"\n");
  const auto set = ReadDocuments(file.path(), {});
  ASSERT_TRUE(set.ok());
  const RawFields& fields = set->documents[0].fields;
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].value, "\"007\"");
  EXPECT_EQ(fields[2].name, "na\"me");
  EXPECT_EQ(fields[2].value, "\"x\\ny\"");
}

TEST(DocumentReaderTest, CsvErrorsNameTheLine) {
  DocumentOptions options;
  options.column = "body";
  EXPECT_EQ(ErrorOf("a.csv", "id,text\n1,a\n", options),
            "1: there is no column \"body\"; the columns are \"id\", \"text\"");
  EXPECT_EQ(ErrorOf("a.csv", "id,text\n1,\"a\nb\"\n2\n"), "4: 1 cells; the header has 2");
  EXPECT_NE(ErrorOf("a.csv", "id,text\n1,\"open\n2,b\n").find("3: not CSV"), std::string::npos);
  EXPECT_NE(ErrorOf("a.csv", "id,text\n1,\"a\"b\n").find("2: not CSV"), std::string::npos);
  EXPECT_NE(ErrorOf("a.csv", "").find("there is no header line"), std::string::npos);
}

TEST(DocumentReaderTest, BadUtf8IsRepairedWithOneWarning) {
  for (const char* name : {"a.txt", "a.md", "a.jsonl", "a.csv"}) {
    const bool json = std::string_view(name) == "a.jsonl";
    const TempFile file(name, json ? "\"a\"\n\"b\xFF\"\n\"c\xFF\"\n" : "text\n\nb\xFF\n\nc\xFF\n");
    const auto set = ReadDocuments(file.path(), {});
    ASSERT_TRUE(set.ok()) << set.status().message();
    EXPECT_EQ(set->warnings.size(), 1u) << name;
    EXPECT_EQ(set->documents.back().text, "c\uFFFD") << name;
  }
}

TEST(DocumentReaderTest, NulBytes) {
  EXPECT_EQ(Read("a.txt", std::string("a\0b\n", 4)), (Texts{std::string("a\0b", 3)}));
  EXPECT_EQ(Read("a.jsonl", R"("a\u0000b")"), (Texts{std::string("a\0b", 3)}));
}

TEST(DocumentReaderTest, FormatsByName) {
  EXPECT_EQ(InputFormatOf("auto"), InputFormat::kAuto);
  EXPECT_EQ(InputFormatOf("tsv"), InputFormat::kTsv);
  EXPECT_EQ(InputFormatOf("paragraphs"), InputFormat::kParagraphs);
}

}  // namespace
}  // namespace tamis::app
