#include "heed/ops/activation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/testing.h"

namespace heed::activation_test {
namespace {

/// Operations with each activation f: alone, after an affine map, as a gate.
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
                            // Makes the input a computed result even for the
                            // identity.
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
}  // namespace heed::activation_test
