#include "heed/train/weight_average.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Values = std::vector<double>;

class WeightAverageTest : public testing::Test {
 protected:
  WeightAverageTest() {
    parameters_.Add("w", {2, 1}, {Init::Kind::kConstant, 1});
  }
  Parameter& weight() { return *parameters_.Find("w"); }
  void Set(const Values& values) { weight().Set(Tensor::Of(values, {2, 1})); }
  static void ExpectNear(const Tensor& tensor, const Values& expected) {
    const auto values = tensor.ToVector<double>();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-12) << i;
    }
  }

  ParameterSet parameters_{1, DType::kF64, kernels::Precision::kNative};
};

TEST_F(WeightAverageTest, ForgetsTheStartSoonAndThenSlowly) {
  WeightAverage average(parameters_, 0.5);
  Set({3, 5});
  average.Update(1);  // decay 2/11
  ExpectNear(average.State().at(0).value,
             {2. / 11 + 9. / 11 * 3, 2. / 11 + 9. / 11 * 5});
  average.Update(10'000);  // decay 0.5
  ExpectNear(average.State().at(0).value,
             {1. / 11 + 9. / 22 * 3 + 1.5, 1. / 11 + 9. / 22 * 5 + 2.5});
  ExpectNear(weight().value(), {3, 5});
}

TEST_F(WeightAverageTest, SwapsWithTheWeightsAndBack) {
  WeightAverage average(parameters_, 0.5);
  Set({3, 5});
  average.Swap();
  ExpectNear(weight().value(), {1, 1});
  ExpectNear(average.State().at(0).value, {3, 5});
  average.Swap();
  ExpectNear(weight().value(), {3, 5});
  ExpectNear(average.State().at(0).value, {1, 1});
}

TEST_F(WeightAverageTest, ComesBackFromItsState) {
  WeightAverage average(parameters_, 0.5);
  Set({3, 5});
  average.Update(1);
  WeightAverage other(parameters_, 0.5);
  other.Restore(average.State(), "file");
  ExpectNear(other.State().at(0).value,
             average.State().at(0).value.ToVector<double>());
  EXPECT_THROW(other.Restore({}, "file"), FormatError);
}

}  // namespace
}  // namespace heed
