// Tests of every rating predictor.
#include "heed/models/ratings/rating_predictor.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::rating_predictor_test {
namespace {

class EveryRatingPredictor : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryRatingPredictor,
                         testing::ValuesIn(VariantsIn<RatingSettings>()),
                         NameOf);

TEST_P(EveryRatingPredictor, PredictsRatings) {
  const auto settings = Small<RatingSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""),
                                      {.users = 2, .items = 2, .words = 7});
  ExpectOutlined(network->Outline());
  Shake(parameters);  // biases of zero would be at the kink of relu
  RatingBatch batch;
  batch.users = Lengths({1, 2});
  batch.items = Lengths({2, 2});
  ReviewDocuments& user = batch.user;
  user.ids = Lengths({4, 5, 6, 1, 2, 3}).Reshape({2, 3});
  user.lengths = Lengths({3, 2});
  user.starts = Lengths({0, 1, 3, 0, 2, 2}).Reshape({2, 3});
  user.counts = Lengths({2, 1});
  batch.item = user;
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var ratings = network->Ratings(ctx, batch);
    EXPECT_EQ(ratings.shape(), Shape({2}));
    const Var apart = Sub(ratings, Tensor::Of(std::vector<double>{4, 2}, {2}));
    return Sum(Mul(apart, apart));
  });
  batch.users = Lengths({1});
  EXPECT_THROW(network->Ratings({}, batch), ShapeError);
}

}  // namespace
}  // namespace heed::rating_predictor_test
