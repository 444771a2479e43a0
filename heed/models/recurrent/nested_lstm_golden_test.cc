// Comparison of Nested LSTMs with an independent implementation: see
// tests/golden/make_golden_nested_lstm.py.
#include <gtest/gtest.h>

#include "heed/models/model_testing.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/elementwise.h"

namespace heed::nested_lstm_golden_test {
namespace {

constexpr double kTolerance = 1e-12;

TEST(NestedLstmGolden, OutputsStatesAndGradientsAreThoseOfPyTorch) {
  const GoldenTensors golden("nested_lstm");
  EncoderOptions options;
  options.cell = Cell::kNestedLstm;
  options.inputs = 4;
  options.units = 5;
  options.layers = 2;
  options.bidirectional = false;
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const RecurrentEncoder encoder(Scope(set, "encoder"), options);
  golden.ExpectSameParameters(set);
  golden.SetParameters(set);

  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var x = tape.Leaf(golden.at("x"));
  const Tensor& lengths = golden.at("lengths");
  const EncoderResult result = encoder(ctx, x, lengths);
  const Tensor& outputs = golden.at("outputs");
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t s = 0; s < lengths.data<int32_t>()[b]; ++s) {
      EXPECT_LT(MaxDifference(result.outputs.value()[s][b], outputs[s][b]),
                kTolerance);
    }
  }
  for (size_t layer = 0; layer < 2; ++layer) {
    EXPECT_LT(MaxDifference(result.states[layer].value(),
                            golden.at("states")[static_cast<int64_t>(layer)]),
              kTolerance);
  }

  // Padding is ignored.
  Tensor weight = golden.at("weight").Clone();
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t s = lengths.data<int32_t>()[b]; s < weight.dim(0); ++s) {
      weight[s][b].Fill(0);
    }
  }
  tape.Backward(Sum(Mul(result.outputs, weight)));
  golden.ExpectGradients(set, kTolerance);
  EXPECT_LT(MaxDifference(tape.Gradient(x), golden.at("gradient_of_x")),
            kTolerance);
}

}  // namespace
}  // namespace heed::nested_lstm_golden_test
