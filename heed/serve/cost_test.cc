#include "heed/serve/cost.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

TEST(TranslationTokens, CountsWhatIsReadAndWritten) {
  const Texts texts(10, std::string(39, 'x'));
  EXPECT_EQ(TranslationTokens(texts, 1, 2), 100 + 200 + 100);
  EXPECT_EQ(TranslationTokens(texts, 5, 2), 100 + 5 * 300);
}

TEST(PredictionTokens, CountsAllThatIsWrittenSideBySide) {
  const Texts texts(10, std::string(39, 'x'));
  EXPECT_EQ(PredictionTokens("classify", {}, texts), 100);
  EXPECT_EQ(
      PredictionTokens("translate", {{"beam", 32}, {"max_length_factor", 10.0}},
                       texts),
      TranslationTokens(texts, 32, 10));
  EXPECT_EQ(
      PredictionTokens("translate", {{"beam", 4}, {"max_length", 50}}, texts),
      100 + 4 * 10 * 50);
  EXPECT_EQ(
      PredictionTokens(
          "lm", {{"mode", "sample"}, {"samples", 3}, {"length", 64}}, texts),
      100 + 10 * 3 * 64);
  EXPECT_EQ(PredictionTokens(
                "lm", {{"mode", "complete"}, {"beam", 32}, {"max_tokens", 24}},
                texts),
            100 + 10 * 32 * 24);
  EXPECT_EQ(PredictionTokens("lm", {{"mode", "score"}}, texts), 100);
}

TEST(ExplanationTokens, CountsEachPassOfEachMethod) {
  AttributionOptions attribution;
  const double one = ExplanationTokens("translate", 400, attribution);
  EXPECT_EQ(one, 200);
  attribution.methods = {"occlusion"};
  EXPECT_EQ(ExplanationTokens("translate", 400, attribution), 10001 * 200);
  attribution.methods = {"saliency", "integrated_gradients", "smooth_grad"};
  attribution.steps = 10;
  attribution.samples = 5;
  EXPECT_EQ(ExplanationTokens("translate", 400, attribution),
            (1 + 3 * 100 * 16) * 200);
  EXPECT_EQ(ExplanationTokens("classify", 400, attribution),
            (1 + 3 * 16) * 100);
}

TEST(LeastSeconds, IsBeyondWhatProcessorsDo) {
  EXPECT_LT(LeastSeconds(1e9), 0.01);
  EXPECT_GT(LeastSeconds(1e18), 1000);
}

TEST(RowsWithin, AreThoseOfTheLeastTime) {
  const double rows = RowsWithin(0.5, 1e6);
  EXPECT_NEAR(LeastSeconds(rows * 1e6), 0.5, 1e-9);
  EXPECT_NEAR(RowsWithin(0.5, 1e7), rows / 10, 1e-3 * rows);
}

}  // namespace
}  // namespace heed
