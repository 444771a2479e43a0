#include "heed/explain/alignment.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"

namespace heed {
namespace {

const AlignmentView kView = {
    {"a", "b", "c"}, {"x", "y"}, {0.1f, 0.7f, 0.2f, 0.5f, 0.0f, 0.5f}, ""};

TEST(HardAlignment, TakesTheLargestWeightAndTheFirstOfEquals) {
  EXPECT_EQ(HardAlignment(kView), (std::vector<int64_t>{1, 0}));
}

TEST(HardAlignment, RowWithoutWeightHasNoLink) {
  const AlignmentView view = {{"a"}, {"x", "y"}, {0.0f, 1.0f}, ""};
  EXPECT_EQ(HardAlignment(view), (std::vector<int64_t>{-1, 0}));
  EXPECT_EQ(PharaohLine(view), "0-1");
}

TEST(HardAlignment, NanIsNoWeight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const AlignmentView view = {{"a", "b"}, {"x"}, {nan, 0.1f}, ""};
  EXPECT_EQ(HardAlignment(view), (std::vector<int64_t>{1}));
}

TEST(Alignment, WeightsMustFitTheTokens) {
  const AlignmentView view = {{"a", "b"}, {"x"}, {1.0f}, ""};
  EXPECT_THROW(HardAlignment(view), ShapeError);
  EXPECT_THROW(PharaohLine(view), ShapeError);
  EXPECT_THROW(AlignmentJson({&view, 1}), ShapeError);
}

TEST(LinksOf, TakesTheLargestOrAllAboveAThreshold) {
  EXPECT_EQ(LinksOf(kView), (AlignmentLinks{{1, 0}, {0, 1}}));
  EXPECT_EQ(LinksOf(kView, {.threshold = 0.2}),
            (AlignmentLinks{{1, 0}, {2, 0}, {0, 1}, {2, 1}}));
  EXPECT_TRUE(LinksOf(kView, {.threshold = 0.8}).empty());
}

TEST(LinksOf, AWordThatLooksElsewhereMayStayWithoutALink) {
  // 0.5 of the first row and 0.2 of the second are on tokens not shown.
  const AlignmentView view = {
      {"a", "b"}, {"x", "y"}, {0.3f, 0.2f, 0.1f, 0.7f}, ""};
  EXPECT_EQ(LinksOf(view), (AlignmentLinks{{0, 0}, {1, 1}}));
  EXPECT_EQ(LinksOf(view, {.allow_null = true}), (AlignmentLinks{{1, 1}}));
  EXPECT_EQ(LinksOf(view, {.threshold = 0.1, .allow_null = true}),
            (AlignmentLinks{{0, 1}, {1, 1}}));
}

TEST(PharaohLine, WritesTheLinksThatAViewHas) {
  AlignmentView view = kView;
  view.links = AlignmentLinks{{2, 1}};
  EXPECT_EQ(PharaohLine(view), "2-1");
  view.links = AlignmentLinks{};
  EXPECT_EQ(PharaohLine(view), "");
}

TEST(PharaohLine, NamesSourceThenTarget) {
  EXPECT_EQ(PharaohLine(kView), "1-0 0-1");
  EXPECT_EQ(PharaohLine({}), "");
}

TEST(PharaohLine, LeavesOutTheEndsOfSentences) {
  const AlignmentView view = {
      {"a", "b", "</s>"},
      {"x", "y", "</s>"},
      {0.1f, 0.2f, 0.7f, 0.6f, 0.3f, 0.1f, 0.0f, 0.0f, 1.0f},
      ""};
  EXPECT_EQ(PharaohLine(view), "1-0 0-1");
  const AlignmentView empty = {{"</s>"}, {"</s>"}, {1.0f}, ""};
  EXPECT_EQ(PharaohLine(empty), "");
}

TEST(AlignmentJson, HasOneRowPerTargetToken) {
  EXPECT_EQ(AlignmentJson({&kView, 1}),
            R"({"sentences":[{"source":["a","b","c"],"target":["x","y"],)"
            R"("weights":[[0.1,0.7,0.2],[0.5,0.0,0.5]]}]})");
  EXPECT_EQ(AlignmentJson({}), R"({"sentences":[]})");
}

TEST(AlignmentJson, HasTheLinksOfAView) {
  AlignmentView view = kView;
  view.links = AlignmentLinks{{1, 0}, {2, 1}};
  const auto json = nlohmann::json::parse(AlignmentJson({&view, 1}));
  EXPECT_EQ(json["sentences"][0]["links"].dump(), "[[1,0],[2,1]]");
}

TEST(AlignmentJson, TakesAnyTokens) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const AlignmentView view = {{"\xff\"\n"}, {"🙂"}, {nan}, ""};
  const auto json = nlohmann::json::parse(AlignmentJson({&view, 1}));
  EXPECT_EQ(json["sentences"][0]["source"][0], "�\"\n");
  EXPECT_EQ(json["sentences"][0]["weights"][0][0], 0.0);
}

}  // namespace
}  // namespace heed
