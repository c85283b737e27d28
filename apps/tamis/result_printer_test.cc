#include "result_printer.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace tamis::app {
namespace {

DocumentScore Score(std::size_t index, float score) {
  DocumentScore out;
  out.index = index;
  out.score = score;
  return out;
}

TEST(ResultPrinterTest, FieldsComeBackAsWritten) {
  const InputDocument document{"Mars", {{"id", "1.10"}, {"text", "\"Mars\""}, {"tags", "[\"a\",2]"}}};
  EXPECT_EQ(ResultJson(Score(3, 0.5f), 1, document),
            R"({"index":3,"score":0.5,"rank":1,"document":"Mars","id":1.10,"text":"Mars","tags":["a",2]})");
}

TEST(ResultPrinterTest, PlainDocument) {
  EXPECT_EQ(ResultJson(Score(0, 1.0f), 2, {"a \"b\"", {}}), R"({"index":0,"score":1.0,"rank":2,"document":"a \"b\""})");
}

TEST(ResultPrinterTest, FieldsNamedLikeOursAreKeptUnderAnotherName) {
  const InputDocument document{"Mars", {{"score", "7"}, {"document", "\"Mars\""}, {"rank", "null"}}};
  EXPECT_EQ(ResultJson(Score(0, 0.25f), 1, document),
            R"({"index":0,"score":0.25,"rank":1,"document":"Mars","input_score":7,"input_rank":null})");
}

TEST(ResultPrinterTest, SaysWhatWasCut) {
  DocumentScore score = Score(0, 0.25f);
  score.truncated_tokens = 9;
  score.window = ByteRange{10, 20};
  EXPECT_EQ(ResultJson(score, 1, {"x", {}}), R"({"index":0,"score":0.25,"rank":1,"document":"x","truncated_tokens":9,)"
                                             R"("window":{"start_byte":10,"end_byte":20}})");
}

TEST(ResultPrinterTest, Response) {
  RerankResponse response;
  response.results = {Score(1, 0.75f), Score(0, 0.5f)};
  response.warnings = {"careful"};
  const std::vector<InputDocument> documents = {{"a", {}}, {"b", {}}};
  const RawFields fields = {{"id", "\"q7\""}, {"results", "1"}};
  const auto parsed = boost::json::parse(ResponseJson(response, documents, fields));
  EXPECT_EQ(parsed.at("id").as_string(), "q7");
  EXPECT_EQ(parsed.at("input_results").as_int64(), 1);
  EXPECT_EQ(parsed.at("results").as_array().size(), 2u);
  EXPECT_EQ(parsed.at("results").at(0).at("document").as_string(), "b");
  EXPECT_EQ(parsed.at("warnings").at(0).as_string(), "careful");
  EXPECT_EQ(ResponseJson({}, documents, {}), R"({"results":[]})");
}

TEST(ResultPrinterTest, Csv) {
  RerankResponse response;
  response.results = {Score(1, 0.75f), Score(0, 0.5f)};
  const std::vector<InputDocument> documents = {
      {"a, b", {{"id", "1"}, {"body", "\"a, b\""}, {"score", "\"old\""}}},
      {"say \"hi\"\nthere", {{"body", "\"say \\\"hi\\\"\\nthere\""}, {"note", "\"x\""}}}};
  EXPECT_EQ(ResponseCsv(response, documents),
            "rank,index,score,document,id,input_score,note\n"
            "1,1,0.75,\"say \"\"hi\"\"\nthere\",,,x\n"
            "2,0,0.5,\"a, b\",1,old,\n");
}

TEST(ResultPrinterTest, ExplanationNamesTokensAndTimes) {
  RequestStats stats;
  stats.prompt_tokens = 200;
  stats.computed_tokens = 50;
  stats.compute_us = 1000;
  stats.duplicates = 2;
  const std::string text = Explanation(stats, {});
  EXPECT_NE(text.find("200 in prompts; 50 computed, 150 (75 %) reused"), std::string::npos);
  EXPECT_NE(text.find("50000 tokens/s computed"), std::string::npos);
  EXPECT_NE(text.find("2 documents repeat"), std::string::npos);
}

}  // namespace
}  // namespace tamis::app
