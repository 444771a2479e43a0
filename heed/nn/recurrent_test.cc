#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/kernels/elementwise.h"

namespace heed::recurrent_test {
namespace {

constexpr int64_t S = 5;
constexpr int64_t B = 3;
constexpr int64_t kIn = 4;
constexpr int64_t H = 6;

const std::vector<int32_t> kLengths = {5, 2, 3};

constexpr Init kRandom = {Init::Kind::kUniform, 0.5};

struct Encoder {
  explicit Encoder(const std::string& cell, bool bidirectional = true,
                   int64_t layers = 2)
      : set(5, DType::kF64, kernels::Precision::kNative),
        encoder(Scope(set, "encoder"), Options(cell, bidirectional, layers)) {}

  static EncoderOptions Options(const std::string& cell, bool bidirectional,
                                int64_t layers) {
    EncoderOptions o;
    o.cell = Named<Cell>(cell);
    o.inputs = kIn;
    o.units = H;
    o.layers = layers;
    o.bidirectional = bidirectional;
    o.input_init = kRandom;
    o.recurrent_init = kRandom;
    return o;
  }

  EncoderResult operator()(const Tensor& x,
                           const std::vector<int32_t>& n) const {
    return encoder({}, x, Lengths(n));
  }

  ParameterSet set;
  RecurrentEncoder encoder;
};

/// Row b without padding: [length, 1, ·].
Tensor Alone(const Tensor& x, int64_t b, int64_t length) {
  Tensor row({length, 1, x.dim(2)}, x.dtype());
  for (int64_t s = 0; s < length; ++s) row[s][0].CopyFrom(x[s][b]);
  return row;
}

/// Row b of a state [B, H] or [N, B, H], as a state of one row.
Tensor RowOfState(const Tensor& state, int64_t b) {
  if (state.rank() == 2) return state.Slice(b, b + 1);
  Tensor row({state.dim(0), 1, state.dim(2)}, state.dtype());
  for (int64_t part = 0; part < state.dim(0); ++part)
    row[part][0].CopyFrom(state[part][b]);
  return row;
}

class EveryCell : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryCell, testing::ValuesIn(CellNames()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryCell, ABatchEqualsItsRowsAloneWithoutPadding) {
  for (const bool bidirectional : {false, true}) {
    const Encoder encoder(GetParam(), bidirectional);
    const Tensor x = RandomTensor({S, B, kIn}, 1);
    const EncoderResult batch = encoder(x, kLengths);
    ASSERT_EQ(batch.outputs.dim(2), bidirectional ? 2 * H : H);
    ASSERT_EQ(batch.states.size(), 2U);
    ASSERT_EQ(batch.backward_states.size(), bidirectional ? 2U : 0U);
    for (int64_t b = 0; b < B; ++b) {
      const int32_t n = At(kLengths, b);
      const EncoderResult row = encoder(Alone(x, b, n), {n});
      EXPECT_LT(MaxDifference(row.outputs.value(),
                              Alone(batch.outputs.value(), b, n)),
                1e-15);
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_LT(MaxDifference(row.states[i].value(),
                                RowOfState(batch.states[i].value(), b)),
                  1e-15);
        if (!bidirectional) continue;
        EXPECT_LT(
            MaxDifference(row.backward_states[i].value(),
                          RowOfState(batch.backward_states[i].value(), b)),
            1e-15);
      }
    }
  }
}

TEST_P(EveryCell, PaddingNeverChangesRealPositions) {
  const Encoder encoder(GetParam());
  Tensor x = RandomTensor({S, B, kIn}, 1);
  const EncoderResult before = encoder(x, kLengths);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = At(kLengths, b); s < S; ++s) x[s][b].Fill(99);
  }
  const EncoderResult after = encoder(x, kLengths);
  for (int64_t b = 0; b < B; ++b) {
    const int32_t n = At(kLengths, b);
    EXPECT_EQ(MaxDifference(Alone(after.outputs.value(), b, n),
                            Alone(before.outputs.value(), b, n)),
              0);
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(MaxDifference(after.states[i].value(), before.states[i].value()),
              0);
    EXPECT_EQ(MaxDifference(after.backward_states[i].value(),
                            before.backward_states[i].value()),
              0);
  }
}

/// With equal weights in both directions, the backward half of a sequence is
/// the forward half of the reversed sequence.
TEST_P(EveryCell, TheBackwardDirectionReadsEachRowReversedByItsLength) {
  Encoder encoder(GetParam(), true, 1);
  for (const auto& parameter : encoder.set.all()) {
    std::string name = parameter->name();
    const size_t at = name.find("backward");
    if (at == std::string::npos) continue;
    name.replace(at, 8, "forward");
    parameter->mutable_value().CopyFrom(encoder.set.Find(name)->value());
    parameter->Changed();
  }
  const Tensor x = RandomTensor({S, B, kIn}, 1);
  const Tensor lengths = Lengths(kLengths);
  const EncoderResult a = encoder(x, kLengths);
  const EncoderResult b =
      encoder(kernels::ReverseByLength(x, lengths), kLengths);
  const Tensor reversed = kernels::ReverseByLength(b.outputs.value(), lengths);
  for (int64_t row = 0; row < B; ++row) {
    const int32_t n = At(kLengths, row);
    EXPECT_LT(MaxDifference(
                  Alone(a.outputs.value().Columns(H, 2 * H).Clone(), row, n),
                  Alone(reversed.Columns(0, H).Clone(), row, n)),
              1e-15);
  }
  EXPECT_LT(MaxDifference(a.backward_states[0].value(), b.states[0].value()),
            1e-15);
}

TEST_P(EveryCell, TheBackwardStateIsTheOutputAtTheFirstWord) {
  const Encoder encoder(GetParam());
  const EncoderResult result = encoder(RandomTensor({S, B, kIn}, 1), kLengths);
  EXPECT_EQ(
      MaxDifference(Recurrent::Hidden(result.backward_states.back()).value(),
                    result.outputs.value()[0].Columns(H, 2 * H).Clone()),
      0);
}

TEST_P(EveryCell, AddsUpItsInputsProjections) {
  ParameterSet set(5, DType::kF64, kernels::Precision::kNative);
  const Recurrent cell(
      Scope(set, "cell"),
      {Named<Cell>(GetParam()), {kIn, 3}, H, kRandom, kRandom});
  const Tensor x = RandomTensor({1, B, kIn}, 1);
  const Tensor y = RandomTensor({1, B, 3}, 2);
  const Var sum = cell.AddProjection({}, cell.Project({}, x), y, 1);
  const auto weight = [&](const char* name) {
    return set.Find(std::string("cell.input.") + name + ".weight")->value();
  };
  kernels::ExpectEach(sum.value(), 0, [&](int64_t r, int64_t c) {
    double value = set.Find("cell.bias")->value().data<double>()[c];
    for (int64_t k = 0; k < kIn; ++k) {
      value += kernels::At(x, r, k) * kernels::At(weight("0"), k, c);
    }
    for (int64_t k = 0; k < 3; ++k) {
      value += kernels::At(y, r, k) * kernels::At(weight("1"), k, c);
    }
    return value;
  });
}

TEST_P(EveryCell, StartsFromZeros) {
  ParameterSet set(5, DType::kF64, kernels::Precision::kNative);
  const Recurrent cell(Scope(set, "cell"),
                       {Named<Cell>(GetParam()), {kIn}, H, kRandom, kRandom});
  const Var state = cell.InitialState(B, DType::kF64);
  EXPECT_EQ(Recurrent::Hidden(state).shape(), (Shape{B, H}));
  for (const double x : state.value().ToVector<double>()) EXPECT_EQ(x, 0);
}

/// A state persists if its gates are open to the state and closed to inputs.
TEST_P(EveryCell, KeepsItsStateWhereTheBiasSaysSo) {
  if (GetParam() == "rnn") GTEST_SKIP() << "has no gates";
  const auto kept = [](double forget_gate_bias) {
    ParameterSet set(5, DType::kF64, kernels::Precision::kNative);
    const Recurrent cell(Scope(set, "cell"), {Named<Cell>(GetParam()),
                                              {kIn},
                                              H,
                                              kRandom,
                                              kRandom,
                                              forget_gate_bias});
    for (const auto& parameter : set.all()) {
      if (parameter->value().rank() == 2) parameter->mutable_value().Fill(0);
      parameter->Changed();
    }
    // Effect of the gates alone: how much does the last state vector decay?
    Tensor state = Tensor::Full(cell.InitialState(1, DType::kF64).shape(), 0.5,
                                DType::kF64);
    const Var next =
        cell.Forward({},
                     cell.Project({}, Tensor::Zeros({1, 1, kIn}, DType::kF64)),
                     state, {})
            .state;
    return next.value().ToVector<double>().back() / 0.5;
  };
  EXPECT_NEAR(kept(0), 0.5, 1e-12);
  EXPECT_NEAR(kept(2), 1 / (1 + std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(kept(-1), 1 / (1 + std::exp(1.0)), 1e-12);
}

TEST_P(EveryCell, EncoderParametersHaveTheGradientOfDifferences) {
  const Encoder encoder(GetParam());
  std::vector<Parameter*> parameters;
  for (const auto& parameter : encoder.set.all())
    parameters.push_back(parameter.get());
  const Tensor x = RandomTensor({S, B, kIn}, 1);
  const Tensor w = RandomTensor({S, B, 2 * H}, 2);
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var y = encoder.encoder(ctx, x, Lengths(kLengths)).outputs;
    return Record("weighted",
                  Tensor::Full({}, kernels::Dot(y.value(), w), DType::kF64),
                  {y}, [&](const Tensor&, Grads& g) { g.Add(0, w); });
  };
  const GradientCheckResult result =
      CheckParameterGradient(loss, parameters, 6);
  EXPECT_LT(result.worst, 1e-6) << result.where;
}

TEST(RecurrentEncoder, ALongSequenceCanBeCancelledAndIsTheSameInParts) {
  constexpr int64_t kLong = 1500;
  const Tensor x = RandomTensor({kLong, B, kIn}, 3);
  const Tensor lengths = Lengths({1500, 40, 256});
  for (const char* cell : {"rnn", "lstm", "nested_lstm", "gru"}) {
    SCOPED_TRACE(cell);
    const Encoder encoder(cell);
    const EncoderResult whole = encoder.encoder({}, x, lengths);
    const CountedCancellation never;
    Context ctx;
    ctx.cancellation = &never;
    const EncoderResult parts = encoder.encoder(ctx, x, lengths);
    EXPECT_GE(never.checks(), 2 * 2 * 12) << "layers, directions, parts";
    EXPECT_EQ(MaxDifference(parts.outputs.value(), whole.outputs.value()), 0);
    for (size_t i = 0; i < whole.states.size(); ++i) {
      EXPECT_EQ(MaxDifference(parts.states[i].value(), whole.states[i].value()),
                0);
    }
    const CountedCancellation soon(5);
    ctx.cancellation = &soon;
    EXPECT_THROW(encoder.encoder(ctx, x, lengths), Cancelled);
    EXPECT_EQ(soon.checks(), 5);
  }
}

TEST(RecurrentEncoder, ALongSequenceHasTheSameGradientInParts) {
  constexpr int64_t kLong = 1500;
  const Tensor lengths = Lengths({1500, 40, 256});
  const Tensor w = RandomTensor({kLong, B, 2 * H}, 4);
  for (const char* cell : {"rnn", "lstm", "nested_lstm", "gru"}) {
    SCOPED_TRACE(cell);
    const Encoder encoder(cell);
    const auto gradient = [&](const Cancellation* cancellation) {
      Tape tape;
      Context ctx;
      ctx.tape = &tape;
      ctx.cancellation = cancellation;
      ctx.fixed_parameters = true;
      const Var x = tape.Leaf(RandomTensor({kLong, B, kIn}, 3));
      const Var y = encoder.encoder(ctx, x, lengths).outputs;
      tape.Backward(y, w, cancellation);
      return tape.Gradient(x);
    };
    const CountedCancellation never;
    const Tensor parts = gradient(&never);
    EXPECT_GE(never.checks(), 2 * 2 * 12 * 2) << "there and back";
    EXPECT_LT(MaxDifference(parts, gradient(nullptr)), 1e-12);
  }
}

TEST(SequenceDropout, VariationalUsesOneMaskForAllSteps) {
  Rng rng(1);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  const Tensor ones = Tensor::Full({S, B, 50}, 1);
  const Tensor variational = SequenceDropout(ctx, ones, 0.5, true).value();
  const Tensor fresh = SequenceDropout(ctx, ones, 0.5, false).value();
  for (int64_t s = 1; s < S; ++s) {
    EXPECT_EQ(MaxDifference(variational[s], variational[0]), 0);
    EXPECT_GT(MaxDifference(fresh[s], fresh[0]), 1);
  }
  EXPECT_GT(MaxDifference(variational[0][0], variational[0][1]), 1)
      << "rows share a mask";
}

TEST(SequenceDropout, DoesNothingUnlessTraining) {
  const Tensor x = RandomTensor({S, B, 4}, 1);
  EXPECT_TRUE(SequenceDropout({}, x, 0.5, true).value().Aliases(x));
  EXPECT_TRUE(SequenceDropout({}, x, 0.5, false).value().Aliases(x));
}

}  // namespace
}  // namespace heed::recurrent_test
