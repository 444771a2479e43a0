#include "heed/nn/output_layer.h"

#include <gtest/gtest.h>

#include <memory>

#include "heed/autograd/testing.h"

namespace heed::output_layer_test {
namespace {

struct Both {
  ParameterSet set = ParameterSet(1, DType::kF32, kernels::Precision::kNative);
  OutputProjection by_token =
      OutputProjection(Scope(set, "by_token"), 4, 5, {}, true);
  OutputProjection by_feature =
      OutputProjection(Scope(set, "by_feature"), 4, 5, {}, true, false);
};

TEST(OutputProjection, RefusesWordsThatAreNotThere) {
  const Both both;
  for (const OutputProjection* scores : {&both.by_token, &both.by_feature}) {
    EXPECT_THROW(scores->Restricted(Ids({1, 5}, {2})), ShapeError);
    EXPECT_THROW(scores->Restricted(Ids({-1}, {1})), ShapeError);
  }
}

TEST(OutputProjection, HasTheSameScoresWithTheTransposedWeight) {
  const Both both;
  Parameter* weight = both.set.Find("by_feature.weight");
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      weight->mutable_value().row<float>(i)[j] =
          both.set.Find("by_token.weight")->value().row<float>(j)[i];
    }
  }
  weight->Changed();
  const Tensor x = RandomTensor({3, 4}, 2, DType::kF32);
  EXPECT_LT(MaxDifference(both.by_token.Scores({}, x).value(),
                          both.by_feature.Scores({}, x).value()),
            1e-6);
}

TEST(OutputProjection, RestrictedAgainScoresTheRest) {
  const Both both;
  const Tensor x = RandomTensor({3, 4}, 2, DType::kF32);
  for (const OutputProjection* scores : {&both.by_token, &both.by_feature}) {
    const auto some = scores->Restricted(Ids({0, 2, 4}, {3}));
    const auto one = some->Restricted(Ids({2}, {1}));
    EXPECT_EQ(some->features(), 4);
    const Tensor all = scores->Scores({}, x).value();
    const Tensor last = one->Scores({}, x).value();
    ASSERT_EQ(last.shape(), (Shape{3, 1}));
    for (int64_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(last.row<float>(r)[0], all.row<float>(r)[4], 1e-6);
    }
  }
}

TEST(OutputProjection, TopKOfMoreThanThereAreIsAll) {
  const Both both;
  const Tensor x = RandomTensor({3, 4}, 2, DType::kF32);
  EXPECT_EQ(both.by_token.TopK({}, x, 9, 2, true).values.shape(),
            (Shape{3, 5}));
}

}  // namespace
}  // namespace heed::output_layer_test
