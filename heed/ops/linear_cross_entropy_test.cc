#include "heed/ops/linear_cross_entropy.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/ops/matmul.h"

namespace heed::linear_cross_entropy_test {
namespace {

constexpr int32_t kIgnored = 3;
constexpr CrossEntropyOptions kOptions = {kIgnored, 0.1, 0.25};

struct Inputs {
  Tensor x;
  Tensor weight;
  Tensor bias;
  Tensor targets;
};

/// Inputs in which every `skip`-th row is ignored; 0: none.
Inputs Some(int64_t rows, int64_t V, bool transposed, int64_t skip,
            DType dtype = DType::kF64, int64_t M = 4) {
  Inputs in = {
      RandomTensor({2, rows / 2, M}, 1, dtype),
      RandomTensor(transposed ? Shape{V, M} : Shape{M, V}, 2, dtype),
      RandomTensor({V}, 3, dtype),
      Tensor({rows}, DType::kI32),
  };
  Rng rng(4);
  for (int64_t i = 0; i < rows; ++i) {
    auto id = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(V)));
    if (id == kIgnored) ++id;
    in.targets.data<int32_t>()[i] = skip > 0 && i % skip == 0 ? kIgnored : id;
  }
  return in;
}

CrossEntropyLoss Separate(const Var& x, const LinearWeights& words,
                          const Tensor& targets,
                          const CrossEntropyOptions& options) {
  return CrossEntropy(words.transposed
                          ? AffineTransposed(x, words.weight, words.bias)
                          : Affine(x, words.weight, words.bias),
                      targets, options);
}

struct Outcome {
  CrossEntropyLoss loss;
  std::vector<Tensor> gradients;
};

template <class Loss>
Outcome Differentiate(const Loss& loss, const Inputs& in, bool transposed) {
  Tape tape;
  const Var x = tape.Leaf(in.x);
  const Var weight = tape.Leaf(in.weight);
  const Var bias = tape.Leaf(in.bias);
  Outcome outcome;
  outcome.loss = loss(x, {weight, transposed, bias}, in.targets, kOptions);
  tape.Backward(outcome.loss.loss, Tensor::Full({}, 3, in.x.dtype()));
  outcome.gradients = {tape.Gradient(x), tape.Gradient(weight),
                       tape.Gradient(bias)};
  return outcome;
}

struct Case {
  int64_t rows;
  int64_t V;
  bool transposed;
  int64_t skip;
  int64_t M = 4;
  DType dtype = DType::kF64;
};

class LinearCrossEntropies : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    LinearCrossEntropy, LinearCrossEntropies,
    // For 7000 words in f64 a block has 128 rows, for large weights 1024.
    testing::Values(Case{6, 7, true, 0}, Case{6, 7, false, 2},
                    Case{6, 7, true, 1}, Case{300, 7000, true, 3},
                    Case{300, 7000, false, 0},
                    Case{1200, 1100, true, 20, 2000, DType::kF32}),
    [](const auto& info) {
      return "Rows" + std::to_string(info.param.rows) +
             (info.param.transposed ? "Transposed" : "") + "Skip" +
             std::to_string(info.param.skip);
    });

TEST_P(LinearCrossEntropies, AreThoseOfAllScoresWithTheirGradients) {
  const auto& [rows, V, transposed, skip, M, dtype] = GetParam();
  const double tolerance = dtype == DType::kF64 ? 1e-12 : 1e-5;
  const Inputs in = Some(rows, V, transposed, skip, dtype, M);
  const Outcome got = Differentiate(LinearCrossEntropy, in, transposed);
  const Outcome expected = Differentiate(Separate, in, transposed);
  const double size = expected.loss.nll + 1;
  EXPECT_NEAR(got.loss.loss.value().item(), expected.loss.loss.value().item(),
              tolerance * size);
  EXPECT_NEAR(got.loss.nll, expected.loss.nll, tolerance * size);
  EXPECT_EQ(got.loss.tokens, expected.loss.tokens);
  EXPECT_EQ(got.loss.correct, expected.loss.correct);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_LT(MaxDifference(got.gradients[i], expected.gradients[i]),
              tolerance * 10)
        << i;
  }
}

TEST(LinearCrossEntropy, HasTheGradientOfDifferences) {
  for (const bool transposed : {true, false}) {
    const Inputs in = Some(6, 7, transposed, 4);
    ExpectGradientOf(
        [&](std::span<const Var> v) {
          return LinearCrossEntropy(v[0], {v[1], transposed, v[2]}, in.targets,
                                    kOptions)
              .loss;
        },
        {in.x, in.weight, in.bias});
  }
}

TEST(LinearCrossEntropy, OfPartsThatAreConstantHasTheOtherGradients) {
  const Inputs in = Some(6, 7, true, 4);
  const Outcome all = Differentiate(LinearCrossEntropy, in, true);
  const std::vector<Tensor> values = {in.x, in.weight, in.bias};
  for (size_t part = 0; part < 3; ++part) {
    Tape tape;
    std::vector<Var> v(values.begin(), values.end());
    v[part] = tape.Leaf(values[part]);
    tape.Backward(
        LinearCrossEntropy(v[0], {v[1], true, v[2]}, in.targets, kOptions).loss,
        Tensor::Full({}, 3, DType::kF64));
    EXPECT_EQ(MaxDifference(tape.Gradient(v[part]), all.gradients[part]), 0);
  }
}

TEST(LinearCrossEntropy, WithoutATapeIsTheSameNumber) {
  const Inputs in = Some(6, 7, true, 4);
  const LinearWeights words = {in.weight, true, in.bias};
  const CrossEntropyLoss loss =
      LinearCrossEntropy(in.x, words, in.targets, kOptions);
  EXPECT_EQ(loss.nll, Differentiate(LinearCrossEntropy, in, true).loss.nll);
  EXPECT_EQ(loss.loss.tape(), nullptr);
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  const Inputs in = Some(6, 7, true, 4);
  const auto loss = [&](const Tensor& x, const Tensor& weight,
                        const Tensor& bias, const Tensor& targets) {
    return [=] {
      LinearCrossEntropy(x, {weight, true, bias}, targets, kOptions);
    };
  };
  ExpectShapeError(
      loss(Tensor::Zeros({6, 5}, DType::kF64), in.weight, in.bias, in.targets),
      {"factors that do not fit", "[6, 5]", "[7, 4]"});
  ExpectShapeError(
      loss(in.x, in.weight, Tensor::Zeros({6}, DType::kF64), in.targets),
      {"linear cross entropy", "bias", "[6]"});
  ExpectShapeError(
      loss(in.x, in.weight, in.bias, Ids({0, 1}, {2})),
      {"linear cross entropy", "rows and targets", "[2, 3, 4]", "[2]"});
  ExpectShapeError(loss(in.x, in.weight, in.bias, Ids({0, 1, 2, 4, 5, 7}, {6})),
                   {"linear cross entropy", "target 7 of 7 classes"});
}

TEST(LinearCrossEntropy, RefusesOtherDTypes) {
  const Inputs in = Some(6, 7, true, 4);
  ExpectShapeError(
      [&] {
        LinearCrossEntropy(in.x, {in.weight.To(DType::kF32), true, in.bias},
                           in.targets, kOptions);
      },
      {"f64 with f32"});
  ExpectShapeError(
      [&] {
        LinearCrossEntropy(in.x, {in.weight, true, in.bias.To(DType::kF32)},
                           in.targets, kOptions);
      },
      {"linear cross entropy", "f64 with f32"});
}

/// The packed forms and the precision of a parameter are used.
TEST(LinearCrossEntropy, OfAParameterIsThatOfItsProduct) {
  const Inputs in = Some(70, 90, true, 4, DType::kF32, 64);
  for (const auto precision :
       {kernels::Precision::kNative, kernels::Precision::kBF16}) {
    const auto run = [&](const auto& loss) {
      Parameter weight("weight", in.weight.Clone(), precision);
      Tape tape;
      const Var x = tape.Leaf(in.x);
      const CrossEntropyLoss got =
          loss(x, {tape.Leaf(weight), true, in.bias}, in.targets, kOptions);
      tape.Backward(got.loss);
      return std::vector<Tensor>{got.loss.value(), tape.Gradient(x),
                                 weight.gradient()};
    };
    const std::vector<Tensor> got = run(LinearCrossEntropy);
    const std::vector<Tensor> expected = run(Separate);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_LT(MaxDifference(got[i], expected[i]), 1e-4) << i;
    }
  }
  Parameter bytes("weight", in.weight.Clone(), kernels::Precision::kNative,
                  ParameterUse::kTable);
  bytes.SetPrecision(kernels::Precision::kInt8);
  const LinearWeights output = {Context().Use(bytes), true, in.bias};
  EXPECT_NEAR(LinearCrossEntropy(in.x, output, in.targets, kOptions).nll,
              Separate(in.x, output, in.targets, kOptions).nll, 1e-3);
}

}  // namespace
}  // namespace heed::linear_cross_entropy_test
