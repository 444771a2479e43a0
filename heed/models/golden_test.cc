// Comparison of models with an independent implementation: see
// tests/golden/make_golden.py.
#include <gtest/gtest.h>

#include "heed/models/model_testing.h"
#include "heed/models/recurrent/encoder_decoder.h"

namespace heed::golden_test {
namespace {

constexpr double kTolerance = 1e-10;

EncoderDecoder MakeModel(const NamedVariant& info) {
  RecurrentConfig config;
  config.model = info.model;
  config.variant = info.variant;
  config.embedding = 6;
  config.units = 8;
  config.dropout = 0;
  return EncoderDecoder(config.Resolve(), 11, 11, 1, DType::kF64);
}

class Golden : public testing::TestWithParam<NamedVariant> {
 protected:
  Golden()
      : golden_(GetParam().model + "_" + GetParam().variant),
        model_(MakeModel(GetParam())) {
    golden_.SetParameters(model_.parameters());
  }

  GoldenTensors golden_;
  EncoderDecoder model_;
};

INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(RecurrentVariants()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(Golden, HasTheSameParameters) {
  golden_.ExpectSameParameters(model_.parameters());
}

TEST_P(Golden, LogitsLossAndGradientsAreThoseOfPyTorch) {
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  EXPECT_LT(MaxDifference(
                model_
                    .Logits({}, {golden_.at("source"), golden_.at("lengths")},
                            golden_.at("target_in"))
                    .value(),
                golden_.at("logits")),
            kTolerance);

  constexpr double kTokens = 10;
  CrossEntropyOptions options;
  options.scale = 1 / kTokens;
  const CrossEntropyLoss loss =
      model_.Loss(ctx, {golden_.at("source"), golden_.at("lengths")},
                  golden_.at("target_in"), golden_.at("targets"), options);
  EXPECT_EQ(loss.tokens, kTokens);
  EXPECT_NEAR(loss.loss.value().item(), golden_.at("loss").item(), kTolerance);

  tape.Backward(loss.loss);
  golden_.ExpectGradients(model_.parameters(), kTolerance);
}

}  // namespace
}  // namespace heed::golden_test
