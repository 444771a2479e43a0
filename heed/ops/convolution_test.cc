#include "heed/ops/convolution.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"
#include "heed/ops/shape.h"

namespace heed::convolution_test {
namespace {

using kernels::At;
using kernels::ExpectEach;

class Convolution : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape, uint64_t seed) const {
    return RandomTensor(shape, seed, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(DTypes, Convolution,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(Convolution, IsTheFormula) {
  for (const int64_t size : {1, 3, 15, 17, 63, 65}) {
    for (const int64_t width : {1, 3, 9, 201}) {
      for (const int64_t filter_count : {1, 10}) {
        const Tensor a = Random({3, size}, 1);
        const Tensor filters = Random({filter_count, width}, 2);
        const Tensor f = ConvolveSame(a, filters).value();
        ASSERT_EQ(f.shape(), (Shape{3, size, filter_count}));
        ExpectEach(f, 1e-5, [&](int64_t r, int64_t k) {
          double sum = 0;
          for (int64_t j = 0; j < size; ++j) {
            const int64_t w = r % size - j + (width - 1) / 2;
            if (w >= 0 && w < width)
              sum += At(a, r / size, j) * At(filters, k, w);
          }
          return sum;
        });
      }
    }
  }
}

TEST_P(Convolution, PutsAFilterAroundASinglePosition) {
  const Tensor a = Tensor::Of<float>({0, 0, 1, 0, 0}, {1, 5}).To(GetParam());
  const Tensor filter = Tensor::Of<float>({2, 3, 4}, {1, 3}).To(GetParam());
  EXPECT_EQ(ConvolveSame(a, filter).value().ToVector<double>(),
            (std::vector<double>{0, 2, 3, 4, 0}));
}

TEST_P(Convolution, OfColumnsIsThatOfACopy) {
  const Tensor a = Random({3, 9}, 1).Columns(1, 8);
  const Tensor filters = Random({2, 5}, 2).Columns(1, 4);
  EXPECT_EQ(MaxDifference(ConvolveSame(a, filters).value(),
                          ConvolveSame(a.Clone(), filters.Clone()).value()),
            0);
}

TEST(ConvolutionGradient, IsThatOfDifferences) {
  using Inputs = std::span<const Var>;
  for (const int64_t width : {1, 3, 11}) {
    ExpectGradientOf([](Inputs in) { return ConvolveSame(in[0], in[1]); },
                     {RandomTensor({2, 5}, 1), RandomTensor({3, width}, 2)});
  }
  ExpectGradientOf(
      [](Inputs in) {
        return ConvolveSame(Columns(in[0], 1, 6), Columns(in[1], 1, 4));
      },
      {RandomTensor({2, 7}, 1), RandomTensor({3, 5}, 2)});
}

TEST(ConvolutionGradient, InF32IsThatInF64) {
  const auto gradients = [](DType dtype) {
    Tape tape;
    const Var a = tape.Leaf(RandomTensor({3, 65}, 1, dtype));
    const Var filters = tape.Leaf(RandomTensor({10, 17}, 2, dtype));
    const Var f = ConvolveSame(a, filters);
    tape.Backward(f, RandomTensor(f.shape(), 3, dtype));
    return std::pair(tape.Gradient(a), tape.Gradient(filters));
  };
  const auto f32 = gradients(DType::kF32);
  const auto f64 = gradients(DType::kF64);
  EXPECT_LT(MaxDifference(f32.first, f64.first), 2e-5);
  EXPECT_LT(MaxDifference(f32.second, f64.second), 2e-5);
}

TEST(Convolution, OfNothingIsNothing) {
  for (const Shape& shape : {Shape{0, 5}, {2, 0}}) {
    for (const DType dtype : {DType::kF32, DType::kF64}) {
      Tape tape;
      const Var a = tape.Leaf(Tensor::Zeros(shape, dtype));
      const Var filters = tape.Leaf(RandomTensor({4, 3}, 1, dtype));
      const Var f = ConvolveSame(a, filters);
      EXPECT_EQ(f.shape(), (Shape{shape[0], shape[1], 4}));
      tape.Backward(f);
      EXPECT_EQ(tape.Gradient(a).shape(), shape);
      EXPECT_EQ(
          MaxDifference(tape.Gradient(filters), Tensor::Zeros({4, 3}, dtype)),
          0);
    }
  }
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  const Tensor a = Tensor::Zeros({2, 5});
  ExpectShapeError(
      [&] {
        ConvolveSame(a, Tensor::Zeros({3, 4}));
      },
      {"convolve same", "odd", "[2, 5]", "[3, 4]"});
  ExpectShapeError([&] { ConvolveSame(a, Tensor::Zeros({3})); },
                   {"convolve same", "[2, 5]", "[3]"});
  ExpectShapeError(
      [&] {
        ConvolveSame(Tensor::Zeros({2, 5, 1}), Tensor::Zeros({3, 3}));
      },
      {"convolve same", "[2, 5, 1]", "[3, 3]"});
  ExpectShapeError(
      [&] {
        ConvolveSame(a, Tensor::Zeros({3, 3}, DType::kF64));
      },
      {"convolve same", "dtypes", "[2, 5]", "[3, 3]"});
}

}  // namespace
}  // namespace heed::convolution_test
