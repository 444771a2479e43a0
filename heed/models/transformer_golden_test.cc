// Transformers against PyTorch: see tests/golden/transformer_golden.py.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "heed/io/safetensors.h"
#include "heed/models/transformer_testing.h"
#include "heed/ops/loss.h"

namespace heed {
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

std::map<std::string, Tensor> ReadGolden(const Reference& reference) {
  std::map<std::string, Tensor> tensors;
  const SafetensorsFile file =
      ReadSafetensors(std::string(HEED_GOLDEN_DIR) + "/transformer_" +
                      reference.name + ".safetensors");
  for (const NamedTensor& tensor : file.tensors)
    tensors[tensor.name] = tensor.value;
  return tensors;
}

TransformerConfig ConfigOf(const Reference& reference) {
  TransformerConfig config = SmallTransformer();
  config.norm = reference.norm;
  config.activation = reference.activation;
  config.tie = reference.tie;
  return Resolved(config);
}

class TransformerGolden : public testing::TestWithParam<Reference> {
 protected:
  TransformerGolden()
      : golden_(ReadGolden(GetParam())),
        model_(ConfigOf(GetParam()), kWords, kWords, 1, DType::kF64) {
    for (const auto& parameter : model_.parameters().all()) {
      parameter->mutable_value().CopyFrom(
          golden_.at("parameter." + parameter->name()));
      parameter->Changed();
    }
  }

  Var Logits(Tape& tape) const {
    Context ctx;
    ctx.tape = &tape;
    return model_.Logits(ctx, golden_.at("source"), golden_.at("lengths"),
                         golden_.at("target_in"));
  }
  CrossEntropyLoss Loss(Var logits) const {
    CrossEntropyOptions options;
    options.scale = 1 / kTokens;
    return CrossEntropy(std::move(logits), golden_.at("targets"), options);
  }

  std::map<std::string, Tensor> golden_;
  Transformer model_;
};

INSTANTIATE_TEST_SUITE_P(
    Models, TransformerGolden,
    testing::Values(Reference{"post_relu", "post", "relu", "none"},
                    Reference{"pre_gelu", "pre", "gelu", "all"}),
    [](const auto& info) { return info.param.name; });

TEST_P(TransformerGolden, HasAsManyParameters) {
  size_t count = 0;
  for (const auto& [name, tensor] : golden_) {
    if (name.starts_with("parameter.")) ++count;
  }
  EXPECT_EQ(count, model_.parameters().all().size());
}

TEST_P(TransformerGolden, LogitsLossAndGradientsAreThoseOfPyTorch) {
  Tape tape;
  Var logits = Logits(tape);
  EXPECT_LT(MaxDifference(logits.value(), golden_.at("logits")), kTolerance);
  const CrossEntropyLoss loss = Loss(std::move(logits));
  EXPECT_EQ(loss.tokens, kTokens);
  EXPECT_NEAR(loss.loss.value().item(), golden_.at("loss").item(), kTolerance);
  tape.Backward(loss.loss);
  for (const auto& parameter : model_.parameters().all()) {
    EXPECT_LT(MaxDifference(parameter->gradient(),
                            golden_.at("gradient." + parameter->name())),
              kTolerance)
        << parameter->name();
  }
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
  for (const auto& parameter : model_.parameters().all()) {
    EXPECT_LT(MaxDifference(parameter->value(),
                            golden_.at("trained." + parameter->name())),
              1e-7)
        << parameter->name();
  }
}

}  // namespace
}  // namespace heed
