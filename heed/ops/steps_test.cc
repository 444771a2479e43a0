#include "heed/ops/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed::steps_test {
namespace {

TEST(MaxOverSteps, IsTheGreatestOfTheFirstSteps) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor x = RandomTensor({3, 5, 4}, 1, dtype);
    const std::vector<int32_t> lengths = {5, 2, 0};
    const Tensor y = MaxOverSteps(x, Lengths(lengths)).value();
    ASSERT_EQ(y.shape(), (Shape{3, 4}));
    kernels::ExpectEach(y, 0, [&](int64_t b, int64_t m) {
      const int32_t length = At(lengths, b);
      double largest = length == 0 ? 0 : -2;
      for (int64_t s = 0; s < length; ++s) {
        largest = std::max(largest, kernels::At(x, b * 5 + s, m));
      }
      return largest;
    });
  }
}

TEST(MaxOverSteps, GivesTheGradientToTheFirstOfEquals) {
  Tape tape;
  const Var x =
      tape.Leaf(Tensor::Of(std::vector<float>{1, 3, 3, 2}, {1, 4, 1}));
  tape.Backward(MaxOverSteps(x, Lengths({4})));
  EXPECT_EQ(tape.Gradient(x).ToVector<float>(),
            (std::vector<float>{0, 1, 0, 0}));
}

TEST(MaxOverSteps, NaNShows) {
  for (int place = 0; place < 3; ++place) {
    Tensor x = Tensor::Zeros({1, 3, 1});
    x.data<float>()[place] = NAN;
    EXPECT_TRUE(std::isnan(MaxOverSteps(x, Lengths({3})).value().item()))
        << place;
  }
}

TEST(MaxOverSteps, RefusesWhatDoesNotFit) {
  ExpectShapeError(
      [] {
        MaxOverSteps(Tensor::Zeros({2, 3}), Lengths({3, 3}));
      },
      {"max over steps", "[2, 3]"});
  ExpectShapeError(
      [] {
        MaxOverSteps(Tensor::Zeros({2, 3, 1}), Lengths({3, 4}));
      },
      {"max over steps"});
}

TEST(UnfoldSteps, PutsWindowsSideBySideWithZerosOutside) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor x = RandomTensor({2, 5, 3}, 1, dtype);
    for (const auto& [width, before] :
         {std::pair<int64_t, int64_t>{1, 0}, {3, 1}, {4, 0}, {7, 6}}) {
      const Tensor y = UnfoldSteps(x, width, before).value();
      ASSERT_EQ(y.shape(), (Shape{2, 5, width * 3}));
      for (int64_t row = 0; row < 10; ++row) {
        for (int64_t i = 0; i < width * 3; ++i) {
          const int64_t s = row % 5 + i / 3 - before;
          const double expected =
              s < 0 || s >= 5 ? 0 : kernels::At(x, row / 5 * 5 + s, i % 3);
          EXPECT_EQ(kernels::At(y, row, i), expected);
        }
      }
    }
  }
}

TEST(UnfoldSteps, RefusesWhatDoesNotFit) {
  ExpectShapeError(
      [] {
        UnfoldSteps(Tensor::Zeros({2, 3}), 1, 0);
      },
      {"unfold steps", "[2, 3]"});
  for (const auto& [width, before] :
       {std::pair<int64_t, int64_t>{0, 0}, {2, 2}, {2, -1}}) {
    EXPECT_THROW(UnfoldSteps(Tensor::Zeros({1, 2, 3}), width, before),
                 ShapeError);
  }
}

}  // namespace
}  // namespace heed::steps_test
