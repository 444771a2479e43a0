#include "heed/serve/server_metrics.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/serve/log.h"

namespace heed {
namespace {

TEST(Histogram, CountsUpToEachBound) {
  Histogram histogram(std::vector<double>{1, 2});
  for (const double value : {0.5, 1.0, 1.5, 9.0}) histogram.Add(value);
  std::string text;
  histogram.Write("h", "a=\"b\"", text);
  EXPECT_EQ(text,
            "h_bucket{a=\"b\",le=\"1\"} 2\nh_bucket{a=\"b\",le=\"2\"} 3\n"
            "h_bucket{a=\"b\",le=\"+Inf\"} 4\nh_sum{a=\"b\"} 12\n"
            "h_count{a=\"b\"} 4\n");
}

TEST(ServerMetrics, TellsWhatWasCounted) {
  ServerMetrics metrics;
  metrics.CountRequest("/a", 200, 0.1);
  metrics.CountRequest("/a", 200, 0.2);
  metrics.CountRequest("/a", 503, 0.3);
  metrics.CountBatch("m\"", 5, 0.01);
  metrics.CountTokens("m\"", 7, 8);
  metrics.CountReload("m\"", false);
  const std::string text =
      metrics.Text({{"g", "help", "", 1}, {"g", "help", "x=\"y\"", 2}});
  for (const char* line :
       {"heed_requests_total{route=\"/a\",status=\"200\"} 2\n",
        "heed_requests_total{route=\"/a\",status=\"503\"} 1\n",
        "heed_request_seconds_count{route=\"/a\"} 3\n",
        "heed_batch_texts_sum{model=\"m\\\"\"} 5\n",
        "heed_tokens_total{model=\"m\\\"\",side=\"target\"} 8\n",
        "heed_reloads_total{model=\"m\\\"\",result=\"failed\"} 1\n",
        "# TYPE g gauge\ng 1\ng{x=\"y\"} 2\n"}) {
    EXPECT_EQ(Count(text, line), 1u) << line << text;
  }
  EXPECT_GT(ResidentBytes(), 1 << 20);
  EXPECT_GT(OpenFiles(), 2);
}

TEST(Log, WritesALineOfJson) {
  std::vector<std::string> lines;
  Log log(LogLevel::kWarning, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  log.Info("quiet");
  log.Warning("loud", {{"text", "a\n\xff"}, {"number", 5}});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(Count(lines[0], "\n"), 1u);
  const auto json = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(json["event"], "loud");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["number"], 5);
  EXPECT_EQ(json["time"].get<std::string>().size(),
            std::string("2026-11-22T22:01:04.123Z").size());
}

TEST(Log, CountsTheLinesThatNobodyTook) {
  std::string last;
  bool takes = true;
  Log log(LogLevel::kInfo, [&](std::string_view line) {
    if (takes) last = line;
    return takes;
  });
  log.Info("a");
  EXPECT_FALSE(nlohmann::json::parse(last).contains("lost_lines"));
  takes = false;
  for (int i = 0; i < 3; ++i) log.Info("b");
  takes = true;
  log.Info("c");
  EXPECT_EQ(nlohmann::json::parse(last)["lost_lines"], 3);
  log.Info("d");
  EXPECT_FALSE(nlohmann::json::parse(last).contains("lost_lines"));
}

}  // namespace
}  // namespace heed
