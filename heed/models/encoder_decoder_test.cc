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

/// A model whose biases are not zero either.
std::unique_ptr<EncoderDecoder> Make(RecurrentConfig config,
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

void ExpectGradients(const RecurrentConfig& config, int samples) {
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
void ExpectAllParametersUsed(const RecurrentConfig& config) {
  const auto model = Make(config);
  Tape tape;
  tape.Backward(LossOf(*model, Batch(), &tape));
  for (const auto& parameter : model->parameters().all()) {
    EXPECT_TRUE(parameter->gradient().defined()) << parameter->name();
  }
}

/// Greatest difference of logits between Step and Logits.
double StepDifference(const RecurrentConfig& config, DType dtype) {
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
  RecurrentConfig Config() const {
    return Small(GetParam().model, GetParam().variant);
  }

  /// Calls body(config) with every cell and score that the model allows.
  template <typename Body>
  void ForCellsAndScores(const Body& body) const {
    for (const std::string& cell : CellNames()) {
      if (GetParam().variant == "cho" && cell != "gru") continue;
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
                         testing::ValuesIn(RecurrentModels()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(EveryModel, HasTheGradientOfDifferencesForEveryCellAndScore) {
  ForCellsAndScores(
      [](const RecurrentConfig& config) { ExpectGradients(config, 4); });
}

TEST_P(EveryModel, UsesAllItsParameters) {
  ForCellsAndScores(ExpectAllParametersUsed);
}

TEST_P(EveryModel, StepByStepEqualsAllAtOnceForEveryCellAndScore) {
  ForCellsAndScores([](const RecurrentConfig& config) {
    EXPECT_LT(StepDifference(config, DType::kF64), 1e-12);
    EXPECT_LT(StepDifference(config, DType::kF32), 1e-5);
  });
}

TEST_P(EveryModel, TakesEveryModifierMaskAndNormalizer) {
  if (!attends()) return;
  std::vector<RecurrentConfig> configs;
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
  for (const RecurrentConfig& config : configs) {
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
  refuses([](RecurrentConfig& c) { c.normalizer = "hard"; }, "REINFORCE");
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
  const Batch batch;
  const auto logits = [&](const EncoderDecoder& model) {
    return model.Logits({}, batch.source, batch.lengths, batch.target).value();
  };
  EXPECT_LT(MaxDifference(logits(*exact), logits(*rounded)), 1e-5);
}

TEST_P(EveryModel, ABatchEqualsItsRowsAloneWithoutPadding) {
  ForCellsAndScores([](const RecurrentConfig& config) {
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

/// The next logits and weights of one row that is run alone, from its start.
struct Alone {
  Tensor logits;   // [1, V]
  Tensor weights;  // [1, S'], or undefined
};
Alone RunAlone(const EncoderDecoder& model, const Batch& batch, int64_t source,
               const std::vector<int32_t>& words) {
  const int64_t n = batch.LengthOf(source);
  const auto state = model.Start({}, Column(batch.source, source, n),
                                 Lengths({static_cast<int32_t>(n)}));
  Tensor logits;
  for (const int32_t word : words)
    logits = model.Step({}, Ids({word}, {1}), *state).value();
  return {logits, state->weights()};
}

/// A batch that is stepped and moved, beside what each row is.
class MovedBatch {
 public:
  explicit MovedBatch(const EncoderDecoder& model)
      : model_(model),
        state_(model.Start({}, batch_.source, batch_.lengths)),
        source_of_rows_({0, 1, 2}),
        words_(3) {}

  void Move(const std::vector<int32_t>& rows,
            const std::vector<int32_t>& sources = {}) {
    const auto count = [](const auto& x) { return std::ssize(x); };
    state_->Reorder(
        Ids(rows, {count(rows)}),
        sources.empty() ? Tensor() : Ids(sources, {count(sources)}));
    const auto before = std::pair(source_of_rows_, words_);
    source_of_rows_.clear();
    words_.clear();
    for (const int32_t row : rows) {
      source_of_rows_.push_back(before.first[static_cast<size_t>(row)]);
      words_.push_back(before.second[static_cast<size_t>(row)]);
    }
  }

  /// Each row gives what it gives alone.
  void Step(uint64_t seed) {
    const Tensor words = RandomIds({std::ssize(words_)}, kTargetWords, seed);
    const Tensor logits = model_.Step({}, words, *state_).value();
    ASSERT_EQ(logits.dim(0), std::ssize(words_));
    for (size_t i = 0; i < words_.size(); ++i) {
      SCOPED_TRACE("row " + std::to_string(i));
      const auto row = static_cast<int64_t>(i);
      words_[i].push_back(words.data<int32_t>()[i]);
      const Alone alone =
          RunAlone(model_, batch_, source_of_rows_[i], words_[i]);
      EXPECT_LT(MaxDifference(logits[row], alone.logits[0]), 1e-13);
      ASSERT_EQ(state_->weights().defined(), alone.weights.defined());
      if (!alone.weights.defined()) continue;
      const Tensor weights = state_->weights()[row];
      EXPECT_LT(MaxDifference(weights.Slice(0, alone.weights.dim(1)),
                              alone.weights[0]),
                1e-13);
    }
  }

 private:
  const EncoderDecoder& model_;
  Batch batch_;
  std::unique_ptr<DecodingState> state_;
  std::vector<int64_t> source_of_rows_;
  std::vector<std::vector<int32_t>> words_;
};

void ExpectMovedRowsGoOnAsIfAlone(const RecurrentConfig& config) {
  const auto model = Make(config);
  MovedBatch batch(*model);
  batch.Step(21);
  batch.Move({0, 0, 1, 1, 2, 2});  // two rows of each source
  batch.Step(22);
  batch.Move({1, 0, 2, 2, 5, 4});
  batch.Step(23);
  batch.Move({1, 0, 1, 4, 4, 5}, {0, 2});  // three of two sources
  batch.Step(24);
  batch.Move({5}, {1});
  batch.Step(25);
}

TEST_P(EveryModel, MovedRowsGoOnAsIfTheyHadRunAlone) {
  ForCellsAndScores(ExpectMovedRowsGoOnAsIfAlone);
  if (!attends()) return;
  RecurrentConfig config = Config();
  config.heads = 2;
  ExpectMovedRowsGoOnAsIfAlone(config);
  // Where a query stands matters, and how it looked before.
  for (const char* modifiers : {"alibi", "shift(1)", "soft_cap(3)"}) {
    config.modifiers = modifiers;
    ExpectMovedRowsGoOnAsIfAlone(config);
  }
  config.modifiers = "none";
  config.attention_mask = "window(1)";
  ExpectMovedRowsGoOnAsIfAlone(config);
}

TEST_P(EveryModel, ScoresOnlyTheWordsThatAreAskedFor) {
  for (const bool tie : {false, true}) {
    auto config = Config();
    config.tie_output = tie;
    if (tie) {
      config.readout = "tanh";
      config.readout_units = config.embedding;
    }
    const auto model = Make(config);
    const Batch batch;
    const std::vector<int32_t> words = {0, 1, 2, 3, 5};
    const auto all = model->Start({}, batch.source, batch.lengths);
    const auto some = model->Start({}, batch.source, batch.lengths);
    StepOptions options;
    options.outputs = Ids(words, {5});
    some->SetOptions(options);
    for (int64_t t = 0; t < 2; ++t) {
      const Tensor expected = model->Step({}, batch.target[t], *all).value();
      const Tensor scores = model->Step({}, batch.target[t], *some).value();
      ASSERT_EQ(scores.shape(), (Shape{B, 5}));
      for (int64_t b = 0; b < B; ++b) {
        for (int64_t i = 0; i < 5; ++i) {
          EXPECT_NEAR(kernels::At(scores, b, i),
                      kernels::At(expected, b, words[static_cast<size_t>(i)]),
                      1e-13);
        }
      }
    }
  }
}

TEST_P(EveryModel, GivesNoWeightsThatAreNotWanted) {
  const auto model = Make(Config());
  const Batch batch;
  const auto state = model->Start({}, batch.source, batch.lengths);
  state->SetOptions({.weights = false});
  model->Step({}, batch.target[0], *state);
  EXPECT_FALSE(state->weights().defined());
}

TEST_P(EveryModel, DropoutIsReproducibleAndOnlyWhileTraining) {
  for (const bool variational : {false, true}) {
    RecurrentConfig config = Config();
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
    RecurrentConfig config = Config();
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
  RecurrentConfig config = Config();
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
    RecurrentConfig config = Config();
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
    ExpectGradients(choices[i], 4);
    ExpectAllParametersUsed(choices[i]);
    EXPECT_LT(StepDifference(choices[i], DType::kF64), 1e-12);
    ExpectMovedRowsGoOnAsIfAlone(choices[i]);
  }
}

}  // namespace
}  // namespace heed
