// The reference models' scores, through the public interface: fp32 margins within 1e-3 and scores within 1e-4 of what
// the reference implementation computed, on every instruction set that this machine has.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "tamis/reranker.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct GoldenRow {
  TextPair pair;
  double margin = 0;
  double score = 0;
  std::int64_t tokens = 0;
  bool truncated = false;
};

std::string Text(const json::object& row, const char* field) {
  return std::string(row.at(field).get_string().data(), row.at(field).get_string().size());
}

std::vector<GoldenRow> ReadRows(const fs::path& path) {
  std::ifstream file(path);
  std::vector<GoldenRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const json::object object = json::parse(line).get_object();
    GoldenRow row;
    row.pair = {Text(object, "query"), Text(object, "document"), Text(object, "instruction"),
                static_cast<int>(object.at("max_length").to_number<std::int64_t>())};
    row.margin = object.contains("logit")
                     ? object.at("logit").to_number<double>()
                     : object.at("logit_yes").to_number<double>() - object.at("logit_no").to_number<double>();
    row.score = object.at("score").to_number<double>();
    row.tokens = object.at("n_tokens").to_number<std::int64_t>();
    row.truncated = object.at("truncated").get_bool();
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> Models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(TAMIS_TEST_DATA) / "goldens" / "models")) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

class ModelGoldenTest : public testing::TestWithParam<std::tuple<std::string, Isa>> {
 protected:
  void SetUp() override { setenv("TAMIS_FORCE_ISA", std::string(IsaName(std::get<1>(GetParam()))).c_str(), 1); }
  void TearDown() override { unsetenv("TAMIS_FORCE_ISA"); }
};

TEST_P(ModelGoldenTest, ScoresAreTheReferences) {
  const fs::path folder = fs::path(TAMIS_TEST_DATA) / "goldens" / "models" / std::get<0>(GetParam());
  ModelOptions options;
  options.model = folder.string();
  options.precision = Precision::kFp32;
  const auto reranker = Reranker::Load(options);
  ASSERT_TRUE(reranker.ok()) << reranker.status().message();
  const std::vector<GoldenRow> rows = ReadRows(folder / "scores.jsonl");
  ASSERT_GE(rows.size(), 10u);
  std::vector<TextPair> pairs;
  for (const GoldenRow& row : rows) pairs.push_back(row.pair);
  const auto scores = (*reranker)->Score(pairs);
  ASSERT_TRUE(scores.ok()) << scores.status().message();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR((*scores)[i].margin, rows[i].margin, 1e-3) << "row " << i;
    EXPECT_NEAR((*scores)[i].score, rows[i].score, 1e-4) << "row " << i;
    EXPECT_EQ((*scores)[i].tokens, rows[i].tokens) << "row " << i;
    EXPECT_EQ((*scores)[i].truncated_tokens > 0, rows[i].truncated) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelGoldenTest,
                         testing::Combine(testing::ValuesIn(Models()), testing::ValuesIn(SupportedIsas())),
                         [](const auto& param) {
                           std::string name =
                               std::get<0>(param.param) + "_" + std::string(IsaName(std::get<1>(param.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tamis
