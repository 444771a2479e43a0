#include "heed/models/recurrent/recurrent_config.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"
#include "heed/models/model_testing.h"

namespace heed::recurrent_config_test {
namespace {

RecurrentConfig Small(const std::string& model, const std::string& variant) {
  RecurrentConfig config;
  config.model = model;
  config.variant = variant;
  config.embedding = 4;
  config.units = 6;
  return config;
}

/// Checks that config.Resolve() throws a ConfigError that contains `part`.
void ExpectConfigError(RecurrentConfig config, const std::string& part) {
  try {
    config.Resolve();
    ADD_FAILURE() << "no error about " << part;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

TEST(RecurrentConfig, ResolvesToWhatThePaperDoes) {
  RecurrentConfig config;
  config.Fill();
  EXPECT_EQ(config.variant, "rnnsearch");
  EXPECT_EQ(config.cell, "gru_bahdanau");
  EXPECT_EQ(config.bidirectional, "yes");
  EXPECT_EQ(config.attention, "before");
  EXPECT_EQ(config.score, "additive");
  EXPECT_EQ(config.readout, "maxout");
  EXPECT_EQ(config.readout_state, "prev");
  config = {};
  config.model = "luong";
  config.Fill();
  EXPECT_EQ(config.reverse_source, "yes");
  EXPECT_EQ(config.input_feeding, "yes");
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.bridge, "copy");
}

TEST(RecurrentConfig, ChosEncoderResetsBeforeTheProductHisDecoderBehindIt) {
  const ResolvedRecurrent cho = Small("fixed", "cho").Resolve();
  EXPECT_EQ(cho.encoder.cell, Cell::kGruCho);
  EXPECT_EQ(cho.decoder_cell, Cell::kGru);
  // Older model files, from before encoder and decoder cells could differ, set
  // this cell.
  RecurrentConfig before = Small("fixed", "cho");
  before.cell = "gru";
  EXPECT_EQ(before.Resolve().encoder.cell, Cell::kGru);
  EXPECT_EQ(Small("luong", "auto").Resolve().decoder_cell, Cell::kLstm);
}

TEST(RecurrentConfig, ForgetGatesOfLstmsAloneStartAtTheirBias) {
  EXPECT_EQ(Small("luong", "auto").Resolve().encoder.forget_gate_bias, 1);
  EXPECT_EQ(Small("fixed", "sutskever").Resolve().encoder.forget_gate_bias, 1);
  EXPECT_EQ(Small("fixed", "cho").Resolve().encoder.forget_gate_bias, 0);
  EXPECT_EQ(Small("bahdanau", "auto").Resolve().encoder.forget_gate_bias, 0);
  RecurrentConfig chosen = Small("bahdanau", "auto");
  chosen.cell = "lstm";
  chosen.forget_bias = 0.25;
  EXPECT_EQ(chosen.Resolve().encoder.forget_gate_bias, 0.25);
}

TEST(RecurrentConfig, KeepsWhatIsChosen) {
  RecurrentConfig config = Small("bahdanau", "auto");
  config.cell = "lstm";
  config.score = "dot";
  config.layers = 3;
  config.Fill();
  EXPECT_EQ(config.cell, "lstm");
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.encoder_units, 3) << "half of the units for equal sizes";
}

TEST(RecurrentConfig, ResolvingTwiceChangesNothing) {
  for (const NamedVariant& info : RecurrentVariants()) {
    RecurrentConfig once = Small(info.model, info.variant);
    once.Fill();
    RecurrentConfig twice = once;
    twice.Fill();
    EXPECT_EQ(once.encoder_units, twice.encoder_units);
    EXPECT_EQ(once.input_feeding.word(), twice.input_feeding.word());
    EXPECT_EQ(once.attention.word(), twice.attention.word());
  }
}

TEST(RecurrentConfig, RefusesChoicesThatDoNotFit) {
  ExpectConfigError(Small("bahdanau", "global"), "rnnsearch, cgru");
  const auto change = [](const std::string& model, const std::string& variant,
                         const auto& what) {
    RecurrentConfig config = Small(model, variant);
    what(config);
    return config;
  };
  using C = RecurrentConfig;
  ExpectConfigError(
      change("fixed", "cho", [](C& c) { c.attention = "before"; }),
      "attention 'before'");
  ExpectConfigError(
      change("bahdanau", "auto", [](C& c) { c.attention = "none"; }),
      "attention 'none'");
  ExpectConfigError(change("luong", "auto",
                           [](C& c) {
                             c.score = "dot";
                             c.encoder_units = 5;
                           }),
                    "score 'dot'");
  ExpectConfigError(change("luong", "auto",
                           [](C& c) {
                             c.bidirectional = "yes";
                             c.reverse_source = "no";
                           }),
                    "bridge 'copy'");
  ExpectConfigError(
      change("bahdanau", "auto", [](C& c) { c.input_feeding = "yes"; }),
      "input_feeding");
  ExpectConfigError(
      change("bahdanau", "auto", [](C& c) { c.reverse_source = "yes"; }),
      "reverse_source");
  ExpectConfigError(change("fixed", "cho", [](C& c) { c.cell = "lstm"; }),
                    "'cho'");
  ExpectConfigError(
      change("fixed", "cho", [](C& c) { c.bidirectional = "yes"; }),
      "bidirectional");
  ExpectConfigError(change("bahdanau", "auto",
                           [](C& c) {
                             c.tie_output = true;
                             c.readout_units = 3;
                           }),
                    "tie_output");
  ExpectConfigError(change("bahdanau", "auto",
                           [](C& c) {
                             c.score = "dot";
                             c.units = 7;
                           }),
                    "score 'dot'");
}

/// Options that the field of this key needs to have an effect; "": none.
template <typename Config>
std::string NeedsOf(Config config, const char* key) {
  return FindField(FieldsOf(config), key)->needs;
}

TEST(RecurrentConfig, WithoutAttentionItsOptionsDoNotAct) {
  RecurrentConfig config = Small("fixed", "auto");
  EXPECT_NE(NeedsOf(config, "heads"), "");
  EXPECT_NE(NeedsOf(config, "score"), "");
  config.attention = "after";
  EXPECT_EQ(NeedsOf(config, "heads"), "");
  config = Small("bahdanau", "auto");
  EXPECT_EQ(NeedsOf(config, "heads"), "");
  EXPECT_EQ(NeedsOf(config, "positions"), "--score location");
  config.score = "location";
  EXPECT_EQ(NeedsOf(config, "positions"), "");
  EXPECT_EQ(NeedsOf(config, "init_scale"), "--init uniform or normal");
  config.init = "normal";
  EXPECT_EQ(NeedsOf(config, "init_scale"), "");
}

}  // namespace
}  // namespace heed::recurrent_config_test
