#include "heed/models/encoder_config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/autograd/testing.h"

namespace heed {
namespace {

bool HasKey(EncoderConfig& config, const std::string& key) {
  const std::vector<Field> fields = FieldsOf(config);
  return std::any_of(fields.begin(), fields.end(),
                     [&key](const Field& field) { return field.key == key; });
}

TEST(EncoderConfig, ShowsTheSettingsOfItsModelAlone) {
  EncoderConfig config;
  config.model = "rnn";
  EXPECT_TRUE(HasKey(config, "cell"));
  EXPECT_FALSE(HasKey(config, "ff"));
  config.model = "transformer";
  EXPECT_TRUE(HasKey(config, "ff"));
  EXPECT_FALSE(HasKey(config, "cell"));
}

TEST(EncoderConfig, HasNoSettingOfADecoder) {
  for (const std::string& name : EncoderConfig::Names()) {
    EncoderConfig config;
    config.model = name;
    EXPECT_TRUE(HasKey(config, "layers"));
    for (const char* key : {"decoder_layers", "tie", "output_bias"}) {
      EXPECT_FALSE(HasKey(config, key)) << name << " " << key;
    }
  }
}

TEST(EncoderConfig, EveryModelReadsVectors) {
  for (const std::string& name : EncoderConfig::Names()) {
    if (name == "transformer-base" || name == "transformer-big") continue;
    for (const bool causal : {false, true}) {
      EncoderConfig config;
      config.model = name;
      config.rnn.units = config.transformer.width = 8;
      config.transformer.layers = 1;
      config.transformer.heads = 2;
      config.Resolve(causal);
      EXPECT_EQ(config.features(), 8);
      ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
      const auto encoder = config.Make(Scope(parameters, "encoder"), 5, causal);
      Tensor x = RandomTensor({1, 4, 5}, 2);
      const Tensor lengths = Lengths({4});
      const Tensor before = (*encoder)({}, x, lengths).value();
      EXPECT_EQ(before.shape(), Shape({1, 4, encoder->output_size()}));
      x.row<double>(3)[0] += 1;
      const Tensor after = (*encoder)({}, x, lengths).value();
      // Step 0 knows of step 3 unless the encoder is causal.
      const double change = MaxDifference(before[0].Slice(0, 1).Contiguous(),
                                          after[0].Slice(0, 1).Contiguous());
      EXPECT_EQ(change == 0, causal) << name;
    }
  }
}

}  // namespace
}  // namespace heed
