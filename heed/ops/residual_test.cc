#include "heed/ops/residual.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/ops/attention.h"
#include "heed/ops/matmul.h"
#include "heed/ops/norm.h"
#include "heed/ops/testing.h"

namespace heed::residual_test {
namespace {

/// Training context with equal masks at each use.
struct Training {
  Rng rng{11};
  Context ctx;
  Training() {
    ctx.rng = &rng;
    ctx.training = true;
  }
};

constexpr double kRate = 0.4;
constexpr double kEpsilon = 1e-3;

AddNormResult Norm(Inputs in, double rate) {
  Training t;
  return AddNorm(t.ctx, in[0], in[1], rate, Select(in[2], 0), Select(in[2], 1),
                 kEpsilon);
}

Var Embedded(const Var& table, const Tensor& positions, double rate) {
  Training t;
  return EmbedScaled(t.ctx, table, Ids({4, 0, 4, -1, 1, 4}, {2, 3}), 1.5,
                     positions, 2, rate);
}

std::vector<Operation> Operations() {
  const std::vector<Shape> norm = {{2, 3, 5}, {2, 3, 5}, {2, 5}};
  return {
      {"add_dropped",
       [](Inputs in) { return AddDropped(Training().ctx, in[0], in[1], 0); },
       {{3, 5}, {3, 5}}},
      {"add_dropped_training",
       [](Inputs in) {
         Training t;
         return AddDropped(t.ctx, in[0], in[1], kRate);
       },
       {{3, 5}, {3, 5}}},
      {"add_dropped_itself",
       [](Inputs in) {
         Training t;
         return AddDropped(t.ctx, in[0], in[0], kRate);
       },
       {{3, 5}}},
      {"sum", [](Inputs in) { return Norm(in, kRate).sum; }, norm},
      {"normed", [](Inputs in) { return Norm(in, kRate).normed; }, norm},
      {"normed_without_dropout", [](Inputs in) { return Norm(in, 0).normed; },
       norm},
      {"both",
       [](Inputs in) {
         const AddNormResult r = Norm(in, kRate);
         return Add(Mul(r.sum, r.sum), Mul(r.normed, r.sum));
       },
       norm},
      {"both_without_dropout",
       [](Inputs in) {
         const AddNormResult r = Norm(in, 0);
         return Mul(Tanh(r.sum), r.normed);
       },
       norm},
      {"norm_of_a_norm",
       [](Inputs in) {
         const AddNormResult a = Norm(in, kRate);
         const std::vector<Var> next = {a.sum, Tanh(a.normed), in[2]};
         const AddNormResult b = Norm(next, kRate);
         return Add(b.normed, a.normed);
       },
       norm},
      {"gain_that_is_the_bias",
       [](Inputs in) {
         Training t;
         const Var row = Select(in[2], 0);
         return AddNorm(t.ctx, in[0], in[1], kRate, row, row, kEpsilon).normed;
       },
       norm},
      {"embedding",
       [](Inputs in) {
         return Embedded(in[0], RandomTensor({5, 3}, 9), 0);
       },
       {{5, 3}}},
      {"embedding_training",
       [](Inputs in) {
         return Embedded(in[0], RandomTensor({5, 3}, 9), kRate);
       },
       {{5, 3}}},
      {"embedding_without_positions",
       [](Inputs in) { return Embedded(in[0], {}, kRate); },
       {{5, 3}}},
  };
}

class ResidualGradients : public OperationTest {};

TEST_P(ResidualGradients, AreThoseOfDifferences) { ExpectGradients(); }

INSTANTIATE_TEST_SUITE_P(All, ResidualGradients,
                         testing::ValuesIn(Operations()), NameOf);

TEST(AddNorm, IsTheNormOfTheSum) {
  const Tensor x = RandomTensor({2, 3, 17}, 1);
  const Tensor y = RandomTensor({2, 3, 17}, 2);
  const Tensor gain = RandomTensor({17}, 3);
  const Tensor bias = RandomTensor({17}, 4);
  Training a;
  Training b;
  const AddNormResult r = AddNorm(a.ctx, x, y, kRate, gain, bias, kEpsilon);
  const Var sum = Add(x, Dropout(b.ctx, y, kRate));
  EXPECT_EQ(MaxDifference(r.sum.value(), sum.value()), 0);
  EXPECT_EQ(MaxDifference(r.normed.value(),
                          LayerNorm(sum, gain, bias, kEpsilon).value()),
            0);
}

TEST(AddNorm, DropsNothingWithoutTraining) {
  const Tensor x = RandomTensor({4, 8}, 1);
  const Tensor row = Tensor::Full({8}, 1, DType::kF64);
  const Context ctx;
  EXPECT_EQ(MaxDifference(AddNorm(ctx, x, x, kRate, row, row, 0).sum.value(),
                          Add(x, x).value()),
            0);
  EXPECT_EQ(
      MaxDifference(AddDropped(ctx, x, x, kRate).value(), Add(x, x).value()),
      0);
}

TEST(EmbedScaled, AddsThePositionsFromTheOffset) {
  const Tensor table = RandomTensor({5, 3}, 1).To(DType::kF32);
  const Tensor positions = RandomTensor({6, 3}, 2).To(DType::kF32);
  const Tensor ids = Ids({4, 0, -1, 3}, {2, 2});
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  Parameter& compact =
      Scope(set, "table")
          .Add("weight", {5, 3}, kZeroInit, ParameterUse::kTable);
  compact.Set(table);
  compact.StoreInBF16();
  for (const bool is_compact : {false, true}) {
    const Var rows = is_compact ? Context().Use(compact) : Var(table);
    const Tensor y = EmbedScaled({}, rows, ids, 2, positions, 3, kRate).value();
    ASSERT_EQ(y.shape(), (Shape{2, 2, 3}));
    kernels::ExpectEach(y, is_compact ? 0.05 : 1e-6, [&](int64_t r, int64_t c) {
      const int32_t id = ids.data<int32_t>()[r];
      return (id < 0 ? 0 : 2 * kernels::At(table, id, c)) +
             kernels::At(positions, 3 + r % 2, c);
    });
  }
}

TEST(EmbedScaled, RefusesWhatIsOutsideOfTheTables) {
  const Tensor table = Tensor::Zeros({5, 3});
  const Tensor positions = Tensor::Zeros({4, 3});
  const auto embed = [&](const Tensor& ids, const Tensor& p, int64_t offset) {
    EmbedScaled({}, table, ids, 1, p, offset, 0);
  };
  ExpectShapeError(
      [&] {
        embed(Ids({1, 5}, {1, 2}), {}, 0);
      },
      {"embedding", "id 5", "5 rows"});
  ExpectShapeError(
      [&] {
        embed(Ids({-2}, {1, 1}), {}, 0);
      },
      {"embedding", "id -2"});
  ExpectShapeError([&] { embed(Ids({1}, {1}), {}, 0); },
                   {"embedding", "[5, 3]", "[1]"});
  const Tensor ids = Ids({1, 1}, {1, 2});
  ExpectShapeError([&] { embed(ids, positions, 3); },
                   {"embedding", "position 4", "4 positions"});
  ExpectShapeError([&] { embed(ids, positions, -1); }, {"position -1"});
  ExpectShapeError(
      [&] {
        embed(ids, Tensor::Zeros({4, 2}), 0);
      },
      {"positions that do not fit", "[4, 2]"});
}

TEST(AddDropped, RefusesDifferentShapes) {
  const Tensor x = Tensor::Zeros({2, 3});
  ExpectShapeError(
      [&] {
        AddDropped({}, x, Tensor::Zeros({3, 2}), 0);
      },
      {"add dropped", "[2, 3]", "[3, 2]"});
}

TEST(AddNorm, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros({2, 3});
  const Tensor row = Tensor::Zeros({3});
  ExpectShapeError(
      [&] {
        AddNorm({}, x, Tensor::Zeros({3, 2}), 0, row, row, 0);
      },
      {"add norm", "[3, 2]"});
  ExpectShapeError([&] { AddNorm({}, x, x, 0, row, Tensor::Zeros({2}), 0); },
                   {"add norm", "[2]"});
}

}  // namespace
}  // namespace heed::residual_test
