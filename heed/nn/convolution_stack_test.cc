#include "heed/nn/convolution_stack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/rng.h"

namespace heed::convolution_stack_test {
namespace {

TEST(ConvolutionStack, AUnitSeesItsField) {
  constexpr int64_t kFilters = 8;
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const ConvolutionStack trunk(Scope(parameters, ""), 1,
                               {kFilters, 2 * kFilters, 4 * kFilters});
  Tensor frame({1, 40, 40, 1}, DType::kF64);
  Rng rng(2);
  for (int64_t i = 0; i < frame.numel(); ++i) {
    frame.data<double>()[i] = rng.Uniform();
  }
  const Tensor before = trunk.Activations({}, frame).value();
  constexpr int64_t kUnits = 4 * kFilters;
  ASSERT_EQ(before.shape(), (Shape{1, 10, 10, kUnits}));
  const ReceptiveField field = trunk.FieldOf(4, 5);
  // Exactly the pixels of the field change units (4, 5).
  const auto changes = [&](int64_t top, int64_t left, int64_t bottom,
                           int64_t right) {
    Tensor other = frame.Clone();
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        other.data<double>()[y * 40 + x] = 7 - 3 * rng.Uniform();
      }
    }
    const Tensor after = trunk.Activations({}, other).value();
    const int64_t at = (4 * 10 + 5) * kUnits;
    return !std::equal(after.data<double>() + at,
                       after.data<double>() + at + kUnits,
                       before.data<double>() + at);
  };
  const int64_t bottom = field.top + field.side;
  const int64_t right = field.left + field.side;
  EXPECT_TRUE(changes(field.top, field.left, field.top + 1, right));
  EXPECT_TRUE(changes(bottom - 1, field.left, bottom, right));
  EXPECT_TRUE(changes(field.top, field.left, bottom, field.left + 1));
  EXPECT_TRUE(changes(field.top, right - 1, bottom, right));
  EXPECT_FALSE(changes(0, 0, field.top, 40));
  EXPECT_FALSE(changes(bottom, 0, 40, 40));
  EXPECT_FALSE(changes(0, 0, 40, field.left));
  EXPECT_FALSE(changes(0, right, 40, 40));
}

}  // namespace
}  // namespace heed::convolution_stack_test
