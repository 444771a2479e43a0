// Models against an independent implementation: see
// tests/golden/make_golden.py.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "heed/autograd/testing.h"
#include "heed/io/safetensors.h"
#include "heed/models/encoder_decoder.h"
#include "heed/ops/loss.h"

namespace heed {

void PrintTo(const ModelInfo& info, std::ostream* out) {
  *out << info.model << " " << info.variant;
}

namespace {

constexpr double kTolerance = 1e-10;
constexpr char kParameter[] = "parameter.";

/// The tensors of a golden file by name.
std::map<std::string, Tensor> ReadGolden(const ModelInfo& info) {
  std::map<std::string, Tensor> tensors;
  const SafetensorsFile file =
      ReadSafetensors(std::string(HEED_GOLDEN_DIR) + "/" + info.model + "_" +
                      info.variant + ".safetensors");
  for (const NamedTensor& tensor : file.tensors)
    tensors[tensor.name] = tensor.value;
  return tensors;
}

EncoderDecoder MakeModel(const ModelInfo& info) {
  RecurrentConfig config;
  config.model = info.model;
  config.variant = info.variant;
  config.embedding = 6;
  config.units = 8;
  config.dropout = 0;
  config.Resolve();
  return EncoderDecoder(config, 11, 11, 1, DType::kF64);
}

class Golden : public testing::TestWithParam<ModelInfo> {
 protected:
  Golden() : golden_(ReadGolden(GetParam())), model_(MakeModel(GetParam())) {
    for (const auto& parameter : model_.parameters().all()) {
      parameter->mutable_value() = golden_.at(kParameter + parameter->name());
      parameter->Changed();
    }
  }

  std::map<std::string, Tensor> golden_;
  EncoderDecoder model_;
};

INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(RecurrentModels()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(Golden, HasTheSameParameters) {
  size_t count = 0;
  for (const auto& [name, tensor] : golden_) {
    if (name.rfind(kParameter, 0) != 0) continue;
    ++count;
    const Parameter* parameter =
        model_.parameters().Find(name.substr(sizeof(kParameter) - 1));
    ASSERT_NE(parameter, nullptr) << name;
    EXPECT_EQ(MakeModel(GetParam())
                  .parameters()
                  .Find(parameter->name())
                  ->value()
                  .shape(),
              tensor.shape())
        << name;
  }
  EXPECT_EQ(count, model_.parameters().all().size());
}

TEST_P(Golden, LogitsLossAndGradientsAreThoseOfPyTorch) {
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  Var logits = model_.Logits(ctx, golden_.at("source"), golden_.at("lengths"),
                             golden_.at("target_in"));
  EXPECT_LT(MaxDifference(logits.value(), golden_.at("logits")), kTolerance);

  constexpr double kTokens = 10;
  CrossEntropyOptions options;
  options.scale = 1 / kTokens;
  const CrossEntropyLoss loss =
      CrossEntropy(std::move(logits), golden_.at("targets"), options);
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

}  // namespace
}  // namespace heed
