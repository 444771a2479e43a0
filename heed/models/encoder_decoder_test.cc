#include "heed/models/encoder_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "heed/attention/score.h"
#include "heed/autograd/testing.h"
#include "heed/kernels/gather.h"
#include "heed/ops/loss.h"

namespace heed {
namespace {

constexpr int64_t S = 5;
constexpr int64_t T = 4;
constexpr int64_t B = 3;
constexpr int kSourceWords = 9;
constexpr int kTargetWords = 7;

Tensor RandomIds(const Shape& shape, int words, uint64_t seed) {
  Rng rng(seed);
  std::vector<int32_t> ids(static_cast<size_t>(shape.numel()));
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(words)));
  }
  return Tensor::Of(ids, shape);
}

/// Column b of ids [N, B], the first `length` of them: [length, 1].
Tensor Column(const Tensor& ids, int64_t b, int64_t length) {
  Tensor column({length, 1}, DType::kI32);
  for (int64_t i = 0; i < length; ++i) {
    column.data<int32_t>()[i] = ids.data<int32_t>()[i * ids.dim(1) + b];
  }
  return column;
}

/// A batch with padding.
struct Batch {
  Tensor source = RandomIds({S, B}, kSourceWords, 1);
  Tensor lengths = Lengths({5, 2, 4});
  Tensor target = RandomIds({T, B}, kTargetWords, 2);

  int64_t LengthOf(int64_t b) const { return lengths.data<int32_t>()[b]; }
};

ModelConfig Small(const std::string& model, const std::string& variant) {
  ModelConfig config;
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

/// A model whose biases are not zero either.
std::unique_ptr<EncoderDecoder> Make(ModelConfig config,
                                     DType dtype = DType::kF64) {
  config.Resolve();
  auto model = std::make_unique<EncoderDecoder>(config, kSourceWords,
                                                kTargetWords, 3, dtype);
  for (const auto& parameter : model->parameters().all()) {
    if (parameter->value().rank() != 1) continue;
    parameter->mutable_value() =
        RandomTensor(parameter->value().shape(), 4, dtype);
    parameter->Changed();
  }
  return model;
}

Var LossOf(const EncoderDecoder& model, const Batch& batch, Tape* tape) {
  Context ctx;
  ctx.tape = tape;
  const Tensor targets = RandomIds({T, B}, kTargetWords, 5);
  CrossEntropyOptions options;
  options.scale = 1.0 / (T * B);
  return CrossEntropy(
             model.Logits(ctx, batch.source, batch.lengths, batch.target),
             targets, options)
      .loss;
}

void ExpectGradients(const ModelConfig& config, int samples) {
  const auto model = Make(config);
  std::vector<Parameter*> parameters;
  for (const auto& parameter : model->parameters().all()) {
    parameters.push_back(parameter.get());
  }
  const Batch batch;
  const GradientCheckResult result = CheckParameterGradient(
      [&](Tape* tape) { return LossOf(*model, batch, tape); }, parameters,
      samples);
  EXPECT_LT(result.worst, 1e-6) << result.where;
}

/// Every parameter takes part in the loss.
void ExpectAllParametersUsed(const ModelConfig& config) {
  const auto model = Make(config);
  Tape tape;
  tape.Backward(LossOf(*model, Batch(), &tape));
  for (const auto& parameter : model->parameters().all()) {
    EXPECT_TRUE(parameter->gradient().defined()) << parameter->name();
  }
}

/// Greatest difference of logits between Step and Logits.
double StepDifference(const ModelConfig& config, DType dtype) {
  const auto model = Make(config, dtype);
  const Batch batch;
  const Tensor all =
      model->Logits({}, batch.source, batch.lengths, batch.target).value();
  const auto state = model->Start({}, batch.source, batch.lengths);
  double worst = 0;
  for (int64_t t = 0; t < T; ++t) {
    const Tensor step = model->Step({}, batch.target[t], *state).value();
    worst = std::max(worst, MaxDifference(step, all[t]));
  }
  return worst;
}

class EveryModel : public testing::TestWithParam<ModelInfo> {
 protected:
  bool attends() const { return GetParam().model != "fixed"; }
  ModelConfig Config() const {
    return Small(GetParam().model, GetParam().variant);
  }

  /// Calls body(config) with every cell and score that the model allows.
  template <typename Body>
  void ForCellsAndScores(const Body& body) const {
    for (const std::string& cell : CellNames()) {
      if (GetParam().variant == "cho" && cell != "gru") continue;
      for (const std::string& score : NamesOf(Scores())) {
        SCOPED_TRACE(cell + " " + score);
        ModelConfig config = Config();
        config.cell = cell;
        config.score = score;
        body(config);
        if (!attends()) break;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(Models()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(EveryModel, HasTheGradientOfDifferencesForEveryCellAndScore) {
  ForCellsAndScores(
      [](const ModelConfig& config) { ExpectGradients(config, 4); });
}

TEST_P(EveryModel, UsesAllItsParameters) {
  ForCellsAndScores(ExpectAllParametersUsed);
}

TEST_P(EveryModel, StepByStepEqualsAllAtOnceForEveryCellAndScore) {
  ForCellsAndScores([](const ModelConfig& config) {
    EXPECT_LT(StepDifference(config, DType::kF64), 1e-12);
    EXPECT_LT(StepDifference(config, DType::kF32), 1e-5);
  });
}

TEST_P(EveryModel, TakesEveryModifierMaskAndNormalizer) {
  if (!attends()) return;
  std::vector<ModelConfig> configs;
  for (const ModifierInfo& modifier : Modifiers()) {
    configs.push_back(Config());
    configs.back().modifiers = modifier.name;
    // Only a product of queries and keys can be turned.
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
  for (const ModelConfig& config : configs) {
    SCOPED_TRACE(config.modifiers + " " + config.attention_mask + " " +
                 config.normalizer);
    ExpectGradients(config, 3);
    EXPECT_LT(StepDifference(config, DType::kF64), 1e-12);
    EXPECT_LT(StepDifference(config, DType::kF32), 1e-5);
  }
}

TEST_P(EveryModel, RefusesAttentionsItCannotTrain) {
  if (!attends()) return;
  const auto refuses = [&](auto change, const std::string& says) {
    ModelConfig config = Config();
    change(config);
    try {
      config.Resolve();
      ADD_FAILURE() << says;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos)
          << error.what();
    }
  };
  refuses([](ModelConfig& c) { c.normalizer = "hard"; }, "REINFORCE");
  refuses([](ModelConfig& c) { c.attention_mask = "padding"; }, "needs data");
  refuses([](ModelConfig& c) { c.attention_mask = "causal("; }, "causal(");
  refuses([](ModelConfig& c) { c.modifiers = "local_p(-3)"; }, "D must be");
  refuses([](ModelConfig& c) { c.score = "bilinear"; }, "there are additive");
}

TEST_P(EveryModel, InF32IsCloseToF64) {
  const auto exact = Make(Config());
  const auto rounded = Make(Config(), DType::kF32);
  const Batch batch;
  const auto logits = [&](const EncoderDecoder& model) {
    return model.Logits({}, batch.source, batch.lengths, batch.target).value();
  };
  EXPECT_LT(MaxDifference(logits(*exact), logits(*rounded)), 1e-5);
}

TEST_P(EveryModel, ABatchEqualsItsRowsAloneWithoutPadding) {
  ForCellsAndScores([](const ModelConfig& config) {
    const auto model = Make(config);
    const Batch batch;
    const Tensor all =
        model->Logits({}, batch.source, batch.lengths, batch.target).value();
    for (int64_t b = 0; b < B; ++b) {
      const int64_t n = batch.LengthOf(b);
      const Tensor alone = model
                               ->Logits({}, Column(batch.source, b, n),
                                        Lengths({static_cast<int32_t>(n)}),
                                        Column(batch.target, b, T))
                               .value();
      for (int64_t t = 0; t < T; ++t) {
        EXPECT_LT(MaxDifference(alone[t][0], all[t][b]), 1e-13);
      }
    }
  });
}

TEST_P(EveryModel, PaddingWordsChangeNothing) {
  const auto model = Make(Config());
  Batch batch;
  const auto run = [&] {
    Tape tape;
    for (const auto& parameter : model->parameters().all())
      parameter->ClearGradient();
    std::vector<Tensor> results;
    const Var loss = LossOf(*model, batch, &tape);
    results.push_back(loss.value());
    tape.Backward(loss);
    for (const auto& parameter : model->parameters().all()) {
      results.push_back(parameter->gradient());
    }
    return results;
  };
  const std::vector<Tensor> before = run();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = batch.LengthOf(b); s < S; ++s) {
      int32_t& id = batch.source.data<int32_t>()[s * B + b];
      id = (id + 1) % kSourceWords;
    }
  }
  const std::vector<Tensor> after = run();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(MaxDifference(before[i], after[i]), 0)
        << "loss or gradient " << i;
  }
}

TEST_P(EveryModel, AnEmptySourceGivesFiniteResults) {
  const auto model = Make(Config(), DType::kF32);
  Batch batch;
  batch.lengths = Lengths({5, 0, 4});
  Tape tape;
  const Var loss = LossOf(*model, batch, &tape);
  EXPECT_TRUE(std::isfinite(loss.value().item()));
  tape.Backward(loss);
  for (const auto& parameter : model->parameters().all()) {
    for (const double g : parameter->gradient().ToVector<double>()) {
      ASSERT_TRUE(std::isfinite(g)) << parameter->name();
    }
  }
}

TEST_P(EveryModel, RefusesLengthsBeyondTheSource) {
  const auto model = Make(Config());
  Batch batch;
  for (const int32_t length : {S + 1, int64_t{-1}}) {
    batch.lengths = Lengths({length, 2, 2});
    EXPECT_THROW(model->Logits({}, batch.source, batch.lengths, batch.target),
                 ShapeError);
  }
  EXPECT_THROW(model->Logits({}, batch.source, Lengths({2, 2}), batch.target),
               ShapeError);
  EXPECT_THROW(model->Logits({}, batch.source, {}, batch.target), ShapeError);
  EXPECT_THROW(model->Logits({}, batch.source[0], batch.lengths, batch.target),
               ShapeError);
}

TEST_P(EveryModel, ShowsTheWeightsOfEachStep) {
  const auto model = Make(Config());
  const Batch batch;
  const auto state = model->Start({}, batch.source, batch.lengths);
  model->Step({}, batch.target[0], *state);
  if (!attends()) {
    EXPECT_FALSE(state->weights().defined());
    return;
  }
  ASSERT_EQ(state->weights().shape(), (Shape{B, S}));
  for (int64_t b = 0; b < B; ++b) {
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) {
      const double weight = kernels::At(state->weights(), b, s);
      EXPECT_EQ(weight > 0, s < batch.LengthOf(b))
          << "in the order of the text";
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

class CountingRecorder : public Recorder {
 public:
  void OnAttention(const std::string& layer, int head, int64_t step,
                   const Tensor& weights) override {
    EXPECT_EQ(layer, "decoder.attention");
    EXPECT_EQ(head, 0);
    EXPECT_EQ(step, calls);
    EXPECT_EQ(weights.shape(), (Shape{B, 1, S}));
    ++calls;
  }
  int calls = 0;
};

TEST_P(EveryModel, TellsARecorderTheWeightsOfEveryStep) {
  const auto model = Make(Config());
  const Batch batch;
  CountingRecorder recorder;
  Context ctx;
  ctx.recorder = &recorder;
  model->Logits(ctx, batch.source, batch.lengths, batch.target);
  EXPECT_EQ(recorder.calls, attends() ? T : 0);
}

/// Sources and the words written so far, row by row.
struct Rows {
  std::vector<int64_t> source;
  std::vector<std::vector<int32_t>> words;
};

/// The next logits of one row that is run alone, from its start.
Tensor RunAlone(const EncoderDecoder& model, const Batch& batch, int64_t source,
                const std::vector<int32_t>& words) {
  const int64_t n = batch.LengthOf(source);
  const auto state = model.Start({}, Column(batch.source, source, n),
                                 Lengths({static_cast<int32_t>(n)}));
  Tensor logits;
  for (const int32_t word : words)
    logits = model.Step({}, Ids({word}, {1}), *state).value();
  return logits[0];
}

/// Two steps, Reorder, another step: as if each row had run alone.
void ExpectReorderEqualsRunningAlone(const ModelConfig& config,
                                     const std::vector<int64_t>& sources,
                                     const std::vector<int32_t>& order,
                                     bool same_sources) {
  const auto model = Make(config);
  const Batch batch;
  // The batch with row i reading sources[i].
  const auto rows = static_cast<int64_t>(sources.size());
  Tensor source({S, rows}, DType::kI32);
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t from = sources[static_cast<size_t>(i)];
    lengths.push_back(static_cast<int32_t>(batch.LengthOf(from)));
    for (int64_t s = 0; s < S; ++s) {
      source.data<int32_t>()[s * rows + i] =
          batch.source.data<int32_t>()[s * B + from];
    }
  }
  const auto state = model->Start({}, source, Lengths(lengths));
  Rows now = {sources, std::vector<std::vector<int32_t>>(sources.size())};
  const auto step = [&](uint64_t seed) {
    const auto count = static_cast<int64_t>(now.words.size());
    const Tensor words = RandomIds({count}, kTargetWords, seed);
    for (size_t i = 0; i < now.words.size(); ++i) {
      now.words[i].push_back(words.data<int32_t>()[i]);
    }
    return model->Step({}, words, *state).value();
  };
  step(21);
  step(22);
  const Tensor weights = state->weights();
  state->Reorder(Ids(order, {static_cast<int64_t>(order.size())}),
                 same_sources);
  Rows next;
  for (const int32_t row : order) {
    next.source.push_back(now.source[static_cast<size_t>(row)]);
    next.words.push_back(now.words[static_cast<size_t>(row)]);
  }
  now = next;
  if (weights.defined()) {
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(MaxDifference(state->weights()[static_cast<int64_t>(i)],
                              weights[order[i]]),
                0);
    }
  }
  const Tensor logits = step(23);
  ASSERT_EQ(logits.dim(0), static_cast<int64_t>(order.size()));
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_LT(
        MaxDifference(logits[static_cast<int64_t>(i)],
                      RunAlone(*model, batch, now.source[i], now.words[i])),
        1e-13)
        << "row " << i;
  }
}

TEST_P(EveryModel, ReorderedRowsContinueAsIfTheyHadRunAlone) {
  ForCellsAndScores([](const ModelConfig& config) {
    ExpectReorderEqualsRunningAlone(config, {0, 1, 2}, {2, 0, 2, 1, 2}, false);
    ExpectReorderEqualsRunningAlone(config, {0, 1, 2}, {1}, false);
  });
}

TEST_P(EveryModel, ReorderedRowsOfTheSameSourcesContinueAsIfTheyHadRunAlone) {
  ForCellsAndScores([](const ModelConfig& config) {
    ExpectReorderEqualsRunningAlone(config, {0, 0, 1, 1}, {1, 1, 3, 2}, true);
    ExpectReorderEqualsRunningAlone(config, {0, 0, 1, 1}, {1, 0}, true);
  });
}

TEST_P(EveryModel, DropoutIsReproducibleAndOnlyWhileTraining) {
  for (const bool variational : {false, true}) {
    ModelConfig config = Config();
    config.dropout = 0.4;
    config.variational = variational;
    const auto model = Make(config);
    const Batch batch;
    const auto logits = [&](uint64_t seed, bool training) {
      Rng rng(seed);
      Context ctx;
      ctx.rng = &rng;
      ctx.training = training;
      return model->Logits(ctx, batch.source, batch.lengths, batch.target)
          .value();
    };
    EXPECT_EQ(MaxDifference(logits(1, true), logits(1, true)), 0);
    EXPECT_GT(MaxDifference(logits(1, true), logits(2, true)), 0.01);
    EXPECT_EQ(MaxDifference(logits(1, false), logits(2, false)), 0);
  }
}

TEST_P(EveryModel, DropoutHasTheGradientOfDifferences) {
  for (const bool variational : {false, true}) {
    ModelConfig config = Config();
    config.dropout = 0.3;
    config.variational = variational;
    const auto model = Make(config);
    std::vector<Parameter*> parameters;
    for (const auto& parameter : model->parameters().all()) {
      parameters.push_back(parameter.get());
    }
    const Batch batch;
    const auto loss = [&](Tape* tape) {
      Rng rng(8);
      Context ctx;
      ctx.tape = tape;
      ctx.rng = &rng;
      ctx.training = true;
      return CrossEntropy(
                 model->Logits(ctx, batch.source, batch.lengths, batch.target),
                 RandomIds({T, B}, kTargetWords, 5), {-1, 0, 0.1})
          .loss;
    };
    const GradientCheckResult result =
        CheckParameterGradient(loss, parameters, 4);
    EXPECT_LT(result.worst, 1e-6) << result.where;
  }
}

TEST_P(EveryModel, InBfloat16IsCloseToF32) {
  ModelConfig config = Config();
  const auto exact = Make(config, DType::kF32);
  config.precision = "bf16";
  const auto rounded = Make(config, DType::kF32);
  const Batch batch;
  const auto logits = [&](const EncoderDecoder& model) {
    return model.Logits({}, batch.source, batch.lengths, batch.target).value();
  };
  EXPECT_LT(MaxDifference(logits(*exact), logits(*rounded)), 0.1);
}

TEST_P(EveryModel, StartsAtAUniformPredictionWithPublishedInitialValues) {
  for (const std::string init : {"glorot", "uniform", "normal"}) {
    ModelConfig config = Config();
    config.init = init;
    config.init_scale = 0.01;
    config.Resolve();
    const EncoderDecoder model(config, kSourceWords, kTargetWords, 1,
                               DType::kF32);
    const double loss = LossOf(model, Batch(), nullptr).value().item();
    EXPECT_NEAR(loss, std::log(kTargetWords), init == "glorot" ? 0.8 : 0.02);
  }
}

/// Choices that the papers' models do not make.
std::vector<ModelConfig> OtherChoices() {
  const auto with = [](const std::string& model, const std::string& variant,
                       const auto& change) {
    ModelConfig config = Small(model, variant);
    change(config);
    return config;
  };
  using C = ModelConfig;
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
  const std::vector<ModelConfig> choices = OtherChoices();
  for (size_t i = 0; i < choices.size(); ++i) {
    SCOPED_TRACE("choice " + std::to_string(i));
    ExpectGradients(choices[i], 4);
    ExpectAllParametersUsed(choices[i]);
    EXPECT_LT(StepDifference(choices[i], DType::kF64), 1e-12);
    ExpectReorderEqualsRunningAlone(choices[i], {0, 1, 2}, {2, 0, 2}, false);
  }
}

}  // namespace
}  // namespace heed
