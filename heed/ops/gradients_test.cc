// One row per operation: its gradient matches finite differences, for dense
// operands and for strided operands and results.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/group_log_sum_exp.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/norm.h"
#include "heed/ops/rnn.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"
#include "heed/ops/testing.h"

namespace heed::gradients_test {
namespace {

const Tensor& SomeKeys() {
  static const Tensor lengths = Lengths({3, 0, 5});
  return lengths;
}

Var Gru(GruKind kind, Inputs in, const Tensor& lengths) {
  GruWeights w;
  w.kind = kind;
  w.gates = in[2];
  if (kind == GruKind::kCudnn) {
    if (in.size() > 3) w.bias = in[3];
    if (in.size() > 4) w.inner = in[4];
  } else {
    w.candidate = in[3];
  }
  return GruSequence(in[0], in[1], w, lengths);
}

/// Dropout with one mask for all calls.
Var Dropped(Var (*dropout)(const Context&, const Var&, double), const Var& x) {
  Rng rng(11);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  return dropout(ctx, x, 0.4);
}

std::vector<Operation> Elementwise() {
  return {
      {"tanh", [](Inputs in) { return Tanh(in[0]); }, {{3, 5}}},
      {"sigmoid", [](Inputs in) { return Sigmoid(in[0]); }, {{3, 5}}},
      {"relu", [](Inputs in) { return Relu(in[0]); }, {{3, 5}}},
      {"elu", [](Inputs in) { return Elu(in[0]); }, {{3, 5}}},
      {"elu_alpha", [](Inputs in) { return Elu(in[0], 0.3); }, {{3, 5}}},
      {"add_scalar", [](Inputs in) { return AddScalar(in[0], 3); }, {{3, 5}}},
      {"exp", [](Inputs in) { return Exp(in[0]); }, {{3, 5}}},
      {"add", [](Inputs in) { return Add(in[0], in[1]); }, {{3, 5}, {3, 5}}},
      {"add_itself", [](Inputs in) { return Add(in[0], in[0]); }, {{3, 5}}},
      {"sub", [](Inputs in) { return Sub(in[0], in[1]); }, {{3, 5}, {3, 5}}},
      {"mul", [](Inputs in) { return Mul(in[0], in[1]); }, {{3, 5}, {3, 5}}},
      {"mul_itself", [](Inputs in) { return Mul(in[0], in[0]); }, {{3, 5}}},
      {"scale", [](Inputs in) { return Scale(in[0], -2.5); }, {{3, 5}}},
      {"scale_by",
       [](Inputs in) {
         return ScaleBy(in[0], Slice(Reshape(in[1], {2}), 1, 2));
       },
       {{3, 5}, {1, 2}}},
      {"add_pairs",
       [](Inputs in) { return AddPairs(in[0], in[1]); },
       {{2, 3, 4}, {2, 5, 4}}},
      {"add_row",
       [](Inputs in) { return AddRow(in[0], Select(in[1], 0)); },
       {{2, 3, 5}, {1, 5}}},
      {"maxout", [](Inputs in) { return Maxout(in[0]); }, {{3, 8}}},
      {"dropout", [](Inputs in) { return Dropped(Dropout, in[0]); }, {{6, 7}}},
      {"step_dropout",
       [](Inputs in) { return Dropped(StepDropout, in[0]); },
       {{3, 2, 7}}},
      {"sum", [](Inputs in) { return Sum(in[0]); }, {{3, 5}}},
  };
}

std::vector<Operation> Moves() {
  return {
      {"reshape",
       [](Inputs in) {
         return Reshape(in[0], {2, 3, 5});
       },
       {{6, 5}}},
      {"slice", [](Inputs in) { return Slice(in[0], 1, 3); }, {{4, 3}}},
      {"select", [](Inputs in) { return Select(in[0], 2); }, {{4, 2, 3}}},
      {"columns", [](Inputs in) { return Columns(in[0], 1, 4); }, {{2, 3, 6}}},
      {"concat_columns",
       [](Inputs in) {
         return ConcatColumns({in[0], in[1], in[0]});
       },
       {{3, 2}, {3, 4}}},
      {"concat_many_columns",
       [](Inputs in) { return ConcatColumns(std::vector<Var>(10, in[0])); },
       {{3, 2}}},
      {"stack",
       [](Inputs in) {
         return Stack(std::vector<Var>{in[0], in[1], in[0]});
       },
       {{2, 3}, {2, 3}}},
      {"transpose",
       [](Inputs in) { return TransposeLeading(in[0]); },
       {{2, 3, 4}}},
      {"reverse",
       [](Inputs in) { return ReverseByLength(in[0], SomeKeys()); },
       {{6, 3, 2}}},
      {"max_over_steps",
       [](Inputs in) { return MaxOverSteps(in[0], SomeKeys()); },
       {{3, 6, 4}}},
      {"group_log_sum_exp",
       [](Inputs in) {
         const std::vector<int32_t> groups = {0, 1, 0, -1, 1, 1, 0, 0};
         return GroupLogSumExp(in[0], Tensor::Of(groups, {2, 4}), 2);
       },
       {{2, 4}}},
      {"row_sums", [](Inputs in) { return RowSums(in[0]); }, {{3, 4}}},
      {"unfold_steps",
       [](Inputs in) { return UnfoldSteps(in[0], 3, 1); },
       {{2, 4, 3}}},
      {"unfold_steps_longer_than_the_sequence",
       [](Inputs in) { return UnfoldSteps(in[0], 5, 0); },
       {{2, 3, 2}}},
  };
}

std::vector<Operation> Products() {
  return {
      {"matmul",
       [](Inputs in) { return MatMul(in[0], in[1]); },
       {{2, 3, 4}, {4, 5}}},
      {"matmul_of_itself",
       [](Inputs in) { return MatMul(in[0], in[0]); },
       {{4, 4}}},
      {"affine",
       [](Inputs in) { return Affine(in[0], in[1], Select(in[2], 0)); },
       {{2, 3, 4}, {4, 5}, {1, 5}}},
      {"affine_transposed",
       [](Inputs in) {
         return AffineTransposed(in[0], in[1], Select(in[2], 0));
       },
       {{2, 3, 4}, {5, 4}, {1, 5}}},
      {"matmul_add",
       [](Inputs in) { return MatMulAdd(in[0], in[1], in[2]); },
       {{2, 3, 5}, {2, 3, 4}, {4, 5}}},
      {"embedding",
       [](Inputs in) {
         return Embed(in[0], Ids({4, 0, 4, 2, 1, 4}, {2, 3}));
       },
       {{5, 3}}},
  };
}

std::vector<Operation> Attentions() {
  return {
      {"tanh_scores",
       [](Inputs in) {
         return PairScores(kernels::AttentionArgs::Score::kTanh, 0, in[0],
                           in[1], in[2]);
       },
       {{4, 2, 4}, {4, 5, 4}, {2, 4}}},
      {"leaky_scores",
       [](Inputs in) {
         return PairScores(kernels::AttentionArgs::Score::kLeaky, 0.2, in[0],
                           in[1], in[2]);
       },
       {{4, 2, 4}, {4, 5, 4}, {2, 4}}},
      {"dot_scores",
       [](Inputs in) { return DotScores(in[0], in[1], 0.7); },
       {{3, 2, 4}, {3, 5, 4}}},
      {"weighted_sum",
       [](Inputs in) { return WeightedSum(in[0], in[1]); },
       {{3, 2, 5}, {3, 5, 4}}},
      {"normalize_rows",
       [](Inputs in) { return NormalizeRows(in[0], 1e-3); },
       {{2, 3, 5}}},
      {"layer_norm",
       [](Inputs in) {
         return LayerNorm(in[0], Select(in[1], 0), Select(in[1], 1), 1e-3);
       },
       {{2, 3, 5}, {2, 5}}},
  };
}

std::vector<Operation> Losses() {
  return {
      {"cross_entropy",
       [](Inputs in) {
         return CrossEntropy(in[0], Ids({4, -1, 0}, {3}), {-1, 0, 0.5}).loss;
       },
       {{3, 6}}},
      {"smoothed_cross_entropy",
       [](Inputs in) {
         return CrossEntropy(in[0], Ids({4, 1, 0}, {3}), {1, 0.2, 0.25}).loss;
       },
       {{3, 6}}},
      {"cross_entropy_of_a_computed_value",
       [](Inputs in) {
         return Scale(
             CrossEntropy(Scale(in[0], 2), Ids({4, 1, 0}, {3}), {}).loss, 3);
       },
       {{3, 6}}},
      {"binary_cross_entropy",
       [](Inputs in) {
         const Tensor targets =
             Tensor::Of(std::vector<double>{0, 1, 0.25, 1, 0, 1}, {2, 3});
         return BinaryCrossEntropy(in[0], targets.To(in[0].value().dtype()), 2);
       },
       {{2, 3}}},
      {"absolute_loss",
       [](Inputs in) {
         return AbsoluteLoss(in[0],
                             Tensor::Zeros({3, 5}, in[0].value().dtype()), 2);
       },
       {{3, 5}}},
      {"huber_loss",
       [](Inputs in) {
         return HuberLoss(in[0], Tensor::Zeros({3, 5}, in[0].value().dtype()),
                          0.4, 2);
       },
       {{3, 5}}},
      {"log_softmax", [](Inputs in) { return LogSoftmax(in[0]); }, {{3, 6}}},
  };
}

std::vector<Operation> Recurrences() {
  std::vector<Operation> operations;
  const std::pair<std::string, Tensor> all_lengths[] = {
      {"", Tensor()}, {"_padded", Lengths({4, 0, 2})}};
  for (const auto& [suffix, lengths] : all_lengths) {
    const Tensor n = lengths;
    operations.push_back(
        {"rnn" + suffix,
         [n](Inputs in) { return RnnSequence(in[0], in[1], in[2], n); },
         {{4, 3, 5}, {3, 5}, {5, 5}}});
    operations.push_back(
        {"lstm" + suffix,
         [n](Inputs in) { return LstmSequence(in[0], in[1], in[2], n); },
         {{4, 3, 20}, {2, 3, 5}, {5, 20}}});
    operations.push_back({"nested_lstm" + suffix,
                          [n](Inputs in) {
                            return NestedLstmSequence(
                                in[0], in[1], {in[2], in[3], Select(in[4], 0)},
                                n);
                          },
                          {{4, 3, 20}, {3, 3, 5}, {5, 20}, {10, 20}, {1, 20}}});
    operations.push_back(
        {"gru_cudnn" + suffix,
         [n](Inputs in) { return Gru(GruKind::kCudnn, in, n); },
         {{4, 3, 15}, {3, 5}, {5, 15}}});
    operations.push_back({"gru_cudnn_bias_inner" + suffix,
                          [n](Inputs in) {
                            const std::vector<Var> all = {
                                in[0], in[1], in[2], Select(in[3], 0), in[4]};
                            return Gru(GruKind::kCudnn, all, n);
                          },
                          {{4, 3, 15}, {3, 5}, {5, 15}, {1, 15}, {3, 15}}});
    for (const auto& [name, kind] : {std::pair("gru_cho", GruKind::kCho),
                                     {"gru_bahdanau", GruKind::kBahdanau}}) {
      operations.push_back({name + suffix,
                            [n, k = kind](Inputs in) { return Gru(k, in, n); },
                            {{4, 3, 15}, {3, 5}, {5, 10}, {5, 5}}});
    }
  }
  return operations;
}

class Gradients : public OperationTest {};

TEST_P(Gradients, AreThoseOfDifferences) { ExpectGradients(); }
TEST_P(Gradients, OfRowsApartAreThoseOfDifferences) {
  ExpectGradientsOfRowsApart();
}
TEST_P(Gradients, OfEachOperandAloneAreThoseOfDifferences) {
  ExpectGradientsOfEachOperandAlone();
}
TEST_P(Gradients, InF32AreThoseInF64) { ExpectGradientsInF32(); }

INSTANTIATE_TEST_SUITE_P(Elementwise, Gradients,
                         testing::ValuesIn(Elementwise()), NameOf);
INSTANTIATE_TEST_SUITE_P(Moves, Gradients, testing::ValuesIn(Moves()), NameOf);
INSTANTIATE_TEST_SUITE_P(Products, Gradients, testing::ValuesIn(Products()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Attentions, Gradients, testing::ValuesIn(Attentions()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Losses, Gradients, testing::ValuesIn(Losses()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Recurrences, Gradients,
                         testing::ValuesIn(Recurrences()), NameOf);

}  // namespace
}  // namespace heed::gradients_test
