#include "heed/convert/marian_options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/marian_recurrent.h"
#include "heed/convert/marian_transformer.h"
#include "heed/io/yaml.h"

namespace heed {
namespace {

struct Outcome {
  std::string error = "no error";
  Notes notes;
};

/// Reads a model's options and returns the notes or the error.
Outcome ReadOptions(const std::string& text, bool transformer) {
  Outcome outcome;
  outcome.error = MessageOf<FormatError>([&] {
    ImportOptions options(ParseYaml(text, "o.yml"), "o.yml");
    if (transformer) {
      ReadMarianTransformer(options, SourceWeights({}, "w.npz"), outcome.notes);
    } else {
      ReadMarianRecurrent(options, outcome.notes);
    }
  });
  return outcome;
}

/// Error for these options, added to those of a usual Transformer.
std::string OptionError(const std::string& more,
                        const std::string& post = "dan",
                        const std::string& pre = "") {
  return ReadOptions(fmt::format("type: transformer\n"
                                 "transformer-postprocess: {}\n"
                                 "transformer-preprocess: \"{}\"\n{}\n",
                                 post, pre, more),
                     true)
      .error;
}

std::string RecurrentError(const std::string& more) {
  return ReadOptions("type: s2s\n" + more + "\n", false).error;
}

// Options in the table

TEST(MarianOptions, EveryOptionAtItsHarmlessValuesIsAccepted) {
  for (const MarianOption& option : MarianModelOptions()) {
    if (option.name == "type") continue;
    std::vector<std::string> values = {"\"\"", "[]", "~", "[\"\"]"};
    for (size_t begin = 0; begin < option.harmless.size();) {
      const size_t end =
          std::min(option.harmless.find('|', begin), option.harmless.size());
      const std::string_view value = option.harmless.substr(begin, end - begin);
      values.push_back(fmt::format("\"{}\"", value));
      begin = end + 1;
    }
    for (const bool transformer : {true, false}) {
      const MarianUse use = transformer ? option.transformer : option.recurrent;
      for (size_t i = use == MarianUse::kRead ? 4 : 0; i < values.size(); ++i) {
        const std::string text =
            fmt::format("type: {}\n{}: {}", transformer ? "transformer" : "s2s",
                        option.name, values[i]);
        const Outcome outcome = ReadOptions(text, transformer);
        EXPECT_EQ(outcome.error, "no error") << text;
        EXPECT_TRUE(outcome.notes.empty()) << text;
      }
    }
  }
}

TEST(MarianOptions, EveryRestrictedOptionNamesValueReasonAndRemedy) {
  int restricted = 0;
  for (const MarianOption& option : MarianModelOptions()) {
    for (const bool transformer : {true, false}) {
      const MarianUse use = transformer ? option.transformer : option.recurrent;
      const std::string text =
          fmt::format("type: {}\n{}: strange",
                      transformer ? "transformer" : "s2s", option.name);
      const std::string error = ReadOptions(text, transformer).error;
      if (use == MarianUse::kAny) {
        EXPECT_EQ(error, "no error") << text;
      }
      if (use != MarianUse::kDefault) continue;
      ++restricted;
      EXPECT_EQ(
          error,
          fmt::format("o.yml: option {}: Heed does not support 'strange': {}; "
                      "translate with Marian, or train a model without it",
                      option.name, option.meaning));
    }
  }
  EXPECT_GT(restricted, 10);
}

TEST(MarianOptions, OptionsOfTrainingAndTranslationNeverStopAnImport) {
  for (const std::string_view name : MarianUnusedOptions()) {
    for (const char* value : {"strange", "17", "true", "[1, two]"}) {
      const std::string text = fmt::format("{}: {}", name, value);
      EXPECT_EQ(OptionError(text), "no error") << text;
      EXPECT_EQ(RecurrentError(text), "no error") << text;
    }
  }
}

TEST(MarianOptions, NoOptionStandsTwice) {
  std::set<std::string_view> names;
  for (const MarianOption& option : MarianModelOptions()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
  }
  for (const std::string_view name : MarianUnusedOptions()) {
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(MarianOptions, NewestVersionsDefaultsAreUnderstood) {
  EXPECT_EQ(OptionError("separator-symbol: \"[eos]\"\n"
                        "transformer-attention-mask: default\n"
                        "transformer-alibi-shift: false\n"
                        "transformer-alibi-trainable: false\n"
                        "transformer-disable-position-embeddings: false\n"
                        "transformer-no-affine: false\n"
                        "transformer-no-bias: false\n"
                        "version: v1.12.43 c9f287d"),
            "no error");
  EXPECT_EQ(OptionError("transformer-attention-mask: alibi"),
            "o.yml: option transformer-attention-mask: Heed does not support "
            "'alibi': attention adds a bias for distances; translate with "
            "Marian, or train a model without it");
}

// Options in no table

TEST(MarianOptions, UnknownOnesThatAreOffPassWithANote) {
  for (const char* value :
       {"false", "0", "\"\"", "[]", "~", "none", "default", "[false, 0]", "{}",
        "FALSE", "no", "Off", "0.00", "-0", "0u", "0.f"}) {
    const Outcome outcome = ReadOptions(
        fmt::format("type: transformer\nsome-new-option: {}\n", value), true);
    EXPECT_EQ(outcome.error, "no error") << value;
    ASSERT_EQ(outcome.notes.size(), 1U) << value;
    EXPECT_NE(outcome.notes[0].find("some-new-option"), std::string::npos);
    EXPECT_NE(outcome.notes[0].find("assumed to be off"), std::string::npos);
  }
}

TEST(MarianOptions, UnknownOnesAreNamedWithTheirValueAndTheWayOut) {
  EXPECT_EQ(OptionError("some-new-option: 3"),
            "o.yml: option some-new-option: '3': unknown option (Heed "
            "knows those of Marian up to 1.12.43); if translations do "
            "not depend on it, import with --ignore-option some-new-option");
  EXPECT_NE(OptionError("some-new-option: [a, 3]").find("['a', '3']"),
            std::string::npos);
  for (const char* value :
       {"true", "1e-9", "00x", "-", "[0, 1]", "{a: 1}", "alibi"}) {
    EXPECT_NE(OptionError(fmt::format("some-new-option: {}", value)),
              "no error")
        << value;
  }
}

TEST(MarianOptions, IgnoredOnesAreAsIfTheyWereNotThere) {
  ImportOptions options(
      ParseYaml("transformer-heads: strange\nsome-new-option: 3", "o.yml"),
      "o.yml");
  EXPECT_EQ(MessageOf<ConfigError>([&] { options.Ignore({"other"}); }),
            "ignore-option: o.yml has no option 'other'");
  options.Ignore({"some-new-option", "transformer-heads"});
  Notes notes;
  EXPECT_EQ(ReadMarianTransformer(options, SourceWeights({}, "w.npz"), notes)
                .config.heads,
            8);
  EXPECT_TRUE(notes.empty());
}

// Values that determine the architecture

TEST(MarianOptions, OtherLayersAreNamed) {
  EXPECT_NE(OptionError("transformer-decoder-autoreg: average-attention")
                .find("option transformer-decoder-autoreg: Heed does not "
                      "support 'average-attention'"),
            std::string::npos);
  const std::string student = "transformer-decoder-autoreg: rnn\ndec-cell: ";
  EXPECT_EQ(OptionError(student + "ssru"), "no error");
  EXPECT_NE(OptionError(student + "lstm").find("option dec-cell: "),
            std::string::npos);
  for (const std::string option :
       {"layer-normalization", "transformer-rnn-projection"}) {
    EXPECT_NE(OptionError(student + "ssru\n" + option + ": true")
                  .find("option " + option + ": "),
              std::string::npos);
  }
  EXPECT_NE(
      OptionError(student + "ssru\ntransformer-postprocess-top: n", "da", "n")
          .find("option transformer-preprocess: "),
      std::string::npos);
  EXPECT_EQ(OptionError("output-omit-bias: maybe"),
            "o.yml: option output-omit-bias: Heed does not support 'maybe' "
            "(supported: 'true', 'false')");
  EXPECT_EQ(OptionError("output-omit-bias: Off"), "no error");
  // These options only affect recurrent decoders.
  EXPECT_EQ(OptionError("dec-cell: ssru"), "no error");
  EXPECT_EQ(OptionError("transformer-rnn-projection: true"), "no error");
  EXPECT_NE(OptionError("transformer-ffn-depth: 3").find("'3'"),
            std::string::npos);
  EXPECT_NE(OptionError("transformer-ffn-activation: prelu").find("'prelu'"),
            std::string::npos);
  EXPECT_NE(OptionError("transformer-decoder-dim-ffn: 7").find("(7)"),
            std::string::npos);
  EXPECT_NE(OptionError("dim-emb: many").find("'many' is not a whole number"),
            std::string::npos);
}

TEST(MarianOptions, OtherRecurrentModelsAreNamed) {
  EXPECT_EQ(RecurrentError("dim-rnn: 6"), "no error");
  for (const char* option :
       {"layer-normalization: true", "skip: true", "enc-depth: 2",
        "dec-cell: lstm", "enc-cell: mlstm", "dec-cell-base-depth: 4",
        "right-left: true"}) {
    const std::string key(option, std::string_view(option).find(':'));
    EXPECT_EQ(RecurrentError(option).find("o.yml: option " + key +
                                          ": Heed does not support"),
              0U)
        << RecurrentError(option);
  }
}

TEST(MarianOptions, TiedLayersAreThoseOfTheDecoder) {
  const auto tied = [](const std::string& layers) {
    return OptionError("dec-depth: 2\ntransformer-tied-layers: " + layers);
  };
  EXPECT_EQ(tied("[1, 1]"), "no error");
  EXPECT_NE(tied("[1]").find("names 1 layers, but the decoder has 2"),
            std::string::npos);
  EXPECT_NE(tied("[1, 3]").find("3 is no layer"), std::string::npos);
  EXPECT_NE(tied("[1, x]").find("'x' is not a whole number"),
            std::string::npos);
}

TEST(MarianOptions, PositionsThatAreOffLeaveEmbeddingsUnscaled) {
  ImportOptions options(
      ParseYaml("transformer-disable-position-embeddings: true", "o.yml"),
      "o.yml");
  Notes notes;
  const TransformerConfig config =
      ReadMarianTransformer(options, SourceWeights({}, "w.npz"), notes).config;
  EXPECT_EQ(config.position, "none");
  EXPECT_EQ(config.embedding_scale, "no");
}

TEST(MarianOptions, NormsAreBehindOrBefore) {
  EXPECT_EQ(OptionError("transformer-postprocess-top: n", "da", "n"),
            "no error");
  EXPECT_NE(OptionError("", "da", "n").find("1.10"), std::string::npos);
  EXPECT_NE(OptionError("", "dar").find("'dar'"), std::string::npos);
  EXPECT_NE(OptionError("", "dhn").find("'dhn'"), std::string::npos);
  EXPECT_NE(OptionError("transformer-postprocess-top: na").find("'na'"),
            std::string::npos);
  EXPECT_NE(OptionError("transformer-postprocess-emb: r").find("'r'"),
            std::string::npos);
}

TEST(MarianOptions, GeluDependsOnTheVersion) {
  const auto read = [](const std::string& version) {
    ImportOptions options(
        ParseYaml("transformer-ffn-activation: gelu\nversion: " + version,
                  "o.yml"),
        "o.yml");
    Notes notes;
    return ReadMarianTransformer(options, SourceWeights({}, "w.npz"), notes);
  };
  EXPECT_TRUE(read("v1.12.0 65bf82ff 2023-02-21").scaled_swish);
  EXPECT_EQ(read("v1.9.0 x").config.activation, "swish");
  EXPECT_FALSE(read("v1.12.14 2d067afb 2024-02-16").scaled_swish);
  EXPECT_EQ(read("v1.12.14 x").config.activation, "gelu");
}

}  // namespace
}  // namespace heed
