#include "heed/models/transformer/transformer_config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "heed/base/errors.h"
#include "heed/models/registry.h"

namespace heed::transformer_config_test {
namespace {

TransformerConfig Filled(const std::string& model) {
  TransformerConfig config;
  config.Fill(model);
  return config;
}

/// Checks that a change of the defaults makes Resolve throw a ConfigError that
/// contains `part`.
template <typename Change>
void ExpectConfigError(const Change& change, const std::string& part) {
  TransformerConfig config;
  change(config);
  try {
    config.Resolve("transformer-tiny");
    ADD_FAILURE() << "no error about " << part;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

TEST(TransformerConfig, ResolvesToTheNamedSizes) {
  const TransformerConfig tiny = Filled("transformer-tiny");
  EXPECT_EQ(tiny.layers, 4);
  EXPECT_EQ(tiny.decoder_layers, 4);
  EXPECT_EQ(tiny.width, 128);
  EXPECT_EQ(tiny.ff, 256);
  EXPECT_EQ(tiny.heads, 4);
  EXPECT_EQ(tiny.key_heads, 4);
  const TransformerConfig base = Filled("transformer-base");
  EXPECT_EQ(base.layers, 6);
  EXPECT_EQ(base.width, 512);
  EXPECT_EQ(base.ff, 2048);
  EXPECT_EQ(base.heads, 8);
  EXPECT_EQ(base.dropout, 0.1);
  EXPECT_EQ(base.position, "sinusoidal");
  EXPECT_EQ(base.norm, "post");
  EXPECT_EQ(base.final_norm, "no");
  EXPECT_EQ(Filled("transformer-big").width, 1024);
  EXPECT_EQ(Filled("transformer-big").dropout, 0.3);
}

TEST(TransformerConfig, ResolvesToWhatBertDoes) {
  const TransformerConfig base = Filled("bert-base");
  EXPECT_EQ(base.layers, 12);
  EXPECT_EQ(base.width, 768);
  EXPECT_EQ(base.heads, 12);
  EXPECT_EQ(base.norm, "post");
  EXPECT_EQ(base.activation, "gelu");
  EXPECT_EQ(base.position, "learned");
  EXPECT_EQ(base.max_positions, 512);
  EXPECT_EQ(base.segments, 2);
  EXPECT_EQ(base.embedding_norm, "yes");
  EXPECT_EQ(base.embedding_scale, "no");
  EXPECT_EQ(base.epsilon, 1e-12);
  EXPECT_EQ(base.attention_dropout, 0.1);
  const ResolvedTransformer resolved = base.Resolve("bert-base");
  EXPECT_EQ(resolved.stack.init.kind, Init::Kind::kNormal);
  EXPECT_EQ(resolved.stack.init.scale, 0.02);
  EXPECT_EQ(Filled("bert-tiny").heads, 2);
}

TEST(TransformerConfig, SublayersOfStudentsStartSmall) {
  for (const auto& [name, scale] :
       {std::pair("student-tiny", 1 / std::sqrt(6.0)),
        std::pair("transformer-base", 1.0)}) {
    const TransformerOptions stack = Filled(name).Resolve(name).stack;
    EXPECT_EQ(stack.init.scale, 1) << name;
    EXPECT_EQ(stack.output_init.scale, scale) << name;
  }
}

TEST(TransformerConfig, EveryNamedModelResolvesOnceAndForAll) {
  for (const auto& models :
       {TransformerModels(), BertModels(), PatchModels()}) {
    for (const ModelRow& row : models) {
      const TransformerConfig once = Filled(row.name);
      TransformerConfig twice = once;
      twice.Fill(row.name);
      EXPECT_EQ(ToJson(once), ToJson(twice)) << row.name;
      Check(once);
    }
  }
}

TEST(TransformerConfig, KeepsWhatIsChosen) {
  TransformerConfig config;
  config.layers = 3;
  config.width = 96;
  config.heads = 6;
  config.key_heads = 2;
  config.norm = "post";
  config.dropout = 0;
  config.Fill("transformer-tiny");
  EXPECT_EQ(config.decoder_layers, 3);
  EXPECT_EQ(config.width, 96);
  EXPECT_EQ(config.key_heads, 2);
  EXPECT_EQ(config.final_norm, "no");
  EXPECT_EQ(config.dropout, 0);
}

TEST(TransformerConfig, RefusesWhatDoesNotFit) {
  using C = TransformerConfig;
  ExpectConfigError([](C& c) { c.heads = 3; }, "3 heads");
  ExpectConfigError([](C& c) { c.key_heads = 3; }, "divisor");
  ExpectConfigError([](C& c) { c.width = 3, c.heads = 1; }, "even width");
  ExpectConfigError([](C& c) { c.heads = 128, c.position = "rotary"; },
                    "a head has 1");
  for (const char* score : {"location_aware", "coverage"}) {
    ExpectConfigError([=](C& c) { c.score = score; }, "step");
  }
  ExpectConfigError([](C& c) { c.score = "learned_query"; }, "one look");
  ExpectConfigError([](C& c) { c.score = "bilinear"; }, "score: ");
  ExpectConfigError([](C& c) { c.modifiers = "local_p(-3)"; }, "D must be");
  ExpectConfigError([](C& c) { c.attention_mask = "padding"; }, "needs data");
  ExpectConfigError([](C& c) { c.normalizer = "hard"; }, "REINFORCE");
  try {
    Filled("transformer-huge");
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("transformer-base"),
              std::string::npos)
        << error.what();
  }
}

TEST(TransformerConfig, ReadsItsOwnJson) {
  TransformerConfig config = Filled("bert-mini");
  TransformerConfig read;
  FromJson(read, ToJson(config), "test");
  EXPECT_EQ(ToJson(read), ToJson(config));
}

TEST(ResolvedTransformer,
     PositionsThatChangeScoresAreModifiersOfSelfAttention) {
  TransformerConfig config;
  config.position = "relative";
  config.modifiers = "soft_cap(20)";
  const TransformerOptions options = config.Resolve("transformer").stack;
  ASSERT_EQ(options.self_modifiers.size(), 1U);
  EXPECT_EQ(options.self_modifiers[0].info.name, "relative_bias");
  ASSERT_EQ(options.modifiers.size(), 1U);
  EXPECT_EQ(options.modifiers[0].info.name, "soft_cap");
}

}  // namespace
}  // namespace heed::transformer_config_test
