#include "bench_report.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace tamis::app {
namespace {

TEST(BenchReportTest, JsonHasWhatScriptsReadAndNoMore) {
  BenchReport report;
  report.docs_per_s = 12.5;
  report.rss_peak_bytes = 1 << 20;
  report.margins = {0.5f, -1.0f};
  const auto json = boost::json::parse(ReportJson(report)).as_object();
  for (const char* name :
       {"docs_per_s", "tokens_per_s", "computed_tokens_per_s", "peak_share", "rss_peak_bytes", "load_s"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
  EXPECT_DOUBLE_EQ(json.at("docs_per_s").to_number<double>(), 12.5);
  EXPECT_EQ(json.at("margins").as_array().size(), 2u);
  EXPECT_FALSE(json.contains("amx_peak_share"));
  EXPECT_FALSE(json.contains("cold_prefix_p50_s"));
}

TEST(BenchReportTest, TilesAndColdPrefixesWhereMeasured) {
  BenchReport report;
  report.amx_peak_gops = 1000;
  report.cold_p50_s = 0.1;
  const auto json = boost::json::parse(ReportJson(report)).as_object();
  EXPECT_TRUE(json.contains("amx_peak_share"));
  EXPECT_TRUE(json.contains("cold_prefix_p95_s"));
  const std::string text = ReportText(report);
  EXPECT_NE(text.find("AMX tiles"), std::string::npos);
  EXPECT_NE(text.find("with a new query: 100.0 ms"), std::string::npos);
}

}  // namespace
}  // namespace tamis::app
