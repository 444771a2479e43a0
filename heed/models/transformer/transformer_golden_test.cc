// Comparison of Transformers with PyTorch: see
// tests/golden/transformer_golden.py.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "heed/models/transformer/transformer_testing.h"

namespace heed::transformer_golden_test {
namespace {

constexpr double kTolerance = 1e-10;
constexpr double kTokens = 10;
constexpr int kWords = 11;

struct Reference {
  const char* name;
  const char* norm;
  const char* activation;
  const char* tie;
};

ResolvedTransformer ConfigOf(const Reference& reference) {
  TransformerConfig config = SmallTransformer();
  config.norm = reference.norm;
  config.activation = reference.activation;
  config.tie = reference.tie;
  return Resolved(config);
}

class TransformerGolden : public testing::TestWithParam<Reference> {
 protected:
  TransformerGolden()
      : golden_(std::string("transformer_") + GetParam().name),
        model_(ConfigOf(GetParam()), kWords, kWords, 1, DType::kF64) {
    golden_.SetParameters(model_.parameters());
  }

  Var Logits(Tape& tape) const {
    Context ctx;
    ctx.tape = &tape;
    return model_.Logits(ctx, {golden_.at("source"), golden_.at("lengths")},
                         golden_.at("target_in"));
  }
  CrossEntropyLoss Loss(Var logits) const {
    CrossEntropyOptions options;
    options.scale = 1 / kTokens;
    return CrossEntropy(std::move(logits), golden_.at("targets"), options);
  }

  GoldenTensors golden_;
  Transformer model_;
};

INSTANTIATE_TEST_SUITE_P(
    Models, TransformerGolden,
    testing::Values(Reference{"post_relu", "post", "relu", "none"},
                    Reference{"pre_gelu", "pre", "gelu", "all"}),
    [](const auto& info) { return info.param.name; });

TEST_P(TransformerGolden, HasAsManyParameters) {
  golden_.ExpectSameParameters(model_.parameters());
}

TEST_P(TransformerGolden, LogitsLossAndGradientsAreThoseOfPyTorch) {
  Tape tape;
  Var logits = Logits(tape);
  EXPECT_LT(MaxDifference(logits.value(), golden_.at("logits")), kTolerance);
  const CrossEntropyLoss loss = Loss(std::move(logits));
  EXPECT_EQ(loss.tokens, kTokens);
  EXPECT_NEAR(loss.loss.value().item(), golden_.at("loss").item(), kTolerance);
  tape.Backward(loss.loss);
  golden_.ExpectGradients(model_.parameters(), kTolerance);
}

TEST_P(TransformerGolden, TenStepsOfTrainingAreThoseOfPyTorch) {
  Adam adam(model_.parameters());
  Tape tape;
  for (const double expected : golden_.at("losses").ToVector<double>()) {
    tape.Clear();
    const CrossEntropyLoss loss = Loss(Logits(tape));
    EXPECT_NEAR(loss.loss.value().item(), expected, 1e-8);
    tape.Backward(loss.loss);
    adam.Step(0.01);
  }
  golden_.ExpectTrained(model_.parameters(), 1e-7);
}

}  // namespace
}  // namespace heed::transformer_golden_test
