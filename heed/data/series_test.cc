#include "heed/data/series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

/// Row i holds i and 10 i.
Tensor Counting(int64_t rows) {
  Tensor values({rows, 2}, DType::kF64);
  for (int64_t i = 0; i < rows; ++i) {
    values.row<double>(i)[0] = static_cast<double>(i);
    values.row<double>(i)[1] = static_cast<double>(10 * i);
  }
  return values;
}

TEST(Split, CountsSharesAndTheStandardOfEtt) {
  EXPECT_EQ(SplitRows("5,2,1", 10), (SeriesSplit{{0, 5}, {5, 7}, {7, 8}}));
  EXPECT_EQ(SplitRows("0.7,0.1,0.2", 11),
            (SeriesSplit{{0, 7}, {7, 8}, {8, 11}}));
  EXPECT_EQ(SplitRows("0.7,0.1,0.2", 700),
            (SeriesSplit{{0, 490}, {490, 560}, {560, 700}}));
  EXPECT_EQ(SplitRows("ett", 17420),
            (SeriesSplit{{0, 8640}, {8640, 11520}, {11520, 14400}}));
}

TEST(Split, WhatDoesNotCutIsRefused) {
  for (const char* text : {"", "1,2", "1,2,3,4", "a,b,c", "5,-1,1", "5,0,1",
                           "1.5,2,3", "8,2,1", "0.98,0.01,0.01", "nan,1,1"}) {
    EXPECT_THROW(SplitRows(text, 10), ConfigError) << text;
  }
}

TEST(Standardizer, UsesTheFittedRowsOnly) {
  Tensor values = Counting(20);
  const Standardizer before(values, {0, 10});
  EXPECT_EQ(before.means(), (std::vector<double>{4.5, 45}));
  EXPECT_NEAR(before.deviations()[0], std::sqrt(8.25), 1e-12);
  for (int64_t i = 10; i < 20; ++i) values.row<double>(i)[0] = 1e9;
  const Standardizer after(values, {0, 10});
  EXPECT_EQ(before.means(), after.means());
  EXPECT_EQ(before.deviations(), after.deviations());
}

TEST(Standardizer, InvertUndoesApply) {
  const Tensor values = Counting(12);
  const Standardizer standardizer(values, {0, 6});
  const Tensor z = standardizer.Apply(values);
  const std::vector<double> back = standardizer.Invert(z).ToVector<double>();
  const std::vector<double> x = values.ToVector<double>();
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-12);
  double sum = 0;
  for (int64_t i = 0; i < 6; ++i) sum += z.row<double>(i)[1];
  EXPECT_NEAR(sum, 0, 1e-12);
}

TEST(Standardizer, ConstantColumnsAreOnlyCentred) {
  // Sums of 0.1 are inexact, so the mean differs from the values.
  Tensor values = Tensor::Full({1000, 2}, 0.1, DType::kF64);
  for (int64_t i = 0; i < 1000; ++i) values.row<double>(i)[1] = 0;
  const Standardizer standardizer(values, {0, 1000});
  EXPECT_EQ(standardizer.deviations(), (std::vector<double>{1, 1}));
  values.row<double>(0)[0] = 2.1;
  EXPECT_NEAR(standardizer.Apply(values).row<double>(0)[0], 2, 1e-12);
}

TEST(Standardizer, HugeNumbersDoNotOverflow) {
  const Tensor values =
      Tensor::Of(std::vector<double>{1e308, -1e308, 1e308, -1e308}, {4, 1});
  const Standardizer standardizer(values, {0, 4});
  EXPECT_EQ(standardizer.Apply(values).ToVector<double>(),
            (std::vector<double>{1, -1, 1, -1}));
}

TEST(Standardizer, OtherColumnsAreRefused) {
  const Standardizer standardizer(Counting(4), {0, 4});
  EXPECT_THROW(standardizer.Apply(Tensor::Zeros({2, 3})), ShapeError);
  EXPECT_THROW(Standardizer(Counting(4), {0, 5}), ShapeError);
  EXPECT_THROW(Standardizer({0.0}, {0.0}), NumericError);
}

TEST(Windows, TrainingWindowsStayInsideTheirPart) {
  EXPECT_EQ(WindowOrigins({10, 20}, {4, 3}, 1, false),
            (std::vector<int64_t>{14, 15, 16, 17}));
  EXPECT_EQ(WindowOrigins({10, 20}, {4, 3}, 2, false),
            (std::vector<int64_t>{14, 16}));
}

TEST(Windows, EvaluationReachesBackToForecastEveryRow) {
  EXPECT_EQ(WindowOrigins({10, 14}, {4, 3}, 1, true),
            (std::vector<int64_t>{10, 11}));
  EXPECT_EQ(WindowOrigins({2, 8}, {4, 3}, 1, true),
            (std::vector<int64_t>{4, 5}));
}

TEST(Windows, TheStandardTestPartOfEttHas2785) {
  const SeriesSplit split = SplitRows("ett", 17420);
  EXPECT_EQ(WindowOrigins(split.test, {336, 96}, 1, true).size(), 2785U);
  EXPECT_EQ(WindowOrigins(split.train, {336, 96}, 1, false).size(), 8209U);
}

TEST(Windows, PartsThatAreTooShortAreRefused) {
  EXPECT_THROW(WindowOrigins({0, 6}, {4, 3}, 1, false), ConfigError);
  EXPECT_THROW(WindowOrigins({0, 6}, {0, 3}, 1, false), ConfigError);
}

TEST(Windows, BatchesHoldWhatStandsBeforeAndBehindTheOrigin) {
  const std::vector<int64_t> origins = {5, 3};
  const SeriesBatch batch = MakeSeriesBatch(Counting(8), origins, {2, 3});
  EXPECT_EQ(batch.inputs.shape(), Shape({2, 2, 2}));
  EXPECT_EQ(batch.inputs.ToVector<double>(),
            (std::vector<double>{3, 30, 4, 40, 1, 10, 2, 20}));
  EXPECT_EQ(batch.targets.ToVector<double>(),
            (std::vector<double>{5, 50, 6, 60, 7, 70, 3, 30, 4, 40, 5, 50}));
  const std::vector<int64_t> outside = {6};
  EXPECT_THROW(MakeSeriesBatch(Counting(8), outside, {2, 3}), ShapeError);
}

TEST(Windows, InputsHoldNothingFromTheOriginOn) {
  Tensor values = Counting(30);
  const std::vector<int64_t> origins = {20};
  const auto inputs = [&] {
    return MakeSeriesBatch(values, origins, {12, 4}).inputs.ToVector<double>();
  };
  const std::vector<double> before = inputs();
  for (int64_t row = 20; row < 30; ++row) values.row<double>(row)[0] = 1e6;
  EXPECT_EQ(inputs(), before);
  values.row<double>(19)[0] = 1e6;
  EXPECT_NE(inputs(), before);
}

}  // namespace
}  // namespace heed
