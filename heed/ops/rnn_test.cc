// Tests of recurrences over sequences against single steps composed of
// elementwise operations.
#include "heed/ops/rnn.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed::rnn_test {
namespace {

constexpr int64_t T = 4;
constexpr int64_t B = 3;
constexpr int64_t H = 5;

using Inputs = std::span<const Var>;

/// 1 where row b is active in step t, else 0.
Tensor Mask(const Tensor& lengths, int64_t t) {
  Tensor mask = Tensor::Full({B, H}, 1, DType::kF64);
  for (int64_t b = 0; b < B && lengths.defined(); ++b) {
    if (t >= lengths.data<int32_t>()[b]) mask[b].Fill(0);
  }
  return mask;
}

Var OneMinus(const Var& x) {
  return Sub(Tensor::Full(x.shape(), 1, DType::kF64), x);
}

/// Interpolation p a + (1 − p) b.
Var Mix(const Var& p, const Var& a, const Var& b) {
  return Add(Mul(p, a), Mul(OneMinus(p), b));
}

/// Part i of H columns.
Var Part(const Var& x, int64_t i) { return Columns(x, i * H, (i + 1) * H); }

/// Recurrence under test; inputs are x, the first state, then weights.
struct Recurrence {
  std::string name;
  int64_t gates;
  int64_t states;  // number of state vectors
  std::vector<Shape> weights;
  /// Whole sequence as one operation.
  std::function<Var(Inputs, const Tensor& lengths)> sequence;
  /// Next states (hidden and, for an LSTM, cell, ...) from the states `s`.
  std::function<std::vector<Var>(const Var& x, const std::vector<Var>& s,
                                 Inputs in)>
      step;
};

void PrintTo(const Recurrence& recurrence, std::ostream* out) {
  *out << recurrence.name;
}

std::vector<Var> LstmStep(const Var& x, const std::vector<Var>& s, Inputs in) {
  const Var a = Add(x, MatMul(s[0], in[2]));
  const Var c = Add(Mul(Sigmoid(Part(a, 1)), s[1]),
                    Mul(Sigmoid(Part(a, 0)), Tanh(Part(a, 2))));
  return {Mul(Sigmoid(Part(a, 3)), Tanh(c)), c};
}

/// Weights: outer, inner, bias [1, 4H]. Instead of concatenated inputs, the
/// inner weight is split into a matrix for i⊙g and one for f⊙c.
std::vector<Var> NestedLstmStep(const Var& x, const std::vector<Var>& s,
                                Inputs in) {
  const Var a = Add(x, MatMul(s[0], in[2]));
  const Var input = Mul(Sigmoid(Part(a, 0)), Part(a, 2));
  const Var memory = Mul(Sigmoid(Part(a, 1)), s[1]);
  const Var b = AddRow(Add(MatMul(input, Slice(in[3], 0, H)),
                           MatMul(memory, Slice(in[3], H, 2 * H))),
                       Select(in[4], 0));
  const Var inner = Add(Mul(Sigmoid(Part(b, 1)), s[2]),
                        Mul(Sigmoid(Part(b, 0)), Tanh(Part(b, 2))));
  const Var c = Mul(Sigmoid(Part(b, 3)), Tanh(inner));
  return {Mul(Sigmoid(Part(a, 3)), Tanh(c)), c, inner};
}

/// Weights: U of all gates, then optional b' [1, 3H] and inner.
std::vector<Var> CudnnStep(const Var& x, const std::vector<Var>& s, Inputs in) {
  Var u = MatMul(s[0], in[2]);
  if (in.size() > 3) u = AddRow(u, Select(in[3], 0));
  if (in.size() > 4) u = Add(u, in[4]);
  const Var r = Sigmoid(Add(Part(x, 0), Part(u, 0)));
  const Var z = Sigmoid(Add(Part(x, 1), Part(u, 1)));
  const Var n = Tanh(Add(Part(x, 2), Mul(r, Part(u, 2))));
  return {Mix(z, s[0], n)};
}

std::vector<Var> ResetBeforeStep(const Var& x, const Var& h, Inputs in,
                                 bool cho) {
  const Var u = MatMul(h, in[2]);
  const Var r = Sigmoid(Add(Part(x, 0), Part(u, 0)));
  const Var z = Sigmoid(Add(Part(x, 1), Part(u, 1)));
  const Var n = Tanh(Add(Part(x, 2), MatMul(Mul(r, h), in[3])));
  return {cho ? Mix(z, h, n) : Mix(z, n, h)};
}

Var Gru(GruKind kind, Inputs in, const Tensor& lengths) {
  GruWeights w;
  w.kind = kind;
  w.gates = in[2];
  if (kind != GruKind::kCudnn) {
    w.candidate = in[3];
  } else {
    if (in.size() > 3) w.bias = Select(in[3], 0);
    if (in.size() > 4) w.inner = in[4];
  }
  return GruSequence(in[0], in[1], w, lengths);
}

std::vector<Recurrence> Recurrences() {
  const auto cudnn = [](Inputs in, const Tensor& n) {
    return Gru(GruKind::kCudnn, in, n);
  };
  return {
      {"rnn",
       1,
       1,
       {{H, H}},
       [](Inputs in, const Tensor& n) {
         return RnnSequence(in[0], in[1], in[2], n);
       },
       [](const Var& x, const std::vector<Var>& s, Inputs in) {
         return std::vector<Var>{Tanh(Add(x, MatMul(s[0], in[2])))};
       }},
      {"lstm",
       4,
       2,
       {{H, 4 * H}},
       [](Inputs in, const Tensor& n) {
         return LstmSequence(in[0], in[1], in[2], n);
       },
       LstmStep},
      {"nested_lstm",
       4,
       3,
       {{H, 4 * H}, {2 * H, 4 * H}, {1, 4 * H}},
       [](Inputs in, const Tensor& n) {
         return NestedLstmSequence(in[0], in[1],
                                   {in[2], in[3], Select(in[4], 0)}, n);
       },
       NestedLstmStep},
      {"gru_cudnn", 3, 1, {{H, 3 * H}}, cudnn, CudnnStep},
      {"gru_cudnn_bias", 3, 1, {{H, 3 * H}, {1, 3 * H}}, cudnn, CudnnStep},
      {"gru_cudnn_inner",
       3,
       1,
       {{H, 3 * H}, {1, 3 * H}, {B, 3 * H}},
       cudnn,
       CudnnStep},
      {"gru_cho",
       3,
       1,
       {{H, 2 * H}, {H, H}},
       [](Inputs in, const Tensor& n) { return Gru(GruKind::kCho, in, n); },
       [](const Var& x, const std::vector<Var>& s, Inputs in) {
         return ResetBeforeStep(x, s[0], in, true);
       }},
      {"gru_bahdanau",
       3,
       1,
       {{H, 2 * H}, {H, H}},
       [](Inputs in, const Tensor& n) {
         return Gru(GruKind::kBahdanau, in, n);
       },
       [](const Var& x, const std::vector<Var>& s, Inputs in) {
         return ResetBeforeStep(x, s[0], in, false);
       }},
  };
}

class Sequences : public testing::TestWithParam<Recurrence> {
 protected:
  std::vector<Tensor> RandomInputs() const {
    const Recurrence& r = GetParam();
    std::vector<Shape> shapes = {
        {T, B, r.gates * H},
        r.states > 1 ? Shape{r.states, B, H} : Shape{B, H}};
    shapes.insert(shapes.end(), r.weights.begin(), r.weights.end());
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) {
      inputs.push_back(RandomTensor(shape, 30 + inputs.size()));
    }
    return inputs;
  }

  std::vector<Var> FirstStates(const Var& state) const {
    if (GetParam().states == 1) return {state};
    std::vector<Var> all;
    for (int64_t i = 0; i < GetParam().states; ++i) {
      all.push_back(Select(state, i));
    }
    return all;
  }

  /// Result composed of single steps.
  Var Composed(Inputs in, const Tensor& lengths) const {
    std::vector<Var> states = FirstStates(in[1]);
    std::vector<Var> outputs;
    for (int64_t t = 0; t < T; ++t) {
      const std::vector<Var> next =
          GetParam().step(Select(in[0], t), states, in);
      for (size_t i = 0; i < states.size(); ++i) {
        states[i] = Mix(Mask(lengths, t), next[i], states[i]);
      }
      outputs.push_back(states[0]);
    }
    outputs.insert(outputs.end(), states.begin() + 1, states.end());
    return Stack(outputs);
  }
};

INSTANTIATE_TEST_SUITE_P(Cells, Sequences, testing::ValuesIn(Recurrences()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Sequences, AndTheirGradientsEqualTheCompositionOfSteps) {
  for (const Tensor& lengths : {Tensor(), Lengths({4, 0, 2})}) {
    const auto run = [&](const auto& f) {
      Tape tape;
      std::vector<Var> in;
      for (const Tensor& x : RandomInputs()) in.push_back(tape.Leaf(x));
      const Var y = f(in);
      std::vector<Tensor> results = {y.value()};
      tape.Backward(y, RandomTensor(y.shape(), 9));
      for (const Var& x : in) results.push_back(tape.Gradient(x));
      return results;
    };
    const auto fused =
        run([&](Inputs in) { return GetParam().sequence(in, lengths); });
    const auto composed = run([&](Inputs in) { return Composed(in, lengths); });
    for (size_t i = 0; i < fused.size(); ++i) {
      EXPECT_LT(MaxDifference(fused[i], composed[i]), 1e-13)
          << "result or gradient " << i
          << (lengths.defined() ? ", padded" : "");
    }
  }
}

TEST_P(Sequences, EqualSequencesOfOneStepChained) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    std::vector<Var> in;
    for (const Tensor& x : RandomInputs()) in.emplace_back(x.To(dtype));
    const Tensor whole = GetParam().sequence(in, {}).value();
    const Var x = in[0];
    for (int64_t t = 0; t < T; ++t) {
      in[0] = Slice(x, t, t + 1);
      const Var y = GetParam().sequence(in, {});
      EXPECT_EQ(MaxDifference(y.value()[0], whole[t]), 0) << "step " << t;
      // The result for T = 1 is the next state.
      in[1] = GetParam().states > 1 ? y : Select(y, 0);
    }
    for (int64_t i = 1; i < GetParam().states; ++i) {
      EXPECT_EQ(MaxDifference(in[1].value()[i], whole[T + i - 1]), 0);
    }
  }
}

TEST_P(Sequences, CarryTheStateOfEndedRows) {
  std::vector<Tensor> inputs = RandomInputs();
  const Tensor lengths = Lengths({4, 0, 2});
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t b = 0; b < B; ++b) {
      if (t >= lengths.data<int32_t>()[b]) inputs[0][t][b].Fill(NAN);
    }
  }
  const std::vector<Var> in(inputs.begin(), inputs.end());
  const Tensor y = GetParam().sequence(in, lengths).value();
  const Tensor h0 = GetParam().states > 1 ? inputs[1][0] : inputs[1];
  for (int64_t t = 0; t < T; ++t) EXPECT_EQ(MaxDifference(y[t][1], h0[1]), 0);
  EXPECT_EQ(MaxDifference(y[3][2], y[1][2]), 0);
  for (const double v : y.ToVector<double>()) ASSERT_TRUE(std::isfinite(v));
}

TEST_P(Sequences, RefuseWhatDoesNotFit) {
  const std::vector<Tensor> inputs = RandomInputs();
  const auto with = [&](size_t i, const Shape& shape) {
    std::vector<Var> in(inputs.begin(), inputs.end());
    in[i] = RandomTensor(shape, 1);
    return in;
  };
  std::string op = GetParam().name;
  if (op.starts_with("gru")) op = "gru";
  ExpectShapeError(
      [&] {
        GetParam().sequence(with(0, {T, B, H + 1}), {});
      },
      {op, "[4, 3, 6]"});
  ExpectShapeError(
      [&] {
        GetParam().sequence(with(2, {H, 7}), {});
      },
      {op, "[5, 7]"});
  const std::vector<Var> in(inputs.begin(), inputs.end());
  ExpectShapeError(
      [&] {
        GetParam().sequence(in, Lengths({1, 2}));
      },
      {op, "[2]"});
  ExpectShapeError(
      [&] {
        GetParam().sequence(in, Lengths({1, 2, 5}));
      },
      {op, "length 5"});
}

}  // namespace
}  // namespace heed::rnn_test
