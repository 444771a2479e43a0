#include "heed/models/recurrent/encoder_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/score.h"
#include "heed/models/model_testing.h"

namespace heed::encoder_decoder_test {
namespace {

constexpr int kSourceWords = 9;
constexpr int kTargetWords = 7;

SequenceBatch Some() { return {kSourceWords, kTargetWords}; }

RecurrentConfig Small(const std::string& model, const std::string& variant) {
  RecurrentConfig config;
  config.model = model;
  config.variant = variant;
  config.embedding = 4;
  config.units = 6;
  config.positions = 4;
  config.dropout = 0;
  config.init = "uniform";
  config.init_scale = 0.5;
  return config;
}

std::unique_ptr<EncoderDecoder> Make(RecurrentConfig config,
                                     DType dtype = DType::kF64) {
  auto model = std::make_unique<EncoderDecoder>(config.Resolve(), kSourceWords,
                                                kTargetWords, 3, dtype);
  Shake(model->parameters());
  return model;
}

void ExpectSteppingEqualsAllAtOnce(const RecurrentConfig& config) {
  EXPECT_LT(StepDifference(*Make(config), Some()), 1e-12);
  EXPECT_LT(StepDifference(*Make(config, DType::kF32), Some()), 1e-5);
}

class EveryModel : public testing::TestWithParam<NamedVariant> {
 protected:
  bool attends() const { return GetParam().model != "fixed"; }
  RecurrentConfig Config() const {
    return Small(GetParam().model, GetParam().variant);
  }

  /// Calls body(config) for every cell and score that the model allows.
  template <typename Body>
  void ForCellsAndScores(const Body& body) const {
    for (const std::string& cell : CellNames()) {
      const bool lstm = cell.find("lstm") != std::string::npos;
      if (GetParam().variant == "cho" && lstm) continue;
      for (const std::string& score : NamesOf(Scores())) {
        SCOPED_TRACE(cell + " " + score);
        RecurrentConfig config = Config();
        config.cell = cell;
        config.score = score;
        body(config);
        if (!attends()) break;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryModel,
                         testing::ValuesIn(RecurrentVariants()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(EveryModel, HasTheGradientOfDifferencesForEveryCellAndScore) {
  ForCellsAndScores([](const RecurrentConfig& config) {
    ExpectGradients(*Make(config), Some(), 4);
  });
}

TEST_P(EveryModel, ForgetGatesOfLstmsStartAtTheirBias) {
  if (GetParam().variant == "cho") return;
  RecurrentConfig config = Config();
  config.cell = "lstm";
  config.forget_bias = 0.75;
  const EncoderDecoder model(config.Resolve(), kSourceWords, kTargetWords, 3);
  int layers = 0;
  for (const auto& parameter : model.parameters().all()) {
    const std::string& name = parameter->name();
    const Tensor& value = parameter->value();
    // Only the bias of four gates has this length.
    if (!name.ends_with(".bias") || value.numel() != 4 * config.units) continue;
    ++layers;
    for (int64_t i = 0; i < value.numel(); ++i) {
      EXPECT_EQ(value.data<float>()[i], i / config.units == 1 ? 0.75F : 0.0F)
          << name << " " << i;
    }
  }
  EXPECT_GE(layers, 2);
}

TEST_P(EveryModel, UsesAllItsParameters) {
  ForCellsAndScores([](const RecurrentConfig& config) {
    const auto model = Make(config);
    LossAndGradients(*model, Some());
    ExpectAllHaveGradients(model->parameters());
  });
}

TEST_P(EveryModel, StepByStepEqualsAllAtOnceForEveryCellAndScore) {
  ForCellsAndScores(ExpectSteppingEqualsAllAtOnce);
}

TEST_P(EveryModel, TakesEveryModifierMaskAndNormalizer) {
  if (!attends()) return;
  std::vector<RecurrentConfig> configs;
  for (const ModifierInfo& modifier : Modifiers()) {
    configs.push_back(Config());
    configs.back().modifiers = modifier.name;
    // Only products of queries and keys can be rotated.
    if (modifier.name == "rotary") configs.back().score = "general";
  }
  for (const MaskInfo& mask : Masks()) {
    if (mask.needs_data) continue;
    configs.push_back(Config());
    configs.back().attention_mask = mask.name;
  }
  for (const NormalizerInfo& normalizer : Normalizers()) {
    if (normalizer.name == "hard") continue;
    configs.push_back(Config());
    configs.back().normalizer = normalizer.name;
  }
  configs.push_back(Config());
  configs.back().heads = 2;
  configs.back().modifiers = "local_p(2); soft_cap(3)";
  for (const RecurrentConfig& config : configs) {
    SCOPED_TRACE(config.modifiers + " " + config.attention_mask + " " +
                 config.normalizer);
    ExpectGradients(*Make(config), Some(), 3);
    ExpectSteppingEqualsAllAtOnce(config);
  }
}

TEST_P(EveryModel, RefusesAttentionsItCannotTrain) {
  if (!attends()) return;
  const auto refuses = [&](auto change, const std::string& says) {
    RecurrentConfig config = Config();
    change(config);
    try {
      config.Resolve();
      ADD_FAILURE() << says;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos)
          << error.what();
    }
  };
  refuses([](RecurrentConfig& c) { c.attention_mask = "padding"; },
          "needs data");
  refuses([](RecurrentConfig& c) { c.attention_mask = "causal("; }, "causal(");
  refuses([](RecurrentConfig& c) { c.modifiers = "local_p(-3)"; }, "D must be");
  refuses([](RecurrentConfig& c) { c.score = "bilinear"; },
          "there are additive");
}

TEST_P(EveryModel, InF32IsCloseToF64) {
  const auto exact = Make(Config());
  const auto rounded = Make(Config(), DType::kF32);
  EXPECT_LT(MaxDifference(LogitsOf(*exact, Some()), LogitsOf(*rounded, Some())),
            1e-5);
}

TEST_P(EveryModel, ABatchEqualsItsRowsAloneWithoutPadding) {
  ForCellsAndScores([](const RecurrentConfig& config) {
    ExpectBatchEqualsItsRows(*Make(config), Some());
  });
}

TEST_P(EveryModel, PaddingWordsChangeNothing) {
  ExpectPaddingChangesNothing(*Make(Config()), Some(), 0);
}

TEST_P(EveryModel, AnEmptySourceGivesFiniteResults) {
  ExpectFiniteResultsForAnEmptySource(*Make(Config(), DType::kF32), Some());
}

TEST_P(EveryModel, RefusesLengthsBeyondTheSource) {
  ExpectRefusesWhatIsNotASource(*Make(Config()), Some());
}

TEST_P(EveryModel, ShowsTheWeightsOfEachStep) {
  const auto model = Make(Config());
  const SequenceBatch batch = Some();
  DecoderState state = StartOf(*model, batch.inputs());
  model->Step({}, batch.target_in[0], state);
  ASSERT_EQ(state.weights.defined(), attends());
  if (!attends()) return;
  EXPECT_GT(ExpectWeightsOfSources(state.weights, batch), 0);
}

TEST_P(EveryModel, ShowsAnObserverTheWeightsOfEveryStep) {
  const auto model = Make(Config());
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  LogitsOf(*model, Some(), ctx);
  ASSERT_EQ(std::ssize(watch.seen), attends() ? Some().steps() : 0);
  for (size_t i = 0; i < watch.seen.size(); ++i) {
    const AttentionWatch::Seen& seen = watch.seen[i];
    EXPECT_EQ(seen.info.path, "decoder.attention");
    EXPECT_EQ(seen.info.query_axis, "target");
    EXPECT_EQ(seen.info.key_axis, "source");
    EXPECT_EQ(seen.step, static_cast<int64_t>(i));
    EXPECT_EQ(seen.weights.shape(), (Shape{3, 1, 1, 5}));
  }
}

/// Observer that adds `by` to the vectors of one token of an input.
class MovedInput : public Observer {
 public:
  MovedInput(std::string name, int64_t s, double by)
      : name_(std::move(name)), s_(s), by_(by) {}
  bool WantsInput(const std::string& name) override { return name == name_; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    Tensor moved = x.value().Clone();
    for (int64_t b = 0; b < moved.dim(0); ++b) {
      for (int64_t m = 0; m < moved.dim(2); ++m) {
        moved[b].row<double>(s_)[m] += by_;
      }
    }
    return moved;
  }

 private:
  std::string name_;
  int64_t s_;
  double by_;
};

/// Inputs are in text order, in whatever direction the model reads them.
TEST_P(EveryModel, ShowsAnObserverItsInputsInTheOrderOfTheText) {
  const auto model = Make(Config());
  const SequenceBatch batch = Some();
  const auto with = [&](Observer* observer) {
    Context ctx;
    ctx.observer = observer;
    return LogitsOf(*model, batch, ctx);
  };
  const Tensor as_is = with(nullptr);
  MovedInput nothing("source", 0, 0);
  EXPECT_EQ(MaxDifference(with(&nothing), as_is), 0);
  MovedInput first("source", 0, 0.5);
  EXPECT_GT(MaxDifference(with(&first), as_is), 0);
  MovedInput last("target_inputs", batch.steps() - 1, 0.5);
  const Tensor changed = with(&last);
  EXPECT_EQ(MaxDifference(changed.Slice(0, batch.steps() - 1),
                          as_is.Slice(0, batch.steps() - 1)),
            0);
  EXPECT_GT(MaxDifference(changed, as_is), 0);
}

void ExpectMovedRowsGoOnAsIfAlone(const RecurrentConfig& config) {
  ExpectReorderedRowsGoOnAlone(*Make(config), Some(), 1e-13);
}

TEST_P(EveryModel, MovedRowsGoOnAsIfTheyHadRunAlone) {
  ForCellsAndScores(ExpectMovedRowsGoOnAsIfAlone);
  if (!attends()) return;
  RecurrentConfig config = Config();
  config.heads = 2;
  ExpectMovedRowsGoOnAsIfAlone(config);
  // Modifiers that depend on the position of the query and on previous weights.
  for (const char* modifiers : {"alibi", "shift(1)", "soft_cap(3)"}) {
    config.modifiers = modifiers;
    ExpectMovedRowsGoOnAsIfAlone(config);
  }
  config.modifiers = "none";
  config.attention_mask = "window(1)";
  ExpectMovedRowsGoOnAsIfAlone(config);
}

TEST_P(EveryModel, ScoresOnlyTheRequestedWords) {
  for (const bool tie : {false, true}) {
    auto config = Config();
    config.tie_output = tie;
    if (tie) {
      config.readout = "tanh";
      config.readout_units = config.embedding;
    }
    ExpectScoresOfSomeWords(*Make(config), Some(), {0, 1, 2, 3, 5}, 1e-13);
  }
}

TEST_P(EveryModel, GivesTheTopKAlone) {
  const auto model = Make(Config(), DType::kF32);
  ExpectTopKScores(*model, Some(), {0, 1, 2, 3, 5, 6});
  model->parameters().SetPrecision(kernels::Precision::kInt8);
  ExpectTopKScores(*model, Some(), {0, 1, 2, 3, 5, 6});
}

TEST_P(EveryModel, GivesNoWeightsThatAreNotWanted) {
  const auto model = Make(Config());
  const SequenceBatch batch = Some();
  DecoderState state = StartOf(*model, batch.inputs());
  state.wants_weights = false;
  model->Step({}, batch.target_in[0], state);
  EXPECT_FALSE(state.weights.defined());
}

TEST_P(EveryModel, DropoutIsReproducibleAndOnlyWhileTraining) {
  for (const bool variational : {false, true}) {
    RecurrentConfig config = Config();
    config.dropout = 0.4;
    config.variational = variational;
    ExpectDropoutOnlyWhileTraining(*Make(config), Some());
  }
}

TEST_P(EveryModel, DropoutHasTheGradientOfDifferences) {
  for (const bool variational : {false, true}) {
    RecurrentConfig config = Config();
    config.dropout = 0.3;
    config.variational = variational;
    ExpectGradients(*Make(config), Some(), 4, true);
  }
}

TEST_P(EveryModel, InBfloat16IsCloseToF32) {
  RecurrentConfig config = Config();
  const auto exact = Make(config, DType::kF32);
  config.precision = "bf16";
  const auto rounded = Make(config, DType::kF32);
  EXPECT_LT(MaxDifference(LogitsOf(*exact, Some()), LogitsOf(*rounded, Some())),
            0.1);
}

TEST_P(EveryModel, StartsAtAUniformPredictionWithPublishedInitialValues) {
  for (const std::string init : {"glorot", "uniform", "normal"}) {
    RecurrentConfig config = Config();
    config.init = init;
    config.init_scale = 0.01;
    const EncoderDecoder model(config.Resolve(), kSourceWords, kTargetWords, 1,
                               DType::kF32);
    const double loss = LossOf(model, Some(), {}).value().item();
    EXPECT_NEAR(loss, std::log(kTargetWords), init == "glorot" ? 0.8 : 0.02);
  }
}

/// Choices that the published models do not make.
std::vector<RecurrentConfig> OtherChoices() {
  const auto with = [](const std::string& model, const std::string& variant,
                       const auto& change) {
    RecurrentConfig config = Small(model, variant);
    change(config);
    return config;
  };
  using C = RecurrentConfig;
  return {
      with("bahdanau", "rnnsearch", [](C& c) { c.readout_state = "cur"; }),
      with("bahdanau", "rnnsearch", [](C& c) { c.layers = 2; }),
      with("bahdanau", "rnnsearch", [](C& c) { c.readout = "none"; }),
      with("bahdanau", "rnnsearch", [](C& c) { c.readout = "tanh"; }),
      with("bahdanau", "rnnsearch", [](C& c) { c.tie_output = true; }),
      with("bahdanau", "rnnsearch", [](C& c) { c.bidirectional = "no"; }),
      with("bahdanau", "rnnsearch",
           [](C& c) {
             c.encoder_units = 5;
             c.attention_units = 3;
             c.readout_units = 2;
           }),
      with("bahdanau", "rnnsearch",
           [](C& c) {
             c.bidirectional = "no";
             c.reverse_source = "yes";
             c.bridge = "copy";
           }),
      with("bahdanau", "cgru",
           [](C& c) {
             c.layers = 2;
             c.cell = "lstm";
             c.readout_state = "prev";
           }),
      with("bahdanau", "cgru", [](C& c) { c.bridge = "mean"; }),
      with("fixed", "cho", [](C& c) { c.bridge = "mean"; }),
      with("bahdanau", "cgru",
           [](C& c) {
             c.score = "mlp";
             c.mlp_layers = 3;
           }),
      with("luong", "global", [](C& c) { c.input_feeding = "no"; }),
      with("luong", "global",
           [](C& c) {
             c.bidirectional = "yes";
             c.reverse_source = "no";
             c.bridge = "project";
           }),
      with("luong", "global", [](C& c) { c.readout = "maxout"; }),
      with("luong", "global",
           [](C& c) {
             c.tie_output = true;
             c.embedding = c.units;
           }),
      with("luong", "global", [](C& c) { c.attention = "before"; }),
      with("fixed", "cho", [](C& c) { c.layers = 2; }),
      with("fixed", "sutskever",
           [](C& c) {
             c.bridge = "project";
             c.encoder_units = 4;
             c.readout = "tanh";
           }),
  };
}

TEST(EncoderDecoder, OtherChoicesHaveTheGradientOfDifferencesAndStepAsOne) {
  const std::vector<RecurrentConfig> choices = OtherChoices();
  for (size_t i = 0; i < choices.size(); ++i) {
    SCOPED_TRACE("choice " + std::to_string(i));
    ExpectGradients(*Make(choices[i]), Some(), 4);
    ExpectSteppingEqualsAllAtOnce(choices[i]);
    ExpectMovedRowsGoOnAsIfAlone(choices[i]);
  }
}

}  // namespace
}  // namespace heed::encoder_decoder_test
