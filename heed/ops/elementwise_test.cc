#include "heed/ops/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/autograd/testing.h"
#include "heed/ops/shape.h"

namespace heed::elementwise_test {
namespace {

using kernels::At;
using kernels::ExpectEach;

const Shape kShape = {3, 6};

void ExpectMap(Var (*op)(const Var&), double (*f)(double)) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor x = RandomTensor(kShape, 1, dtype);
    ExpectEach(op(x).value(), 1e-6,
               [&](int64_t r, int64_t c) { return f(At(x, r, c)); });
  }
}

TEST(Elementwise, FunctionsAreThoseOfTheStandardLibrary) {
  ExpectMap(Tanh, [](double x) { return std::tanh(x); });
  ExpectMap(Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  ExpectMap(Relu, [](double x) { return x > 0 ? x : 0; });
  ExpectMap([](const Var& x) { return Elu(x); },
            [](double x) { return x > 0 ? x : std::expm1(x); });
  ExpectMap([](const Var& x) { return Elu(x, 0.3); },
            [](double x) { return x > 0 ? x : 0.3 * std::expm1(x); });
  ExpectMap(Exp, [](double x) { return std::exp(x); });
}

TEST(Elementwise, ArithmeticIsElementByElement) {
  const Tensor a = RandomTensor(kShape, 1);
  const Tensor b = RandomTensor(kShape, 2);
  const auto expect = [&](const Var& y,
                          const std::function<double(double, double)>& f) {
    ExpectEach(y.value(), 0, [&](int64_t r, int64_t c) {
      return f(At(a, r, c), At(b, r, c));
    });
  };
  expect(Add(a, b), [](double x, double y) { return x + y; });
  expect(Sub(a, b), [](double x, double y) { return x - y; });
  expect(Mul(a, b), [](double x, double y) { return x * y; });
  expect(Scale(a, 3), [](double x, double) { return 3 * x; });
  expect(AddScalar(a, -2), [](double x, double) { return x - 2; });
  expect(ScaleBy(a, Tensor::Full({1}, -2, DType::kF64)),
         [](double x, double) { return -2 * x; });
}

TEST(Elementwise, AddRowAddsItToEveryRow) {
  const Tensor x = RandomTensor({2, 3, 6}, 1);
  const Tensor row = RandomTensor({6}, 2);
  ExpectEach(AddRow(x, row).value(), 0, [&](int64_t r, int64_t c) {
    return At(x, r, c) + row.data<double>()[c];
  });
}

TEST(Elementwise, AddPairsAddsEveryQueryToEveryKey) {
  const Tensor q = RandomTensor({2, 3, 4}, 1);
  const Tensor k = RandomTensor({2, 5, 4}, 2);
  const Tensor y = AddPairs(q, k).value();
  ASSERT_EQ(y.shape(), (Shape{2, 3, 5, 4}));
  ExpectEach(y, 0, [&](int64_t r, int64_t c) {
    const int64_t b = r / 15;
    const int64_t t = r / 5 % 3;
    const int64_t s = r % 5;
    return At(q, b * 3 + t, c) + At(k, b * 5 + s, c);
  });
}

TEST(Elementwise, MaxoutTakesTheGreaterOfAPair) {
  const Tensor x = RandomTensor({3, 8}, 1);
  const Tensor y = Maxout(x).value();
  ASSERT_EQ(y.shape(), (Shape{3, 4}));
  ExpectEach(y, 0, [&](int64_t r, int64_t c) {
    return std::max(At(x, r, 2 * c), At(x, r, 2 * c + 1));
  });
}

TEST(Elementwise, SumAddsAll) {
  const Tensor x = RandomTensor({3, 8}, 1);
  double sum = 0;
  for (const double v : x.ToVector<double>()) sum += v;
  EXPECT_NEAR(Sum(x).value().item(), sum, 1e-14);
  EXPECT_EQ(Sum(x).shape().rank(), 0);
  EXPECT_NEAR(Sum(Columns(x, 2, 5)).value().item(),
              Sum(x).value().item() - Sum(Columns(x, 0, 2)).value().item() -
                  Sum(Columns(x, 5, 8)).value().item(),
              1e-14);
}

class DropoutTest : public testing::Test {
 protected:
  DropoutTest() {
    ctx_.rng = &rng_;
    ctx_.training = true;
  }
  Rng rng_{1};
  Context ctx_;
};

TEST_F(DropoutTest, DoesNothingUnlessTraining) {
  const Tensor x = RandomTensor(kShape, 1);
  for (const auto dropout : {Dropout, StepDropout}) {
    ctx_.training = false;
    EXPECT_TRUE(dropout(ctx_, x, 0.5).value().Aliases(x));
    ctx_.training = true;
    EXPECT_TRUE(dropout(ctx_, x, 0).value().Aliases(x));
  }
  EXPECT_EQ(rng_.position(), 0U) << "random numbers were used";
}

TEST_F(DropoutTest, ZeroesItsShareAndKeepsTheMean) {
  constexpr int64_t kCount = 40000;
  for (const auto dropout : {Dropout, StepDropout}) {
    const Tensor y = dropout(ctx_, Tensor::Full({1, 200, 200}, 1), 0.3).value();
    int64_t zeros = 0;
    for (const double v : y.ToVector<double>()) {
      if (v == 0) {
        ++zeros;
      } else {
        ASSERT_NEAR(v, 1 / 0.7, 1e-6);
      }
    }
    EXPECT_NEAR(static_cast<double>(zeros) / kCount, 0.3, 0.012);
  }
}

TEST_F(DropoutTest, TakesAFreshMaskAtEachCall) {
  const Tensor ones = Tensor::Full({4, 5, 20}, 1);
  for (const auto dropout : {Dropout, StepDropout}) {
    const Tensor first = dropout(ctx_, ones, 0.5).value();
    EXPECT_GT(MaxDifference(first, dropout(ctx_, ones, 0.5).value()), 1);
  }
}

TEST_F(DropoutTest, OfStepsDropsTheSameElementsAtEachStep) {
  const Tensor ones = Tensor::Full({4, 5, 20}, 1);
  const Tensor steps = StepDropout(ctx_, ones, 0.5).value();
  const Tensor plain = Dropout(ctx_, ones, 0.5).value();
  for (int64_t t = 1; t < 4; ++t) {
    EXPECT_EQ(MaxDifference(steps[t], steps[0]), 0);
    EXPECT_GT(MaxDifference(plain[t], plain[0]), 1);
  }
  EXPECT_GT(MaxDifference(steps[0][0], steps[0][1]), 1) << "rows share a mask";
}

TEST(Elementwise, RefusesOperandsThatDoNotFit) {
  const Tensor a = Tensor::Zeros({2, 3});
  const Tensor b = Tensor::Zeros({3, 2});
  ExpectShapeError([&] { Add(a, b); }, {"add", "[2, 3]", "[3, 2]"});
  ExpectShapeError([&] { Sub(a, b); }, {"sub", "[2, 3]", "[3, 2]"});
  ExpectShapeError([&] { Mul(a, b); }, {"mul", "[2, 3]", "[3, 2]"});
  ExpectShapeError(
      [&] {
        Add(a, Tensor::Zeros({2, 3}, DType::kF64));
      },
      {"add", "f32", "f64"});
  ExpectShapeError([&] { AddRow(a, Tensor::Zeros({2})); },
                   {"add row", "[2, 3]", "[2]"});
  ExpectShapeError([&] { ScaleBy(a, b); }, {"scale by", "[3, 2]"});
  ExpectShapeError([&] { AddPairs(a, b); }, {"add pairs", "[2, 3]", "[3, 2]"});
  ExpectShapeError([&] { Maxout(a); }, {"maxout", "[2, 3]"});
}

}  // namespace
}  // namespace heed::elementwise_test
