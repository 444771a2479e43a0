#include "heed/models/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/gather.h"
#include "heed/models/transformer_testing.h"
#include "heed/ops/loss.h"

namespace heed {
namespace {

constexpr int64_t S = 5;
constexpr int64_t T = 4;
constexpr int64_t B = 3;
constexpr int kWords = 9;

using Change = std::function<void(TransformerConfig&)>;

struct Kind {
  std::string name;
  Change change;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

TransformerConfig ConfigOf(const Kind& kind) {
  TransformerConfig config = SmallTransformer();
  kind.change(config);
  return Resolved(config);
}

Kind WithPosition(const std::string& position, const std::string& norm) {
  return {position + "_" + norm, [=](TransformerConfig& c) {
            c.position = position;
            c.norm = norm;
          }};
}

Kind WithTie(const std::string& tie) {
  return {"tie_" + tie, [=](TransformerConfig& c) { c.tie = tie; }};
}

std::vector<Kind> Kinds() {
  using C = TransformerConfig;
  std::vector<Kind> kinds;
  for (const char* position :
       {"sinusoidal", "sinusoidal_concat", "sinusoidal_t2t", "learned",
        "rotary", "alibi", "relative", "none"}) {
    kinds.push_back(WithPosition(position, "pre"));
  }
  kinds.push_back(WithPosition("sinusoidal", "post"));
  kinds.push_back(WithPosition("learned", "post"));
  for (const char* tie : {"none", "source_target", "all"}) {
    kinds.push_back(WithTie(tie));
  }
  kinds.push_back({"grouped_rotary", [](C& c) {
                     c.width = 16;
                     c.heads = 4;
                     c.key_heads = 2;
                     c.position = "rotary";
                   }});
  kinds.push_back({"one_key_head_post", [](C& c) {
                     c.key_heads = 1;
                     c.norm = "post";
                   }});
  kinds.push_back({"swiglu", [](C& c) { c.activation = "swiglu"; }});
  kinds.push_back({"gelu_tanh", [](C& c) { c.activation = "gelu_tanh"; }});
  kinds.push_back({"swish_without_biases", [](C& c) {
                     c.activation = "swish";
                     c.attention_bias = false;
                     c.output_bias = false;
                   }});
  kinds.push_back({"post_with_final_norm", [](C& c) {
                     c.norm = "post";
                     c.final_norm = "yes";
                   }});
  kinds.push_back({"pre_without_final_norm", [](C& c) {
                     c.norm = "pre";
                     c.final_norm = "no";
                   }});
  kinds.push_back({"as_bert", [](C& c) {
                     c.position = "learned";
                     c.norm = "post";
                     c.activation = "gelu";
                     c.embedding_scale = "no";
                     c.embedding_norm = "yes";
                     c.segments = 2;
                   }});
  kinds.push_back({"window", [](C& c) { c.attention_mask = "window(1)"; }});
  kinds.push_back({"alibi_and_soft_cap", [](C& c) {
                     c.position = "alibi";
                     c.modifiers = "soft_cap(5)";
                   }});
  kinds.push_back({"history", [](C& c) {
                     c.modifiers = "interpolate";
                     c.activation = "gelu";  // smooth, for its differences
                   }});
  kinds.push_back({"additive", [](C& c) { c.score = "additive"; }});
  kinds.push_back({"general", [](C& c) { c.score = "general"; }});
  kinds.push_back({"sparsemax", [](C& c) { c.normalizer = "sparsemax"; }});
  return kinds;
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
  Tensor source = RandomIds({S, B}, kWords, 1);
  Tensor lengths = Lengths({5, 2, 4});
  Tensor target = RandomIds({T, B}, kWords, 2);

  int64_t LengthOf(int64_t b) const { return lengths.data<int32_t>()[b]; }
};

/// Norms and biases start at values that hide mistakes.
template <typename Model>
std::unique_ptr<Model> Shaken(std::unique_ptr<Model> model, DType dtype) {
  uint64_t seed = 40;
  for (const auto& parameter : model->parameters().all()) {
    if (parameter->value().rank() != 1) continue;
    parameter->mutable_value() =
        RandomTensor(parameter->value().shape(), seed++, dtype);
    parameter->Changed();
  }
  return model;
}

std::unique_ptr<SequenceModel> Make(const TransformerConfig& config,
                                    DType dtype = DType::kF64) {
  return Shaken<SequenceModel>(
      std::make_unique<Transformer>(config, kWords, kWords, 3, dtype), dtype);
}

std::unique_ptr<SequenceModel> MakeLanguageModel(
    const TransformerConfig& config, DType dtype = DType::kF64) {
  return Shaken<SequenceModel>(
      std::make_unique<TransformerLanguageModel>(config, kWords, 3, dtype),
      dtype);
}

Tensor LogitsOf(const SequenceModel& model, const Batch& batch,
                const Context& ctx = {}) {
  return model.Logits(ctx, batch.source, batch.lengths, batch.target).value();
}

Var LossOf(const SequenceModel& model, const Batch& batch, const Context& ctx) {
  CrossEntropyOptions options;
  options.scale = 1.0 / (T * B);
  return CrossEntropy(
             model.Logits(ctx, batch.source, batch.lengths, batch.target),
             RandomIds({T, B}, kWords, 5), options)
      .loss;
}

void ExpectGradients(const SequenceModel& model, const Batch& batch,
                     bool dropout = false) {
  std::vector<Parameter*> parameters;
  for (const auto& parameter : model.parameters().all()) {
    parameters.push_back(parameter.get());
  }
  const auto loss = [&](Tape* tape) {
    Rng rng(8);
    Context ctx;
    ctx.tape = tape;
    ctx.rng = &rng;
    ctx.training = dropout;
    return LossOf(model, batch, ctx);
  };
  const GradientCheckResult result =
      CheckParameterGradient(loss, parameters, 3);
  EXPECT_LT(result.worst, 1e-6) << result.where;
  Tape tape;
  for (Parameter* parameter : parameters) parameter->ClearGradient();
  tape.Backward(loss(&tape));
  for (Parameter* parameter : parameters) {
    EXPECT_TRUE(parameter->gradient().defined()) << parameter->name();
  }
}

/// Greatest difference of logits between Step and Logits.
double StepDifference(const SequenceModel& model, const Tensor& source,
                      const Batch& batch) {
  const Tensor all = LogitsOf(model, batch);
  const auto state = model.Start({}, source, batch.lengths);
  double worst = 0;
  for (int64_t t = 0; t < T; ++t) {
    const Tensor step = model.Step({}, batch.target[t], *state).value();
    worst = std::max(worst, MaxDifference(step, all[t]));
  }
  return worst;
}

/// No tokens, of B columns.
Batch WithoutSource() {
  Batch batch;
  batch.source = Tensor({0, B}, DType::kI32);
  batch.lengths = Lengths({0, 0, 0});
  return batch;
}

class EveryTransformer : public testing::TestWithParam<Kind> {
 protected:
  TransformerConfig config() const { return ConfigOf(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTransformer, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryTransformer, HasTheGradientOfDifferencesForAllItsParameters) {
  ExpectGradients(*Make(config()), Batch());
  ExpectGradients(*MakeLanguageModel(config()), Batch());
}

TEST_P(EveryTransformer, StepByStepEqualsAllAtOnce) {
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const double close = dtype == DType::kF64 ? 1e-12 : 2e-5;
    const Batch batch;
    EXPECT_LT(StepDifference(*Make(config(), dtype), batch.source, batch),
              close);
    const Batch empty = WithoutSource();
    EXPECT_LT(StepDifference(*MakeLanguageModel(config(), dtype), empty.source,
                             empty),
              close);
  }
}

TEST_P(EveryTransformer, ABatchEqualsItsRowsAloneWithoutPadding) {
  const auto model = Make(config());
  const Batch batch;
  const Tensor all = LogitsOf(*model, batch);
  for (int64_t b = 0; b < B; ++b) {
    const int64_t n = batch.LengthOf(b);
    Batch alone;
    alone.source = Column(batch.source, b, n);
    alone.lengths = Lengths({static_cast<int32_t>(n)});
    alone.target = Column(batch.target, b, T);
    const Tensor logits = LogitsOf(*model, alone);
    for (int64_t t = 0; t < T; ++t) {
      EXPECT_LT(MaxDifference(logits[t][0], all[t][b]), 1e-13);
    }
  }
}

TEST_P(EveryTransformer, PaddingChangesNothing) {
  const auto model = Make(config());
  Batch batch;
  const auto run = [&] {
    for (const auto& parameter : model->parameters().all())
      parameter->ClearGradient();
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const Var loss = LossOf(*model, batch, ctx);
    std::vector<Tensor> results = {loss.value()};
    tape.Backward(loss);
    for (const auto& parameter : model->parameters().all())
      results.push_back(parameter->gradient());
    return results;
  };
  const std::vector<Tensor> before = run();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = batch.LengthOf(b); s < S; ++s) {
      int32_t& id = batch.source.data<int32_t>()[s * B + b];
      id = (id + 1) % kWords;
    }
  }
  const std::vector<Tensor> after = run();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_LT(MaxDifference(before[i], after[i]), 1e-15)
        << "loss or gradient " << i;
  }
}

TEST_P(EveryTransformer, WhatComesLaterChangesNothing) {
  for (const auto& model : {Make(config()), MakeLanguageModel(config())}) {
    Batch batch;
    const Tensor before = LogitsOf(*model, batch);
    for (int64_t b = 0; b < B; ++b) {
      int32_t& id = batch.target.data<int32_t>()[(T - 2) * B + b];
      id = (id + 1) % kWords;
    }
    const Tensor after = LogitsOf(*model, batch);
    for (int64_t t = 0; t < T - 2; ++t) {
      EXPECT_EQ(MaxDifference(before[t], after[t]), 0) << "position " << t;
    }
    EXPECT_GT(MaxDifference(before[T - 2], after[T - 2]), 1e-6);
  }
}

TEST_P(EveryTransformer, AnEmptySourceGivesFiniteResults) {
  const auto model = Make(config(), DType::kF32);
  Batch batch;
  batch.lengths = Lengths({5, 0, 4});
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var loss = LossOf(*model, batch, ctx);
  EXPECT_TRUE(std::isfinite(loss.value().item()));
  tape.Backward(loss);
  for (const auto& parameter : model->parameters().all()) {
    for (const double g : parameter->gradient().ToVector<double>()) {
      ASSERT_TRUE(std::isfinite(g)) << parameter->name();
    }
  }
}

/// A search with given choices. Each row gives what it gives alone.
class Search {
 public:
  Search(const SequenceModel& model, const Batch& batch, double close)
      : model_(model),
        batch_(batch),
        close_(close),
        state_(model.Start({}, batch.source, batch.lengths)),
        words_(B) {
    for (int64_t b = 0; b < B; ++b) sources_.push_back(b);
  }

  void Step(uint64_t seed) {
    const Tensor words = RandomIds({std::ssize(words_)}, kWords, seed);
    const Tensor logits = model_.Step({}, words, *state_).value();
    ASSERT_EQ(logits.dim(0), std::ssize(words_));
    for (size_t i = 0; i < words_.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      words_[i].push_back(words.data<int32_t>()[i]);
      const Tensor alone = Alone(sources_[i], words_[i]);
      EXPECT_LT(MaxDifference(logits[row], alone), close_) << "row " << i;
      const Tensor& weights = state_->weights();
      if (!weights.defined()) continue;
      EXPECT_LT(MaxDifference(weights[row].Slice(0, alone_weights_.dim(1)),
                              alone_weights_[0]),
                close_)
          << "row " << i;
    }
  }

  void Reorder(const std::vector<int32_t>& rows,
               const std::vector<int32_t>& sources) {
    state_->Reorder(
        Ids(rows, {std::ssize(rows)}),
        sources.empty() ? Tensor() : Ids(sources, {std::ssize(sources)}));
    const auto before = std::pair(sources_, words_);
    sources_.clear();
    words_.clear();
    for (const int32_t row : rows) {
      sources_.push_back(before.first[static_cast<size_t>(row)]);
      words_.push_back(before.second[static_cast<size_t>(row)]);
    }
  }

 private:
  /// The last logits of one row that is run by itself.
  Tensor Alone(int64_t source, const std::vector<int32_t>& words) {
    const int64_t n = batch_.LengthOf(source);
    const auto state = model_.Start({}, Column(batch_.source, source, n),
                                    Lengths({static_cast<int32_t>(n)}));
    Tensor logits;
    for (const int32_t word : words)
      logits = model_.Step({}, Ids({word}, {1}), *state).value();
    alone_weights_ = state->weights();
    return logits[0];
  }

  const SequenceModel& model_;
  Batch batch_;
  double close_;
  std::unique_ptr<DecodingState> state_;
  std::vector<int64_t> sources_;  // of rows
  std::vector<std::vector<int32_t>> words_;
  Tensor alone_weights_;
};

void ExpectReorderedRowsGoOnAlone(const SequenceModel& model,
                                  const Batch& batch, double close) {
  Search search(model, batch, close);
  search.Step(21);
  search.Reorder({0, 0, 1, 1, 2, 2}, {});  // to two rows for each source
  search.Step(22);
  search.Step(23);
  search.Reorder({1, 0, 3, 3, 4, 5}, {});
  search.Step(24);
  search.Reorder({1, 1, 0, 5, 4, 4}, {0, 2});  // three rows; one source ends
  search.Step(25);
  search.Reorder({2, 5}, {});
  search.Step(26);
}

TEST_P(EveryTransformer, ReorderedRowsGoOnAsIfTheyHadRunAlone) {
  Batch prompts;
  prompts.source = RandomIds({2, B}, kWords, 9);
  prompts.lengths = Lengths({2, 2, 2});
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const double close = dtype == DType::kF64 ? 1e-13 : 2e-5;
    ExpectReorderedRowsGoOnAlone(*Make(config(), dtype), Batch(), close);
    ExpectReorderedRowsGoOnAlone(*MakeLanguageModel(config(), dtype), prompts,
                                 close);
  }
}

TEST_P(EveryTransformer, RowsMayBeReorderedBeforeTheFirstStep) {
  Batch prompts;
  prompts.source = RandomIds({2, B}, kWords, 9);
  prompts.lengths = Lengths({2, 2, 2});
  const auto model = MakeLanguageModel(config());
  Search search(*model, prompts, 1e-13);
  search.Reorder({0, 0, 2, 2}, {0, 2});
  search.Step(21);
  search.Step(22);
}

TEST_P(EveryTransformer, APromptIsReadWithTheFirstStep) {
  const auto model = MakeLanguageModel(config());
  const Batch batch;
  const Tensor all = LogitsOf(*model, batch);
  Batch prompt;
  prompt.source = batch.target.Slice(1, 3);
  prompt.lengths = Lengths({2, 2, 2});
  const auto state = model->Start({}, prompt.source, prompt.lengths);
  EXPECT_LT(
      MaxDifference(model->Step({}, batch.target[0], *state).value(), all[2]),
      1e-13);
  EXPECT_LT(
      MaxDifference(model->Step({}, batch.target[3], *state).value(), all[3]),
      1e-13);
  EXPECT_FALSE(state->weights().defined());
}

TEST_P(EveryTransformer, ScoresOfSomeWordsAreThoseOfAll) {
  const auto model = Make(config());
  const Batch batch;
  const std::vector<int32_t> outputs = {0, 3, 4, 8};
  const auto all = model->Start({}, batch.source, batch.lengths);
  const auto some = model->Start({}, batch.source, batch.lengths);
  StepOptions options;
  options.weights = false;
  options.outputs = Ids(outputs, {std::ssize(outputs)});
  some->SetOptions(options);
  for (int64_t t = 0; t < T; ++t) {
    const Tensor wide = model->Step({}, batch.target[t], *all).value();
    const Tensor narrow = model->Step({}, batch.target[t], *some).value();
    ASSERT_EQ(narrow.shape(), (Shape{B, std::ssize(outputs)}));
    EXPECT_FALSE(some->weights().defined());
    for (int64_t b = 0; b < B; ++b) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_NEAR(narrow.row<double>(b)[i], wide.row<double>(b)[outputs[i]],
                    1e-14);
      }
    }
  }
}

TEST_P(EveryTransformer, ShowsTheWeightsOfEachStep) {
  const auto model = Make(config());
  const Batch batch;
  const auto state = model->Start({}, batch.source, batch.lengths);
  model->Step({}, batch.target[0], *state);
  ASSERT_EQ(state->weights().shape(), (Shape{B, S}));
  for (int64_t b = 0; b < B; ++b) {
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) {
      const double weight = kernels::At(state->weights(), b, s);
      if (s >= batch.LengthOf(b)) {
        EXPECT_EQ(weight, 0);
      }
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST_P(EveryTransformer, OnManyThreadsGivesTheSameBits) {
  const auto model = Make(config(), DType::kF32);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return LogitsOf(*model, Batch());
  };
  EXPECT_EQ(MaxDifference(run(1), run(4)), 0);
}

TEST_P(EveryTransformer, DropoutHasTheGradientOfDifferences) {
  TransformerConfig dropping = config();
  dropping.dropout = 0.3;
  dropping.attention_dropout = 0.2;
  dropping.activation_dropout = 0.2;
  ExpectGradients(*Make(dropping), Batch(), true);
}

TEST(Transformer, DropoutIsReproducibleAndOnlyWhileTraining) {
  for (double TransformerConfig::*rate :
       {&TransformerConfig::dropout, &TransformerConfig::attention_dropout,
        &TransformerConfig::activation_dropout}) {
    TransformerConfig config = SmallTransformer();
    config.*rate = 0.3;
    const auto model = Make(Resolved(config));
    const auto logits = [&](uint64_t seed, bool training) {
      Rng rng(seed);
      Context ctx;
      ctx.rng = &rng;
      ctx.training = training;
      return LogitsOf(*model, Batch(), ctx);
    };
    EXPECT_EQ(MaxDifference(logits(1, true), logits(1, true)), 0);
    EXPECT_GT(MaxDifference(logits(1, true), logits(2, true)), 0.01);
    EXPECT_EQ(MaxDifference(logits(1, false), logits(2, false)), 0);
  }
}

TEST(Transformer, InBfloat16IsCloseToF32) {
  TransformerConfig config = SmallTransformer();
  const auto exact = Make(Resolved(config), DType::kF32);
  config.precision = "bf16";
  const auto rounded = Make(Resolved(config), DType::kF32);
  EXPECT_LT(
      MaxDifference(LogitsOf(*exact, Batch()), LogitsOf(*rounded, Batch())),
      0.15);
}

class ListeningRecorder : public Recorder {
 public:
  void OnAttention(const std::string& layer, int /*head*/, int64_t step,
                   const Tensor& weights) override {
    layers.insert(layer);
    EXPECT_EQ(step, 0);
    EXPECT_EQ(weights.dim(0), B);
    ++calls;
  }
  std::set<std::string> layers;
  int calls = 0;
};

TEST(Transformer, TellsARecorderTheWeightsOfEveryAttention) {
  const auto model = Make(Resolved(SmallTransformer()));
  ListeningRecorder recorder;
  Context ctx;
  ctx.recorder = &recorder;
  LogitsOf(*model, Batch(), ctx);
  EXPECT_EQ(recorder.layers,
            (std::set<std::string>{"encoder.layers.0.self_attention",
                                   "encoder.layers.1.self_attention",
                                   "decoder.layers.0.self_attention",
                                   "decoder.layers.0.cross_attention"}));
  EXPECT_EQ(recorder.calls, 4 * 2);
}

TEST(Transformer, HasTheSharesThatTiesSay) {
  const auto elements = [](const std::string& tie) {
    TransformerConfig config = SmallTransformer();
    config.tie = tie;
    return Make(Resolved(config))->parameters().elements();
  };
  constexpr int64_t kTable = kWords * 8;
  EXPECT_EQ(elements("none"), elements("all") + 2 * kTable);
  EXPECT_EQ(elements("output"), elements("all") + kTable);
  EXPECT_EQ(elements("source_target"), elements("all") + kTable);
}

TEST(Transformer, RefusesAJointEmbeddingOfTwoVocabularies) {
  TransformerConfig config = SmallTransformer();
  config.tie = "all";
  config = Resolved(config);
  EXPECT_THROW(Transformer(config, kWords, kWords + 1, 1), ConfigError);
}

TEST(Transformer, RefusesWhatIsNotASource) {
  const auto model = Make(Resolved(SmallTransformer()));
  Batch batch;
  for (const int32_t length : {6, -1}) {
    batch.lengths = Lengths({length, 2, 2});
    EXPECT_THROW(LogitsOf(*model, batch), ShapeError);
  }
  batch.lengths = Lengths({2, 2});
  EXPECT_THROW(LogitsOf(*model, batch), ShapeError);
  batch.lengths = {};
  EXPECT_THROW(LogitsOf(*model, batch), ShapeError);
  batch = {};
  batch.source = batch.source[0];
  EXPECT_THROW(LogitsOf(*model, batch), ShapeError);
  batch = {};
  batch.source.data<int32_t>()[0] = kWords;
  EXPECT_THROW(LogitsOf(*model, batch), ShapeError);
}

TEST(Transformer, SaysWhereLearnedPositionsEnd) {
  TransformerConfig config = SmallTransformer();
  config.position = "learned";
  config.max_positions = 3;
  const auto model = Make(Resolved(config));
  ExpectShapeError([&] { LogitsOf(*model, Batch()); },
                   {"encoder.positions", "5 of 3"});
}

TEST(Transformer, SinusoidsGoOnBehindTheTable) {
  TransformerConfig config = SmallTransformer();
  const auto table = Make(Resolved(config));
  config.max_positions = 2;
  const auto no_table = Make(Resolved(config));
  EXPECT_EQ(
      MaxDifference(LogitsOf(*table, Batch()), LogitsOf(*no_table, Batch())),
      0);
}

TEST(TransformerLanguageModel, RefusesPromptsOfSeveralLengths) {
  const auto model = MakeLanguageModel(Resolved(SmallTransformer()));
  const Batch batch;
  ExpectShapeError([&] { model->Start({}, batch.source, batch.lengths); },
                   {"prompt 1 has 2 tokens", "5"});
}

}  // namespace
}  // namespace heed
