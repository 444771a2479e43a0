#include "heed/autograd/gradient_check.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reduce.h"

namespace heed {
namespace {

/// x², whose gradient is given as factor · x · dy.
Var Square(const Var& x, double factor) {
  return Record("square", kernels::Mul(x.value(), x.value()), {x},
                [x = x.value(), factor](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Scale(kernels::Mul(dy, x), factor));
                });
}

GradientCheckResult CheckSquare(double factor) {
  return CheckGradient(
      [factor](std::span<const Var> in) { return Square(in[0], factor); },
      {RandomTensor({3, 4}, 1)});
}

TEST(CheckGradient, AcceptsARightGradient) {
  EXPECT_LT(CheckSquare(2).worst, 1e-9);
}

TEST(CheckGradient, CatchesAWrongGradientAndSaysWhere) {
  const GradientCheckResult result = CheckSquare(2.01);
  EXPECT_GT(result.worst, 1e-3);
  EXPECT_NE(result.where.find("input 0, element"), std::string::npos)
      << result.where;
}

TEST(CheckGradient, CatchesAMissingGradient) {
  const auto result = CheckGradient(
      [](std::span<const Var> in) {
        return Record("lost", kernels::Mul(in[0].value(), in[1].value()),
                      {in[0], in[1]},
                      [b = in[1].value()](const Tensor& dy, Grads& g) {
                        g.Add(0, kernels::Mul(dy, b));
                      });
      },
      {RandomTensor({5}, 1), RandomTensor({5}, 2)});
  EXPECT_GT(result.worst, 0.01);
  EXPECT_NE(result.where.find("input 1"), std::string::npos) << result.where;
}

TEST(CheckGradient, CatchesAnErrorInASingleElementOfAFewSampled) {
  const auto result = CheckGradient(
      [](std::span<const Var> in) {
        return Record("one wrong", kernels::Scale(in[0].value(), 3), {in[0]},
                      [](const Tensor& dy, Grads& g) {
                        Tensor dx = kernels::Scale(dy, 3);
                        dx.data<double>()[40] += 0.1;
                        g.Add(0, dx);
                      });
      },
      {RandomTensor({8, 8}, 1)});
  EXPECT_GT(result.worst, 0.01);
  EXPECT_NE(result.where.find("element 40"), std::string::npos) << result.where;
}

TEST(CheckGradient, RefusesWhatIsNotFinite) {
  EXPECT_THROW(
      CheckGradient([](std::span<const Var> in) { return Square(in[0], NAN); },
                    {RandomTensor({3}, 1)}),
      NumericError);
}

TEST(CheckGradient, LeavesInputsThatAreNotF64Alone) {
  const auto result =
      CheckGradient([](std::span<const Var> in) { return Square(in[1], 2); },
                    {Ids({1, 2}, {2}), RandomTensor({3}, 1)});
  EXPECT_LT(result.worst, 1e-9);
}

/// Σ w² with the gradient factor · w.
Var LossOf(Tape* tape, Parameter& w, double factor) {
  Context ctx;
  ctx.tape = tape;
  const Var squares = Square(ctx.Use(w), factor);
  return Record(
      "sum", Tensor::Full({}, kernels::Sum(squares.value()), DType::kF64),
      {squares}, [shape = squares.shape()](const Tensor& dy, Grads& g) {
        g.Add(0, Tensor::Full(shape, dy.item(), DType::kF64));
      });
}

TEST(CheckParameterGradient, TellsRightFromWrong) {
  Parameter w("layer.weight", RandomTensor({3, 4}, 1),
              kernels::Precision::kNative);
  const Tensor before = w.value().Clone();
  Parameter* const parameters[] = {&w};
  const auto check = [&](double factor) {
    return CheckParameterGradient(
        [&](Tape* tape) { return LossOf(tape, w, factor); }, parameters);
  };
  EXPECT_LT(check(2).worst, 1e-9);
  const GradientCheckResult wrong = check(1.9);
  EXPECT_GT(wrong.worst, 1e-3);
  EXPECT_NE(wrong.where.find("layer.weight"), std::string::npos) << wrong.where;
  EXPECT_EQ(MaxDifference(w.value(), before), 0) << "the value was changed";
}

}  // namespace
}  // namespace heed
