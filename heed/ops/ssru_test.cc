#include "heed/ops/ssru.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/threads.h"
#include "heed/ops/testing.h"

namespace heed::ssru_test {
namespace {

std::vector<Operation> Operations() {
  const auto cells = [](Inputs in) {
    return SsruCells(in[0], Select(in[1], 0), in.size() > 2 ? in[2] : Var());
  };
  return {{"from_zeros", cells, {{2, 4, 10}, {1, 5}}},
          {"from_a_state", cells, {{2, 4, 10}, {1, 5}, {2, 5}}},
          {"one_step", cells, {{3, 1, 10}, {1, 5}, {3, 5}}},
          {"two_blocks", cells, {{1, 3, 260}, {1, 130}, {1, 130}}}};
}

class Ssru : public OperationTest {};

INSTANTIATE_TEST_SUITE_P(Sizes, Ssru, testing::ValuesIn(Operations()), NameOf);

TEST_P(Ssru, HasTheGradientOfDifferences) { ExpectGradients(); }
TEST_P(Ssru, HasItForEachOperandAlone) { ExpectGradientsOfEachOperandAlone(); }
TEST_P(Ssru, InF32IsCloseToF64) { ExpectGradientsInF32(); }

/// Cells by the equations, number by number.
Tensor Plain(const Tensor& x, const Tensor& bias, const Tensor& first) {
  const int64_t units = bias.numel();
  Tensor cells({x.dim(0), x.dim(1), units}, DType::kF64);
  for (int64_t b = 0; b < x.dim(0); ++b) {
    for (int64_t m = 0; m < units; ++m) {
      double c = first[b].data<double>()[m];
      for (int64_t t = 0; t < x.dim(1); ++t) {
        const double* x_t = x[b][t].data<double>();
        const double gate = x_t[units + m] + bias.data<double>()[m];
        const double f = 1 / (1 + std::exp(-gate));
        c = f * c + (1 - f) * x_t[m];
        cells[b][t].data<double>()[m] = c;
      }
    }
  }
  return cells;
}

TEST(SsruCells, AreThoseOfTheEquations) {
  const Tensor x = RandomTensor({3, 5, 14}, 1);
  const Tensor bias = RandomTensor({7}, 2);
  const Tensor first = RandomTensor({3, 7}, 3);
  EXPECT_LT(
      MaxDifference(SsruCells(x, bias, first).value(), Plain(x, bias, first)),
      1e-14);
  EXPECT_EQ(MaxDifference(
                SsruCells(x, bias, {}).value(),
                SsruCells(x, bias, Tensor::Zeros({3, 7}, DType::kF64)).value()),
            0);
}

TEST(SsruCells, StepByStepHaveTheSameBits) {
  const Tensor x = RandomTensor({2, 6, 300}, 1, DType::kF32);
  const Tensor bias = RandomTensor({150}, 2, DType::kF32);
  const Tensor whole = SsruCells(x, bias, {}).value();
  Var state;
  for (int64_t t = 0; t < 6; ++t) {
    const Var cells = SsruCells(
        Reshape(Columns(Reshape(x, {2, 6 * 300}), t * 300, (t + 1) * 300),
                {2, 1, 300}),
        bias, state);
    state = Reshape(cells, {2, 150});
    for (int64_t b = 0; b < 2; ++b) {
      EXPECT_EQ(MaxDifference(state.value()[b], whole[b][t]), 0);
    }
  }
}

TEST(SsruCells, OnManyThreadsHaveTheSameBits) {
  const Tensor x = RandomTensor({8, 40, 600}, 1, DType::kF32);
  const Tensor bias = RandomTensor({300}, 2, DType::kF32);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    Tape tape;
    const Var leaf = tape.Leaf(x);
    tape.Backward(SsruCells(leaf, bias, {}),
                  RandomTensor({8, 40, 300}, 4, DType::kF32));
    return tape.Gradient(leaf).Clone();
  };
  EXPECT_EQ(MaxDifference(run(1), run(4)), 0);
}

TEST(SsruCells, RefuseShapesThatDoNotFit) {
  const Tensor x = RandomTensor({2, 3, 8}, 1);
  const Tensor bias = RandomTensor({4}, 1);
  ExpectShapeError([&] { SsruCells(x, RandomTensor({5}, 1), {}); },
                   {"ssru", "[5]"});
  ExpectShapeError(
      [&] {
        SsruCells(x, bias, RandomTensor({3, 4}, 1));
      },
      {"ssru", "[3, 4]"});
}

}  // namespace
}  // namespace heed::ssru_test
