#include "heed/ops/activation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/base/rng.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/testing.h"

namespace heed {
namespace {

/// Rows for each activation f: alone, after an affine map, as a gate.
std::vector<Operation> Operations() {
  std::vector<Operation> operations;
  const std::pair<std::string, Activation> all[] = {
      {"none", Activation::kNone},
      {"relu", Activation::kRelu},
      {"gelu", Activation::kGelu},
      {"gelu_tanh", Activation::kGeluTanh},
      {"swish", Activation::kSwish}};
  for (const auto& [name, f] : all) {
    operations.push_back({name,
                          [f = f](Inputs in) {
                            // What keeps the identity a computed result.
                            return Activate(Scale(in[0], 2), f);
                          },
                          {{2, 3, 5}}});
    operations.push_back({"affine_" + name,
                          [f = f](Inputs in) {
                            return AffineActivation(in[0], in[1],
                                                    Select(in[2], 0), f);
                          },
                          {{2, 3, 4}, {4, 5}, {1, 5}}});
    operations.push_back(
        {"matmul_" + name,
         [f = f](Inputs in) { return AffineActivation(in[0], in[1], {}, f); },
         {{2, 3, 4}, {4, 5}}});
    operations.push_back(
        {"gated_" + name,
         [f = f](Inputs in) { return GatedActivation(in[0], f); },
         {{2, 3, 8}}});
  }
  return operations;
}

class ActivationGradients : public OperationTest {};

TEST_P(ActivationGradients, AreThoseOfDifferences) { ExpectGradients(); }
TEST_P(ActivationGradients, OfRowsApartAreThoseOfDifferences) {
  ExpectGradientsOfRowsApart();
}
TEST_P(ActivationGradients, OfEachOperandAloneAreThoseOfDifferences) {
  ExpectGradientsOfEachOperandAlone();
}
TEST_P(ActivationGradients, InF32AreThoseInF64) { ExpectGradientsInF32(); }

INSTANTIATE_TEST_SUITE_P(All, ActivationGradients,
                         testing::ValuesIn(Operations()), NameOf);

TEST(AffineActivation, IsTheActivationOfTheAffineMap) {
  const Tensor x = RandomTensor({2, 3, 17}, 1, DType::kF32);
  const Tensor w = RandomTensor({17, 65}, 2, DType::kF32);
  const Tensor bias = RandomTensor({65}, 3, DType::kF32);
  for (const Activation f : {Activation::kNone, Activation::kRelu,
                             Activation::kGelu, Activation::kSwish}) {
    const Tensor y = AffineActivation(x, w, bias, f).value();
    ASSERT_EQ(y.shape(), (Shape{2, 3, 65}));
    EXPECT_EQ(MaxDifference(y, Activate(Affine(x, w, bias), f).value()), 0);
  }
}

/// Dropout after an activation in one pass is that in two, to the bit.
TEST(AffineActivationDropout, IsDropoutAfterTheActivation) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    // Few rows, whose columns are divided, and many.
    for (const int64_t rows : {1, 7, 64, 700}) {
      const Tensor weight = RandomTensor({17, 130}, 2, dtype);
      for (const Activation f : {Activation::kRelu, Activation::kGelu}) {
        for (const double rate : {0.0, 0.3}) {
          std::vector<Tensor> results[2];
          for (const bool fused : {false, true}) {
            Tape tape;
            Rng rng(5);
            const Context ctx{.tape = &tape, .rng = &rng, .training = true};
            const Var x = tape.Leaf(RandomTensor({rows, 17}, 1, dtype));
            const Var w = tape.Leaf(weight);
            const Var b = tape.Leaf(RandomTensor({130}, 3, dtype));
            const Var y =
                fused ? AffineActivationDropout(ctx, x, w, b, f, rate)
                      : Dropout(ctx, AffineActivation(x, w, b, f), rate);
            tape.Backward(y, RandomTensor({rows, 130}, 4, dtype));
            results[fused ? 1 : 0] = {y.value(), tape.Gradient(x),
                                      tape.Gradient(w), tape.Gradient(b)};
          }
          for (size_t i = 0; i < results[0].size(); ++i) {
            EXPECT_EQ(MaxDifference(results[0][i], results[1][i]), 0)
                << Name(dtype) << " " << rows << " rows, rate " << rate
                << ", result " << i;
          }
        }
      }
    }
  }
}

TEST(AffineActivation, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros({2, 3});
  const Tensor w = Tensor::Zeros({3, 5});
  for (const Activation f : {Activation::kNone, Activation::kRelu}) {
    ExpectShapeError([&] { AffineActivation(w, x, {}, f); },
                     {"[3, 5]", "[2, 3]"});
    ExpectShapeError([&] { AffineActivation(x, w, Tensor::Zeros({3}), f); },
                     {"affine", "[3, 5]", "[3]"});
  }
}

TEST(GatedActivation, RefusesAnOddNumberOfColumns) {
  ExpectShapeError(
      [&] {
        GatedActivation(Tensor::Zeros({2, 3}), Activation::kSwish);
      },
      {"gated", "odd", "[2, 3]"});
}

}  // namespace
}  // namespace heed
