#include "heed/kernels/elementwise.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::elementwise_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Sizes around the boundaries of vectors, and one with several chunks.
template <typename Body>
void ForSizes(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [R, C] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 4},
                                                  {3, 0},
                                                  {1, 1},
                                                  {5, 3},
                                                  {2, 15},
                                                  {3, 17},
                                                  {4, 63},
                                                  {3, 65},
                                                  {1, 127},
                                                  {3, 129},
                                                  {90, 1001}}) {
      SCOPED_TRACE(std::string(Name(dtype)) + " [" + std::to_string(R) + ", " +
                   std::to_string(C) + "]");
      body(Shape{R, C}, dtype);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class Elementwise : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Elementwise);

/// Checks that kernel(x) has a relative error of a few ulp over [low, high];
/// results below `min` may be 0.
void ExpectPrecise(Tensor (*kernel)(const Tensor&), double low, double high,
                   const std::function<long double(long double)>& f,
                   double min = 0) {
  constexpr int64_t kCount = 20001;
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    Tensor x({1, kCount}, dtype);
    for (int64_t i = 0; i < kCount; ++i) {
      SetAt(x, 0, i, low + (high - low) * double(i) / (kCount - 1));
    }
    const Tensor y = kernel(x);
    const double ulp = dtype == DType::kF32 ? 0x1p-23 : 0x1p-52;
    for (int64_t i = 0; i < kCount; ++i) {
      const auto expected = static_cast<double>(f(At(x, 0, i)));
      ASSERT_NEAR(At(y, 0, i), expected, 3 * ulp * std::abs(expected) + min)
          << Name(dtype) << " at " << At(x, 0, i);
    }
  }
}

long double SigmoidOf(long double x) { return 1 / (1 + std::exp(-x)); }
long double TanhOf(long double x) { return std::tanh(x); }
long double ExpOf(long double x) { return std::exp(x); }
long double LogOf(long double x) { return std::log(x); }

TEST_P(Elementwise, TanhIsExactToAFewUlp) {
  ExpectPrecise(Tanh, -30, 30, TanhOf);
  ExpectPrecise(Tanh, -1, 1, TanhOf);
  ExpectPrecise(Tanh, -1e-3, 1e-3, TanhOf);
  ExpectPrecise(Tanh, -1e-30, 1e-30, TanhOf);
}

TEST_P(Elementwise, TanhStaysWithinOne) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    Tensor x({1, 40000}, dtype);
    for (int64_t i = 0; i < x.cols(); ++i) {
      SetAt(x, 0, i, (double(i) - 20000) * 1e-3);
    }
    const Tensor y = Tanh(x);
    for (int64_t i = 0; i < x.cols(); ++i) {
      ASSERT_LE(std::abs(At(y, 0, i)), 1) << At(x, 0, i);
    }
  }
}

TEST_P(Elementwise, SigmoidIsExactToAFewUlp) {
  ExpectPrecise(Sigmoid, -86, 86, SigmoidOf);
  ExpectPrecise(Sigmoid, -1, 1, SigmoidOf);
}

TEST_P(Elementwise, ExpIsExactToAFewUlp) {
  ExpectPrecise(Exp, -86, 88.7, ExpOf);
  ExpectPrecise(Exp, -1, 1, ExpOf);
  ExpectPrecise(Exp, -110, -80, ExpOf, 2e-38);
}

TEST_P(Elementwise, LogIsExactToAFewUlp) {
  ExpectPrecise(Log, 1e-6, 4, LogOf);
  ExpectPrecise(Log, 1, 1e30, LogOf);
  ExpectPrecise(Log, 1e-45, 1e-36, [](long double x) {
    return x == 0 ? -std::numeric_limits<long double>::infinity() : LogOf(x);
  });
}

TEST_P(Elementwise, LogIsExactForDenormalNumbers) {
  const Tensor x = Tensor::Of(std::vector<float>{0x1p-149F, 0x1.8p-130F}, {2});
  const Tensor y = Log(x);
  EXPECT_NEAR(At(y, 0, 0), std::log(0x1p-149), 1e-5);
  EXPECT_NEAR(At(y, 0, 1), std::log(0x1.8p-130), 1e-5);
}

TEST_P(Elementwise, LimitsAreReachedAndNaNIsKept) {
  const auto same = [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  const std::vector<double> x = {kInfinity, -kInfinity, kNaN, 0, 1e30, -1e30};
  struct Row {
    Tensor (*kernel)(const Tensor&);
    std::vector<double> y;
  };
  const std::vector<Row> rows = {
      {Tanh, {1, -1, kNaN, 0, 1, -1}},
      {Sigmoid, {1, 0, kNaN, 0.5, 1, 0}},
      {Relu, {kInfinity, 0, kNaN, 0, 1e30, 0}},
      {[](const Tensor& z) { return Elu(z, 0.5); },
       {kInfinity, -0.5, kNaN, 0, 1e30, -0.5}},
      {[](const Tensor& z) { return AddScalar(z, 2); },
       {kInfinity, -kInfinity, kNaN, 2, 1e30, -1e30}},
      {Exp, {kInfinity, 0, kNaN, 1, kInfinity, 0}},
      {Log, {kInfinity, kNaN, kNaN, -kInfinity, std::log(1e30), kNaN}}};
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (size_t k = 0; k < rows.size(); ++k) {
      const auto y =
          rows[k].kernel(Tensor::Of(x, {6}).To(dtype)).ToVector<double>();
      for (size_t i = 0; i < x.size(); ++i) {
        const double e = rows[k].y[i];
        EXPECT_TRUE(same(y[i], e) || std::abs(y[i] - e) <= 1e-6 * std::abs(e))
            << "row " << k << " " << Name(dtype) << " at " << x[i] << ": "
            << y[i];
      }
    }
  }
}

TEST_P(Elementwise, EverySizeIsComputed) {
  ForSizes([](const Shape& shape, DType dtype) {
    const Tensor x = Random(shape, dtype);
    const Tensor y = Random(shape, dtype, 2);
    const auto expect = [&](const Tensor& z, auto f) {
      ASSERT_EQ(z.shape(), shape);
      ExpectEach(z, 1e-6, [&](int64_t r, int64_t c) {
        return f(At(x, r, c), At(y, r, c));
      });
    };
    expect(Tanh(x), [](double a, double) { return std::tanh(a); });
    expect(Sigmoid(x), [](double a, double) { return 1 / (1 + std::exp(-a)); });
    expect(Exp(x), [](double a, double) { return std::exp(a); });
    expect(Log(Exp(x)), [](double a, double) { return a; });
    expect(Relu(x), [](double a, double) { return std::max(a, 0.0); });
    expect(Add(x, y), [](double a, double b) { return a + b; });
    expect(Sub(x, y), [](double a, double b) { return a - b; });
    expect(Mul(x, y), [](double a, double b) { return a * b; });
    expect(Scale(x, 0.3), [](double a, double) { return 0.3 * a; });
    expect(TanhGrad(x, y), [](double a, double b) { return a * (1 - b * b); });
    expect(SigmoidGrad(x, y),
           [](double a, double b) { return a * b * (1 - b); });
    expect(EluGrad(x, y, 0.5),
           [](double a, double b) { return b > 0 ? a : a * (b + 0.5); });
    expect(AddScalar(x, -3), [](double a, double) { return a - 3; });
    expect(ReluGrad(x, y), [](double a, double b) { return b > 0 ? a : 0; });
    expect(ExpGrad(x, y), [](double a, double b) { return a * b; });
    expect(LogGrad(x, y), [](double a, double b) { return a / b; });
  });
}

TEST_P(Elementwise, GradientsAreThoseOfDifferences) {
  const auto check = [](Tensor (*f)(const Tensor&),
                        Tensor (*grad)(const Tensor&, const Tensor&),
                        bool of_result, double offset) {
    Tensor x = Random({3, 7}, DType::kF64);
    AddTo(x, Tensor::Full({3, 7}, offset, DType::kF64));
    const Tensor dy = Random({3, 7}, DType::kF64, 2);
    const Tensor dx = grad(dy, of_result ? f(x) : x);
    ExpectGradient(dx, x, [&] { return Dot(f(x), dy); });
  };
  check(Tanh, TanhGrad, true, 0);
  check(Sigmoid, SigmoidGrad, true, 0);
  check(Relu, ReluGrad, true, 0);
  check(Exp, ExpGrad, true, 0);
  check(Log, LogGrad, false, 2.5);
}

TEST_P(Elementwise, AddToAddsSlicesOnly) {
  ForSizes([](const Shape& shape, DType dtype) {
    Rng rng(3);
    const Tensor x = RandomSlice(shape, dtype, rng);
    Tensor wide = Random({shape[0], shape[1] + 3}, dtype, 4);
    const Tensor before = wide.Clone();
    Tensor y = wide.Columns(1, 1 + shape[1]);
    AddTo(y, x, 0.5);
    ExpectEach(wide, 1e-6, [&](int64_t r, int64_t c) {
      const bool in = c >= 1 && c < 1 + shape[1];
      return At(before, r, c) + (in ? 0.5 * At(x, r, c - 1) : 0);
    });
    Tensor dense = Random(shape, dtype, 4);
    const Tensor dense_before = dense.Clone();
    AddTo(dense, Random(shape, dtype, 5));
    const Tensor sum = Add(dense_before, Random(shape, dtype, 5));
    EXPECT_EQ(dense.ToVector<double>(), sum.ToVector<double>());
  });
}

TEST_P(Elementwise, AddRowAddsOneRowToAll) {
  ForSizes([](const Shape& shape, DType dtype) {
    const Tensor x = Random(shape, dtype);
    const Tensor row = Random({1, shape[1]}, dtype, 2).Reshape({shape[1]});
    const auto expected = [&](int64_t r, int64_t c) {
      return At(x, r, c) + At(row, 0, c);
    };
    ExpectEach(AddRow(x, row), 1e-6, expected);
    Rng rng(3);
    Tensor apart = RandomSlice(shape, dtype, rng);
    apart.CopyFrom(x);
    AddRowTo(apart, row);
    ExpectEach(apart, 1e-6, expected);
  });
}

TEST_P(Elementwise, MaxoutTakesTheGreaterOfPairs) {
  ForSizes([](const Shape& shape, DType dtype) {
    const Tensor x = Random({shape[0], 2 * shape[1]}, dtype);
    const Tensor dy = Random(shape, dtype, 2);
    const Tensor y = Maxout(x);
    ASSERT_EQ(y.shape(), shape);
    ExpectEach(y, 0, [&](int64_t r, int64_t c) {
      return std::max(At(x, r, 2 * c), At(x, r, 2 * c + 1));
    });
    ExpectEach(MaxoutGrad(dy, x), 0, [&](int64_t r, int64_t c) {
      return At(x, r, c) > At(x, r, c ^ 1) ? At(dy, r, c / 2) : 0;
    });
  });
}

TEST_P(Elementwise, MaxoutSendsTiesToTheFirstAndKeepsNaN) {
  for (const int64_t n : {1, 40}) {
    const Tensor x = Tensor::Full({1, 2 * n}, 2);
    const Tensor dx = MaxoutGrad(Tensor::Full({1, n}, 3), x);
    ExpectEach(dx, 0,
               [](int64_t, int64_t c) { return c % 2 == 0 ? 3.0 : 0.0; });
    for (const int64_t which : {0, 1}) {
      Tensor bad = x.Clone();
      for (int64_t c = which; c < 2 * n; c += 2) SetAt(bad, 0, c, kNaN);
      for (const float y : Maxout(bad).ToVector<float>()) {
        EXPECT_TRUE(std::isnan(y));
      }
    }
  }
}

std::vector<double> Mask(int64_t n, double rate, uint64_t key,
                         DType dtype = DType::kF32) {
  return Dropout(Tensor::Full({n}, 1, dtype), rate, key).ToVector<double>();
}

/// Fraction of elements for which f(i) is true.
double Part(int64_t n, const std::function<bool(size_t)>& f) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += f(static_cast<size_t>(i)) ? 1 : 0;
  return double(count) / double(n);
}

TEST_P(Elementwise, DropoutScalesOrDrops) {
  ForSizes([](const Shape& shape, DType dtype) {
    const Tensor x = Random(shape, dtype);
    const Tensor y = Dropout(x, 0.3, 11);
    const auto mask = Mask(shape.numel(), 0.3, 11);
    ExpectEach(y, 1e-6, [&](int64_t r, int64_t c) {
      const double m = At(mask, r * shape[1] + c);
      return m == 0 ? 0 : At(x, r, c) / 0.7;
    });
  });
}

TEST_P(Elementwise, DropPartIsDropoutOfAWiderTensor) {
  ForSizes([](const Shape& shape, DType dtype) {
    const Tensor x = Random(shape, dtype);
    const Tensor whole = Dropout(x, 0.3, 11);
    const int64_t row = shape[0] / 2;
    const int64_t column = shape[1] / 3;
    Tensor parts = x.Clone();
    Tensor part = parts.Slice(row, shape[0]).Columns(column, shape[1]);
    DropPart(part, row, column, shape[1], {0.3, 11});
    ExpectEach(parts, 0, [&](int64_t r, int64_t c) {
      return At(r >= row && c >= column ? whole : x, r, c);
    });
  });
}

TEST_P(Elementwise, DropoutOfRateZeroKeepsAll) {
  const Tensor x = Random({3, 50}, DType::kF32);
  EXPECT_EQ(Dropout(x, 0, 5).ToVector<float>(), x.ToVector<float>());
}

TEST_P(Elementwise, DropoutDropsItsRateInEveryChunk) {
  constexpr int64_t kCount = 400000;
  for (const double rate : {0.1, 0.2, 0.5, 0.9}) {
    for (const uint64_t key : {0, 1, 2, 1000}) {
      const auto m = Mask(kCount, rate, key);
      // Five standard deviations of the fraction of n draws.
      const double sigma = std::sqrt(rate * (1 - rate) / kCount);
      EXPECT_NEAR(Part(kCount, [&](size_t i) { return m[i] == 0; }), rate,
                  5 * sigma);
      EXPECT_NEAR(Part(60000, [&](size_t i) { return m[i] == 0; }), rate,
                  5 * sigma * std::sqrt(kCount / 60000.0));
    }
  }
}

TEST_P(Elementwise, DropoutMasksOfKeysAndPlacesAreIndependent) {
  constexpr int64_t kCount = 300000;
  // Two independent masks together keep a quarter; five standard deviations.
  const double tolerance = 5 * std::sqrt(0.25 * 0.75 / kCount);
  const auto a = Mask(kCount, 0.5, 7);
  for (const uint64_t key : {uint64_t{8}, uint64_t{6}, uint64_t{7} << 32}) {
    const auto b = Mask(kCount, 0.5, key);
    for (const size_t shift : {0, 1, 2, 16, 512}) {
      const double both = Part(kCount - 512, [&](size_t i) {
        return a[i] != 0 && b[i + shift] != 0;
      });
      EXPECT_NEAR(both, 0.25, tolerance) << key << " shifted by " << shift;
    }
  }
  for (const size_t shift : {1, 2, 3, 4, 16, 64, 512, 1024, 65536}) {
    const double both = Part(kCount - 65536, [&](size_t i) {
      return a[i] != 0 && a[i + shift] != 0;
    });
    EXPECT_NEAR(both, 0.25, 1.2 * tolerance) << "shifted by " << shift;
  }
}

TEST(Dropout, IsTheSameOnEveryTargetForAnyThreadsAndType) {
  constexpr int64_t kCount = 200003;
  const auto expected = Mask(kCount, 0.4, 9);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(Mask(kCount, 0.4, 9), expected) << hwy::TargetName(target);
    const ThreadLimit one(1);
    EXPECT_EQ(Mask(kCount, 0.4, 9), expected) << hwy::TargetName(target);
    const auto f64 = Mask(kCount, 0.4, 9, DType::kF64);
    EXPECT_EQ(Part(kCount, [&](size_t i) { return f64[i] != expected[i]; }),
              Part(kCount, [&](size_t i) { return expected[i] != 0; }))
        << "only the precision of 1 / 0.6 differs";
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Moves, ConcatColumnsPutsPartsSideBySide) {
  Rng rng(1);
  for (const int64_t rows : {0, 1, 7, 3000}) {
    const Tensor a = RandomSlice({rows, 5}, DType::kF32, rng);
    const Tensor b = Random({rows, 1}, DType::kF32, 2);
    const Tensor c = RandomSlice({rows, 33}, DType::kF32, rng);
    const std::vector<Tensor> parts = {a, b, c};
    const Tensor y = ConcatColumns(parts);
    ASSERT_EQ(y.shape(), (Shape{rows, 39}));
    ExpectEach(y, 0, [&](int64_t r, int64_t i) {
      return i < 5 ? At(a, r, i) : i < 6 ? At(b, r, 0) : At(c, r, i - 6);
    });
  }
}

TEST(Moves, ConcatColumnsKeepsLeadingDimensions) {
  const std::vector<Tensor> parts = {Random({2, 3, 4}, DType::kF64),
                                     Random({2, 3, 1}, DType::kF64)};
  EXPECT_EQ(ConcatColumns(parts).shape(), (Shape{2, 3, 5}));
}

TEST(Moves, TransposeLeadingSwapsTheFirstTwo) {
  const Tensor x = Random({5 * 3, 7}, DType::kF64).Reshape({5, 3, 7});
  const Tensor y = TransposeLeading(x);
  ASSERT_EQ(y.shape(), (Shape{3, 5, 7}));
  for (int64_t a = 0; a < 5; ++a) {
    for (int64_t b = 0; b < 3; ++b) {
      EXPECT_EQ(y[b][a].ToVector<double>(), x[a][b].ToVector<double>());
    }
  }
  EXPECT_EQ(TransposeLeading(y).ToVector<double>(), x.ToVector<double>());
}

TEST(Moves, TransposeLeadingMovesIds) {
  const Tensor x = Tensor::Of(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor y = TransposeLeading(x);
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(y.ToVector<int32_t>(), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(Moves, ReverseByLengthReversesOnlyWhatIsThere) {
  // Columns are sequences of length 3, 1, 0 and 4.
  const Tensor lengths = Tensor::Of(std::vector<int32_t>{3, 1, 0, 4}, {4});
  const Tensor x = Tensor::Of(std::vector<int32_t>{1, 2, 3, 4,     //
                                                   5, 6, 7, 8,     //
                                                   9, 10, 11, 12,  //
                                                   13, 14, 15, 16},
                              {4, 4});
  const Tensor y = ReverseByLength(x, lengths);
  EXPECT_EQ(y.ToVector<int32_t>(),
            (std::vector<int32_t>{9, 2, 3, 16, 5, 6, 7, 12,  //
                                  1, 10, 11, 8, 13, 14, 15, 4}));
  EXPECT_EQ(ReverseByLength(y, lengths).ToVector<int32_t>(),
            x.ToVector<int32_t>());
}

TEST(Moves, ReverseByLengthMovesRows) {
  const Tensor x = Random({3 * 2, 5}, DType::kF32).Reshape({3, 2, 5});
  const Tensor y =
      ReverseByLength(x, Tensor::Of(std::vector<int32_t>{3, 2}, {2}));
  EXPECT_EQ(y[0][0].ToVector<float>(), x[2][0].ToVector<float>());
  EXPECT_EQ(y[0][1].ToVector<float>(), x[1][1].ToVector<float>());
  EXPECT_EQ(y[2][1].ToVector<float>(), x[2][1].ToVector<float>());
}

TEST_P(Elementwise, BF16RoundsAsTensorToDoes) {
  Rng rng(5);
  for (const int64_t n : {0, 1, 7, 15, 16, 17, 33, 70000}) {
    Tensor x({n});
    for (int64_t i = 0; i < n; ++i) {
      SetAt(x, 0, i, rng.Normal() * std::pow(10.0, rng.Uniform(-40, 38)));
    }
    Tensor half({n}, DType::kBF16);
    ToBF16(x, half);
    const Tensor back = x.To(DType::kBF16).To(DType::kF32);
    EXPECT_EQ(half.ToVector<float>(), back.ToVector<float>());
    Tensor wide({n});
    FromBF16(half, wide);
    EXPECT_EQ(wide.ToVector<float>(), back.ToVector<float>());
  }
}

TEST_P(Elementwise, BF16KeepsTiesToEvenInfinityAndNaN) {
  const std::vector<float> x = {0x1.01p0F, 0x1.03p0F, 0x1.010002p0F,
                                static_cast<float>(kInfinity), -0.0F};
  const std::vector<float> y = {1, 0x1.04p0F, 0x1.02p0F,
                                static_cast<float>(kInfinity), -0.0F};
  Tensor half({5}, DType::kBF16);
  ToBF16(Tensor::Of(x, {5}), half);
  EXPECT_EQ(half.ToVector<float>(), y);
  Tensor nan({40}, DType::kBF16);
  ToBF16(Tensor::Full({40}, kNaN), nan);
  for (const float v : nan.ToVector<float>()) EXPECT_TRUE(std::isnan(v));
}

TEST_P(Elementwise, BF16ReadsRowsThatAreApart) {
  Rng rng(6);
  const Tensor x = RandomSlice({5, 19}, DType::kF32, rng);
  Tensor half({5, 19}, DType::kBF16);
  ToBF16(x, half);
  EXPECT_EQ(half.ToVector<float>(), x.To(DType::kBF16).ToVector<float>());
  Tensor wide({5, 9});
  FromBF16(half.Columns(3, 12), wide);
  EXPECT_EQ(wide.ToVector<float>(), half.Columns(3, 12).ToVector<float>());
}

}  // namespace
}  // namespace heed::kernels::elementwise_test
