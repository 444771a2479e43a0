#include "heed/ops/feed_forward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/autograd/parameter.h"
#include "heed/base/cancellation.h"
#include "heed/base/rng.h"
#include "heed/ops/activation.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/testing.h"

namespace heed::feed_forward_test {
namespace {

constexpr std::pair<const char*, Activation> kActivations[] = {
    {"none", Activation::kNone},
    {"relu", Activation::kRelu},
    {"gelu", Activation::kGelu},
    {"gelu_tanh", Activation::kGeluTanh},
    {"swish", Activation::kSwish}};

std::vector<Operation> Operations() {
  std::vector<Operation> operations;
  for (const auto& [name, f] : kActivations) {
    operations.push_back({name,
                          [f = f](Inputs in) {
                            return PositionwiseFeedForward(
                                {}, in[0], {in[1], Select(in[2], 0)}, f, 0,
                                {in[3], Select(in[4], 0)});
                          },
                          {{2, 3, 4}, {4, 7}, {1, 7}, {7, 5}, {1, 5}}});
  }
  return operations;
}

class FeedForwardGradients : public OperationTest {};

TEST_P(FeedForwardGradients, AreThoseOfDifferences) { ExpectGradients(); }
TEST_P(FeedForwardGradients, OfRowsApartAreThoseOfDifferences) {
  ExpectGradientsOfRowsApart();
}
TEST_P(FeedForwardGradients, OfEachOperandAloneAreThoseOfDifferences) {
  ExpectGradientsOfEachOperandAlone();
}
TEST_P(FeedForwardGradients, InF32AreThoseInF64) { ExpectGradientsInF32(); }

INSTANTIATE_TEST_SUITE_P(All, FeedForwardGradients,
                         testing::ValuesIn(Operations()), NameOf);

/// Parameters of both maps, and their gradients.
struct Layer {
  Layer(int64_t width, int64_t inner, DType dtype, kernels::Precision precision)
      : w1("w1", RandomTensor({width, inner}, 1, dtype), precision),
        b1("b1", RandomTensor({inner}, 2, dtype), precision),
        w2("w2", RandomTensor({inner, width}, 3, dtype), precision),
        b2("b2", RandomTensor({width}, 4, dtype), precision) {}

  /// Result and gradients of x, w1, w2, b2 and b1; by one fused operation
  /// (`one`) or by separate ones.
  std::vector<Tensor> Run(bool one, const Tensor& input, Activation f,
                          double rate) {
    Tape tape;
    Rng rng(5);
    const Context ctx{.tape = &tape, .rng = &rng, .training = true};
    const Var x = tape.Leaf(input);
    const AffineMap in{ctx.Use(w1), ctx.Use(b1)};
    const AffineMap out{ctx.Use(w2), ctx.Use(b2)};
    const Var y =
        one ? PositionwiseFeedForward(ctx, x, in, f, rate, out)
            : Affine(Dropout(ctx, AffineActivation(x, in.weight, in.bias, f),
                             rate),
                     out.weight, out.bias);
    for (Parameter* p : {&w1, &b1, &w2, &b2}) p->ClearGradient();
    tape.Backward(y, RandomTensor(y.shape(), 6, input.dtype()));
    return {y.value(),     tape.Gradient(x), w1.gradient(),
            w2.gradient(), b2.gradient(),    b1.gradient()};
  }

  Parameter w1, b1, w2, b2;
};

constexpr size_t kResult = 0;
constexpr size_t kBias = 5;  // of the inner map, summed in another order

/// The fused operation is bitwise equal to separate operations.
TEST(PositionwiseFeedForward, IsTheMapsOneAfterTheOther) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    // Few rows, which divide work by columns, and many.
    for (const int64_t rows : {1, 7, 64, 700}) {
      Layer layer(17, 130, dtype, kernels::Precision::kNative);
      const Tensor x = RandomTensor({rows, 17}, 7, dtype);
      for (const auto& [name, f] : kActivations) {
        for (const double rate : {0.0, 0.3}) {
          const std::vector<Tensor> several = layer.Run(false, x, f, rate);
          const std::vector<Tensor> one = layer.Run(true, x, f, rate);
          for (size_t i = 0; i < one.size(); ++i) {
            EXPECT_LE(MaxDifference(one[i], several[i]), i == kBias ? 2e-4 : 0)
                << Name(dtype) << " " << name << ", " << rows << " rows, rate "
                << rate << ", result " << i;
          }
        }
      }
    }
  }
}

/// Products round hidden activations anyway, so storing them rounded changes
/// only gradients that depend on the slope.
TEST(PositionwiseFeedForward, KeepsWhatProductsRoundInBF16) {
  if (!kernels::HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  for (const int64_t inner : {130, 1024}) {
    Layer layer(64, inner, DType::kF32, kernels::Precision::kBF16);
    for (const int64_t rows : {7, 64, 1100}) {
      const Tensor x = RandomTensor({rows, 64}, 7, DType::kF32);
      for (const auto& [name, f] : kActivations) {
        for (const double rate : {0.0, 0.3}) {
          const std::vector<Tensor> several = layer.Run(false, x, f, rate);
          const std::vector<Tensor> one = layer.Run(true, x, f, rate);
          const bool same = f == Activation::kRelu || f == Activation::kNone;
          for (size_t i = 0; i < one.size(); ++i) {
            double largest = 0;
            for (const float value : several[i].ToVector<float>()) {
              largest = std::max(largest, std::abs(double{value}));
            }
            const double bound =
                i == kResult || (same && i != kBias) ? 0 : 0x1p-7 * largest;
            EXPECT_LE(MaxDifference(one[i], several[i]), bound)
                << name << ", " << rows << " rows, rate " << rate << ", result "
                << i;
          }
        }
      }
    }
  }
}

TEST(PositionwiseFeedForward, RefusesWhatDoesNotFit) {
  const auto zeros = [](Shape shape) { return Var(Tensor::Zeros(shape)); };
  const AffineMap in{zeros({3, 5}), zeros({5})};
  const AffineMap out{zeros({5, 2}), zeros({2})};
  const auto run = [](const Var& x, const AffineMap& a, const AffineMap& b) {
    PositionwiseFeedForward({}, x, a, Activation::kRelu, 0, b);
  };
  EXPECT_NO_THROW(run(zeros({4, 3}), in, out));
  ExpectShapeError([&] { run(zeros({4, 2}), in, out); }, {"[4, 2]", "[3, 5]"});
  ExpectShapeError(
      [&] {
        run(zeros({4, 3}), {in.weight, zeros({4})}, out);
      },
      {"feed forward", "bias", "[4]"});
  ExpectShapeError(
      [&] {
        run(zeros({4, 3}), in, {zeros({4, 2}), out.bias});
      },
      {"feed forward", "do not fit", "[4, 2]"});
  ExpectShapeError(
      [&] {
        run(zeros({4, 3}), in, {out.weight, zeros({3})});
      },
      {"feed forward", "do not fit", "[3]"});
}

TEST(PositionwiseFeedForward, EndsBetweenItsMapsWhenCancelled) {
  CancellationFlag cancellation;
  cancellation.Cancel();
  const Context ctx{.cancellation = &cancellation};
  const Var w(Tensor::Zeros({3, 3}));
  const Var b(Tensor::Zeros({3}));
  EXPECT_THROW(PositionwiseFeedForward(ctx, Tensor::Zeros({2, 3}), {w, b},
                                       Activation::kRelu, 0, {w, b}),
               Cancelled);
}

}  // namespace
}  // namespace heed::feed_forward_test
