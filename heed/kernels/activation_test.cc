#include "heed/kernels/activation.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "heed/kernels/testing.h"

namespace heed::kernels::activation_test {
namespace {

constexpr Activation kAll[] = {Activation::kNone, Activation::kRelu,
                               Activation::kGelu, Activation::kGeluTanh,
                               Activation::kSwish};

double Phi(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double Value(Activation f, double z) {
  switch (f) {
    case Activation::kNone:
      return z;
    case Activation::kRelu:
      return std::max(z, 0.0);
    case Activation::kGelu:
      return z * Phi(z);
    case Activation::kGeluTanh:
      return z / 2 *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                            (z + 0.044715 * z * z * z)));
    case Activation::kSwish:
      return z / (1 + std::exp(-z));
  }
  return 0;
}

/// Derivative by differences (for kRelu exact).
double Slope(Activation f, double z) {
  if (f == Activation::kRelu) return z > 0 ? 1 : 0;
  constexpr double kStep = 1e-3;
  const auto central = [&](double h) {
    return (Value(f, z + h) - Value(f, z - h)) / (2 * h);
  };
  // Richardson extrapolation: the error is of fourth order in the step.
  return (4 * central(kStep / 2) - central(kStep)) / 3;
}

/// Calls body(f, x) for numbers of many magnitudes within [-8, 8].
template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Activation f : kAll) {
      for (const auto& [rows, cols] :
           std::vector<std::pair<int64_t, int64_t>>{{0, 4},
                                                    {1, 2},
                                                    {5, 14},
                                                    {3, 18},
                                                    {2, 62},
                                                    {4, 66},
                                                    {3, 126},
                                                    {90, 2002}}) {
        SCOPED_TRACE(std::string(Name(dtype)) + " " +
                     std::to_string(static_cast<int>(f)) + " [" +
                     std::to_string(rows) + ", " + std::to_string(cols) + "]");
        Rng rng(7);
        Tensor x = RandomSlice({rows, cols}, dtype, rng).Contiguous();
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c < cols; ++c) SetAt(x, r, c, 4 * At(x, r, c));
        }
        body(f, x);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

Tensor RandomRow(int64_t cols, DType dtype) {
  Rng rng(3);
  return RandomSlice({1, cols}, dtype, rng).Contiguous().Reshape({cols});
}

class Activations : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Activations);

TEST_P(Activations, AreTheFormulasOfTheBiasedSum) {
  ForCases([](Activation f, const Tensor& x) {
    const Tensor bias = RandomRow(x.cols(), x.dtype());
    Tensor z = x.Clone();
    Tensor y(x.shape(), x.dtype());
    Activate(z, bias, f, y);
    ExpectEach(z, 3e-7, [&](int64_t r, int64_t c) {
      return At(x, r, c) + At(bias, 0, c);
    });
    ExpectEach(y, 1e-6,
               [&](int64_t r, int64_t c) { return Value(f, At(z, r, c)); });
    Tensor in_place = x.Clone();
    Activate(in_place, bias, f, in_place);
    ExpectEach(in_place, 0, [&](int64_t r, int64_t c) { return At(y, r, c); });
  });
}

TEST_P(Activations, WithoutBiasLeaveTheSum) {
  ForCases([](Activation f, const Tensor& x) {
    Tensor z = x.Clone();
    Tensor y(x.shape(), x.dtype());
    Activate(z, {}, f, y);
    EXPECT_EQ(z.ToVector<double>(), x.ToVector<double>());
    ExpectEach(y, 1e-6,
               [&](int64_t r, int64_t c) { return Value(f, At(x, r, c)); });
  });
}

TEST_P(Activations, GradientIsTheSlopeAndItsSumThatOfTheBias) {
  ForCases([](Activation f, const Tensor& z) {
    const Tensor dy = Tensor::Full(z.shape(), -1.5, z.dtype());
    Tensor dz(z.shape(), z.dtype());
    Tensor dbias = Tensor::Full({z.cols()}, 2, z.dtype());
    ActivateGrad(dy, z, f, 1, dz, &dbias);
    for (int64_t r = 0; r < z.rows(); ++r) {
      for (int64_t c = 0; c < z.cols(); ++c) {
        ASSERT_NEAR(At(dz, r, c), -1.5 * Slope(f, At(z, r, c)),
                    z.dtype() == DType::kF32 ? 2e-6 : 1e-10)
            << "at " << At(z, r, c);
      }
    }
    ExpectEach(dbias, 1e-5, [&](int64_t, int64_t c) {
      double sum = 2;
      for (int64_t r = 0; r < z.rows(); ++r) sum += At(dz, r, c);
      return sum;
    });
    Tensor in_place = dy.Clone();
    ActivateGrad(in_place, z, f, 1, in_place, nullptr);
    EXPECT_EQ(in_place.ToVector<double>(), dz.ToVector<double>());
  });
}

TEST_P(Activations, OfExactGeluKeepTheRelativeErrorOfTheTail) {
  Tensor z({1, 2000});
  for (int64_t c = 0; c < 2000; ++c) {
    SetAt(z, 0, c, -5 + 10 * static_cast<double>(c) / 2000);
  }
  Tensor y(z.shape());
  Activate(z, {}, Activation::kGelu, y);
  for (int64_t c = 0; c < 2000; ++c) {
    const double expected = Value(Activation::kGelu, At(z, 0, c));
    ASSERT_NEAR(At(y, 0, c), expected, 2e-6 * std::abs(expected));
  }
}

TEST_P(Activations, OfHugeNumbersAreFinite) {
  for (const Activation f : kAll) {
    if (f == Activation::kNone) continue;
    Tensor z = Tensor::Of(std::vector<float>{-3e38F, -1e4F, 1e4F, 3e38F}, {4});
    Tensor y({4});
    Activate(z, {}, f, y);
    EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, 0, 1e4F, 3e38F}));
    ActivateGrad(Tensor::Full({4}, 1), z, f, 1, y, nullptr);
    EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, 0, 1, 1}));
  }
}

TEST_P(Activations, OfNaNAreNaN) {
  for (const Activation f : kAll) {
    for (const DType dtype : {DType::kF32, DType::kF64}) {
      Tensor z =
          Tensor::Full({17}, std::numeric_limits<double>::quiet_NaN(), dtype);
      Tensor y({17}, dtype);
      Activate(z, {}, f, y);
      for (int64_t c = 0; c < 17; ++c) EXPECT_TRUE(std::isnan(At(y, 0, c)));
    }
  }
}

TEST_P(Activations, OfGatesMultiplyTheOtherHalf) {
  ForCases([](Activation f, const Tensor& x) {
    const int64_t n = x.cols() / 2;
    const Tensor y = GatedActivate(x, f);
    ASSERT_EQ(y.shape(), (Shape{x.rows(), n}));
    ExpectEach(y, 1e-6, [&](int64_t r, int64_t c) {
      return Value(f, At(x, r, c)) * At(x, r, n + c);
    });
    const Tensor dy = Tensor::Full(y.shape(), 0.5, x.dtype());
    const Tensor dx = GatedActivateGrad(dy, x, f);
    for (int64_t r = 0; r < x.rows(); ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const double a = At(x, r, c);
        const double b = At(x, r, n + c);
        const double tolerance = x.dtype() == DType::kF32 ? 6e-6 : 1e-9;
        ASSERT_NEAR(At(dx, r, c), 0.5 * b * Slope(f, a), tolerance);
        ASSERT_NEAR(At(dx, r, n + c), 0.5 * Value(f, a), tolerance);
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels::activation_test
