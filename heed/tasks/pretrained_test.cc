#include "heed/tasks/pretrained.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/decoder.h"
#include "heed/models/preset.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int kTokens = 9;
constexpr int64_t B = 2;
constexpr int64_t S = 4;

/// B texts of up to S tokens: [B, S], and the transpose [S, B].
const std::vector<int32_t> kByText = {5, 7, 6, 8, 4, 5, 0, 0};
const std::vector<int32_t> kByStep = {5, 4, 7, 5, 6, 0, 8, 0};

TextInput Texts() {
  return {Tensor::Of(kByText, {B, S}),
          Tensor::Of(std::vector<int32_t>{4, 2}, {B})};
}

Vocabulary AnyVocabulary() {
  TextVocabularyConfig config;
  config.vocabulary = "words";
  return config.Learn({"a b c"});
}

/// Encoder states of the texts, from the extracted encoder alone.
template <typename Role>
Tensor StatesOfPart(const Role& settings, const ParameterSet& whole) {
  const auto start = EncoderOf(settings, {}, AnyVocabulary(), whole);
  start->folder = "folder";
  EXPECT_FALSE(start->pooler);
  ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
  const auto encoder = start->model->MakeText(Scope(parameters, "encoder"),
                                              {.vocabulary = kTokens});
  CopyPretrained(*start, parameters);
  return (*encoder)({}, Texts()).value();
}

struct Part {
  std::string name;
  std::string preset;
};

class OfATranslator : public testing::TestWithParam<Part> {};
INSTANTIATE_TEST_SUITE_P(
    Pretrained, OfATranslator,
    testing::Values(
        Part{"bahdanau", "embedding=6 units=8 encoder_units=4 layers=2"},
        Part{"luong", "embedding=8 units=8 reverse_source=no"},
        Part{"transformer", "layers=2 width=8 ff=12 heads=2"},
        Part{"transformer", "layers=2 width=8 ff=12 heads=2 tie=all"}),
    [](const auto& info) {
      return info.param.name + std::to_string(info.index);
    });

TEST_P(OfATranslator, TheEncoderReadsAsItDidThere) {
  ModelChoice<TranslatorSettings> model;
  model.Choose(GetParam().name);
  SetPreset(FieldsOf(*model), GetParam().preset + " dropout=0");
  model->Fill();
  const auto translator = model->Make(kTokens, kTokens, 5, DType::kF32);
  Inputs inputs;
  inputs.kind = Inputs::Kind::kIds;
  inputs.ids = Tensor::Of(kByStep, {S, B});
  inputs.lengths = Texts().lengths;
  const Tensor there = translator->Encode({}, inputs).vectors.value();
  const Tensor here = StatesOfPart(*model, translator->parameters());
  ASSERT_EQ(here.shape(), there.shape());
  for (int64_t b = 0; b < B; ++b) {
    const int32_t n = Texts().lengths.data<int32_t>()[b];
    EXPECT_LT(MaxDifference(here[b].Slice(0, n), there[b].Slice(0, n)), 1e-6);
  }
}

class OfALanguageModel : public testing::TestWithParam<Part> {};
INSTANTIATE_TEST_SUITE_P(Pretrained, OfALanguageModel,
                         testing::Values(Part{"rnn", "embedding=6 units=8"},
                                         Part{"transformer",
                                              "layers=2 width=8 ff=12 heads=2"},
                                         Part{"transformer",
                                              "layers=2 width=8 ff=12 heads=2 "
                                              "attention_mask=window(2)"}),
                         [](const auto& info) {
                           return info.param.name + std::to_string(info.index);
                         });

TEST_P(OfALanguageModel, TheEncoderSeesWhatCameBeforeAlone) {
  ModelChoice<LanguageModelSettings> model;
  model.Choose(GetParam().name);
  std::string preset = GetParam().preset;
  SetPreset(FieldsOf(*model), preset + " dropout=0");
  model->Fill(16);
  const auto writer = model->Make(kTokens, 5, DType::kF32);
  const Tensor here = StatesOfPart(*model, writer->parameters());
  if (GetParam().name == "transformer") {
    DecoderState state(B);
    const Tensor there =
        TransposeLeading(
            writer->Features({}, Tensor::Of(kByStep, {S, B}), state))
            .value();
    EXPECT_LT(MaxDifference(here[0], there[0]), 1e-6);
    EXPECT_LT(MaxDifference(here[1].Slice(0, 2), there[1].Slice(0, 2)), 1e-6);
  }
  EXPECT_EQ(here.dim(1), S);
}

TEST(Pretrained, AnEncoderThatReadsBackwardsIsRefused) {
  ModelChoice<TranslatorSettings> model;
  model.Choose("luong");
  model->Fill();
  const std::string message =
      MessageOf<ConfigError>([&] { static_cast<void>(model->Encoder()); });
  EXPECT_NE(message.find("--reverse-source no"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed
