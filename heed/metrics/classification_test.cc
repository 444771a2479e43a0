#include "heed/metrics/classification.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;
using Sets = std::vector<Ids>;

TEST(Classes, AreCountedOneByOne) {
  // Gold class 0 has three examples: one is predicted as 1, one as 2.
  const ClassReport report =
      ScoreClasses(Ids{0, 1, 2, 1, 1, 0}, Ids{0, 0, 0, 1, 1, 2}, 3);
  EXPECT_DOUBLE_EQ(report.accuracy, 0.5);
  EXPECT_EQ(report.confusion,
            (std::vector<int64_t>{1, 1, 1, 0, 2, 0, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(report.classes[0].precision(), 0.5);
  EXPECT_DOUBLE_EQ(report.classes[0].recall(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.classes[0].f1(), 0.4);
  EXPECT_DOUBLE_EQ(report.classes[1].f1(), 0.8);
  EXPECT_DOUBLE_EQ(report.classes[2].f1(), 0);
  EXPECT_DOUBLE_EQ(MacroF1(report.classes), 0.4);
  EXPECT_DOUBLE_EQ(MicroF1(report.classes), report.accuracy);
}

TEST(Classes, ThoseThatNeverOccurDoNotCountInTheMean) {
  const ClassReport report = ScoreClasses(Ids{0, 0}, Ids{0, 0}, 4);
  EXPECT_EQ(report.classes.size(), 4u);
  EXPECT_TRUE(std::isnan(report.classes[3].precision()));
  EXPECT_DOUBLE_EQ(MacroF1(report.classes), 1);
}

TEST(Classes, NoExamplesGiveNoFigures) {
  const ClassReport report = ScoreClasses({}, {}, 2);
  EXPECT_TRUE(std::isnan(report.accuracy));
  EXPECT_TRUE(std::isnan(MacroF1(report.classes)));
  EXPECT_TRUE(std::isnan(MicroF1(report.classes)));
}

TEST(Classes, WhatDoesNotFitIsAnError) {
  EXPECT_THROW(ScoreClasses(Ids{0}, {}, 2), ShapeError);
  EXPECT_THROW(ScoreClasses(Ids{2}, Ids{0}, 2), ShapeError);
  EXPECT_THROW(ScoreClasses(Ids{0}, Ids{-1}, 2), ShapeError);
  EXPECT_THROW(ScoreLabelSets(Sets{{0}}, Sets{}, 2), ShapeError);
  EXPECT_THROW(ScoreLabelSets(Sets{{2}}, Sets{{0}}, 2), ShapeError);
  EXPECT_THROW(RocAuc(std::vector<double>{1}, {}), ShapeError);
  EXPECT_THROW(RocAuc(std::vector<double>{std::nan("")}, Ids{1}), ShapeError);
}

TEST(LabelSets, AreRightAsAWholeOrInPart) {
  // Label 0: predicted 2, gold 2, correct 1. Label 1: 1, 2, 1. Label 2: 1, 0,
  // 0.
  const LabelSetReport report =
      ScoreLabelSets(Sets{{0}, {0, 1}, {2}, {}}, Sets{{0}, {1}, {0, 1}, {}}, 3);
  EXPECT_DOUBLE_EQ(report.subset_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(report.classes[0].f1(), 0.5);
  EXPECT_DOUBLE_EQ(report.classes[1].precision(), 1);
  EXPECT_DOUBLE_EQ(report.classes[1].recall(), 0.5);
  EXPECT_DOUBLE_EQ(MicroF1(report.classes), 2.0 * 2 / (4 + 4));
  EXPECT_DOUBLE_EQ(MacroF1(report.classes), (0.5 + 2.0 / 3 + 0) / 3);
}

TEST(RocAuc, IsTheShareOfPairsInOrder) {
  const std::vector<double> scores = {0.1, 0.4, 0.35, 0.8};
  EXPECT_DOUBLE_EQ(RocAuc(scores, Ids{0, 0, 1, 1}), 0.75);
  EXPECT_DOUBLE_EQ(RocAuc(scores, Ids{0, 1, 0, 1}), 1);
  EXPECT_DOUBLE_EQ(RocAuc(scores, Ids{1, 0, 1, 0}), 0);
}

TEST(RocAuc, CountsTiesHalf) {
  EXPECT_DOUBLE_EQ(RocAuc(std::vector<double>{1, 1, 1}, Ids{0, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(RocAuc(std::vector<double>{1, 2, 2}, Ids{0, 0, 1}), 0.75);
}

TEST(RocAuc, EqualsTheComparisonOfAllPairs) {
  Rng rng(5);
  std::vector<double> scores;
  Ids positive;
  for (int i = 0; i < 300; ++i) {
    positive.push_back(static_cast<int32_t>(rng.Below(2)));
    scores.push_back(static_cast<double>(rng.Below(20)) + positive.back());
  }
  double won = 0;
  double pairs = 0;
  for (size_t p = 0; p < scores.size(); ++p) {
    for (size_t n = 0; n < scores.size(); ++n) {
      if (positive[p] == 0 || positive[n] == 1) continue;
      pairs += 1;
      won += scores[p] > scores[n] ? 1 : scores[p] == scores[n] ? 0.5 : 0;
    }
  }
  EXPECT_NEAR(RocAuc(scores, positive), won / pairs, 1e-12);
}

TEST(RocAuc, OfOneKindAloneIsNoFigure) {
  EXPECT_TRUE(std::isnan(RocAuc(std::vector<double>{1, 2}, Ids{1, 1})));
  EXPECT_TRUE(std::isnan(RocAuc({}, {})));
}

}  // namespace
}  // namespace heed
