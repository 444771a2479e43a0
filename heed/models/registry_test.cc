#include "heed/models/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/autograd/testing.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent/rnn_config.h"

namespace heed::registry_test {
namespace {

bool HasKey(ModelSettings& settings, const std::string& key) {
  return FindField(FieldsOf(settings), key) != nullptr;
}

TEST(Registry, EveryNameStandsOnce) {
  std::set<std::string> names;
  for (const ModelRow& row : Models()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.roles.empty()) << row.name;
    EXPECT_FALSE(row.variants.empty()) << row.name;
    EXPECT_EQ(&FindModel(row.name), &row);
  }
}

TEST(Registry, ErrorsListTheModelsOfTheRole) {
  ModelChoice<PretrainingSettings> model;
  EXPECT_EQ(MessageOf<ConfigError>([&] { model.Choose("bert-tyni"); }),
            "model: 'bert-tyni' is no encoder that is pre-trained, did you "
            "mean 'bert-tiny'? (valid: bert-tiny, bert-mini, bert-small, "
            "bert-base)");
  EXPECT_EQ(model.name(), "bert-tiny") << "the choice stays";
}

TEST(Registry, HasAUsualModelForEachRole) {
  EXPECT_EQ(ModelChoice<TranslatorSettings>().name(), "bahdanau");
  EXPECT_EQ(ModelChoice<LanguageModelSettings>().name(), "rnn");
  EXPECT_EQ(ModelChoice<EncoderSettings>().name(), "rnn");
  EXPECT_EQ(ModelChoice<PretrainingSettings>().name(), "bert-tiny");
  EXPECT_EQ(ModelChoice<ForecastSettings>().name(), "patchtst-linear");
}

TEST(ModelChoice, ShowsTheSettingsOfItsModelAlone) {
  ModelChoice<EncoderSettings> encoder;
  EXPECT_TRUE(HasKey(*encoder, "cell"));
  EXPECT_FALSE(HasKey(*encoder, "ff"));
  encoder.Choose("transformer");
  EXPECT_TRUE(HasKey(*encoder, "ff"));
  EXPECT_FALSE(HasKey(*encoder, "cell"));
  EXPECT_THROW(encoder.As<RnnConfig>(), ConfigError);
}

TEST(ModelChoice, DefaultsAreThoseOfModelsThatHaveThemAll) {
  ModelChoice<EncoderSettings> encoder("cell=gru dropout=0.25");
  EXPECT_EQ(encoder.As<RnnConfig>().cell, "gru");
  EXPECT_EQ(encoder.As<RnnConfig>().dropout, 0.25);
  encoder.Choose("transformer");
  EXPECT_EQ(encoder.As<TransformerConfig>().dropout, -1) << "has no cell";
}

TEST(ModelChoice, IsAValue) {
  ModelChoice<EncoderSettings> one;
  one.As<RnnConfig>().units = 7;
  ModelChoice<EncoderSettings> other = one;
  other.As<RnnConfig>().units = 8;
  EXPECT_EQ(one.As<RnnConfig>().units, 7);
  other = one;
  EXPECT_EQ(other.As<RnnConfig>().units, 7);
  other.Choose("rnn");
  EXPECT_EQ(other.As<RnnConfig>().units, 7) << "the same model stays as it is";
}

TEST(ModelChoice, WidensToARoleThatItsModelsHaveToo) {
  ModelChoice<PretrainingSettings> bert;
  bert.As<TransformerConfig>().width = 24;
  const ModelChoice<EncoderSettings> encoder(bert);
  EXPECT_EQ(encoder.name(), "bert-tiny");
  EXPECT_EQ(encoder.As<TransformerConfig>().width, 24);
}

TEST(Encoders, HaveNoSettingOfADecoder) {
  for (const std::string& name : ModelNames<EncoderSettings>()) {
    ModelChoice<EncoderSettings> encoder;
    encoder.Choose(name);
    EXPECT_TRUE(HasKey(*encoder, "layers"));
    for (const char* key : {"decoder_layers", "tie", "output_bias"}) {
      EXPECT_FALSE(HasKey(*encoder, key)) << name << " " << key;
    }
  }
}

TEST(Encoders, ReadVectors) {
  for (const std::string& name : ModelNames<EncoderSettings>()) {
    for (const bool causal : {false, true}) {
      ModelChoice<EncoderSettings> config;
      config.Choose(name);
      SetPresetIfKnown(FieldsOf(*config), "units=8");
      SetPresetIfKnown(FieldsOf(*config), "layers=1 width=8 heads=2 ff=12");
      config->Fill({.causal = causal});
      EXPECT_EQ(config->features(), 8);
      ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
      const auto encoder =
          config->Make(Scope(parameters, "encoder"), 5, causal);
      Tensor x = RandomTensor({1, 4, 5}, 2);
      const Tensor lengths = Lengths({4});
      const Tensor before = (*encoder)({}, x, lengths).value();
      EXPECT_EQ(before.shape(), Shape({1, 4, encoder->output_size()}));
      x.row<double>(3)[0] += 1;
      const Tensor after = (*encoder)({}, x, lengths).value();
      // Step 0 depends on step 3 unless the encoder is causal.
      const double change = MaxDifference(before[0].Slice(0, 1).Contiguous(),
                                          after[0].Slice(0, 1).Contiguous());
      EXPECT_EQ(change == 0, causal) << name;
    }
  }
}

TEST(Preset, TheFirstValueOfWhatIsOpenCounts) {
  TransformerConfig config;
  config.heads = 3;
  FillPreset(FieldsOf(config), "layers=2 heads=5 dropout=0 layers=7");
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 3);
  EXPECT_EQ(config.dropout, 0);
  EXPECT_THROW(FillPreset(FieldsOf(config), "leyers=2"), ConfigError);
}

}  // namespace
}  // namespace heed::registry_test
