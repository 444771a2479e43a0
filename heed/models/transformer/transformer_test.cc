#include "heed/models/transformer/transformer.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "heed/autograd/product_observer.h"
#include "heed/base/threads.h"
#include "heed/models/transformer/transformer_testing.h"

namespace heed::transformer_test {
namespace {

constexpr int kWords = 9;  // of a SequenceBatch

using Change = std::function<void(TransformerConfig&)>;

struct Kind {
  std::string name;
  Change change;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

ResolvedTransformer ConfigOf(const Kind& kind) {
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
                     c.activation = "gelu";  // smooth, for finite differences
                   }});
  kinds.push_back({"ssru", [](C& c) { c.decoder_recurrence = "ssru"; }});
  kinds.push_back({"ssru_post", [](C& c) {
                     c.decoder_recurrence = "ssru";
                     c.norm = "post";
                     c.decoder_layers = 2;
                   }});
  kinds.push_back({"additive", [](C& c) { c.score = "additive"; }});
  kinds.push_back({"general", [](C& c) { c.score = "general"; }});
  kinds.push_back({"sparsemax", [](C& c) { c.normalizer = "sparsemax"; }});
  return kinds;
}

std::unique_ptr<Decoder> Make(const ResolvedTransformer& config,
                              DType dtype = DType::kF64) {
  auto model = std::make_unique<Transformer>(config, kWords, kWords, 3, dtype);
  Shake(model->parameters());
  return model;
}

std::unique_ptr<Decoder> MakeLanguageModel(const ResolvedTransformer& config,
                                           DType dtype = DType::kF64) {
  auto model =
      std::make_unique<TransformerLanguageModel>(config, kWords, 3, dtype);
  Shake(model->parameters());
  return model;
}

class EveryTransformer : public testing::TestWithParam<Kind> {
 protected:
  ResolvedTransformer config() const { return ConfigOf(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTransformer, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryTransformer, HasTheGradientOfDifferencesForAllItsParameters) {
  ExpectGradients(*Make(config()), {}, 3);
  ExpectGradients(*MakeLanguageModel(config()), {}, 3);
}

TEST_P(EveryTransformer, StepByStepEqualsAllAtOnce) {
  const SequenceBatch batch;
  const SequenceBatch empty = batch.WithoutSource();
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const double close = dtype == DType::kF64 ? 1e-12 : 2e-5;
    EXPECT_LT(StepDifference(*Make(config(), dtype), batch), close);
    EXPECT_LT(StepDifference(*MakeLanguageModel(config(), dtype), empty),
              close);
  }
}

TEST_P(EveryTransformer, ABatchEqualsItsRowsAloneWithoutPadding) {
  ExpectBatchEqualsItsRows(*Make(config()), {});
}

TEST_P(EveryTransformer, PaddingChangesNothing) {
  ExpectPaddingChangesNothing(*Make(config()), {}, 1e-15);
}

TEST_P(EveryTransformer, WhatComesLaterChangesNothing) {
  ExpectWhatComesLaterChangesNothing(*Make(config()), {});
  ExpectWhatComesLaterChangesNothing(*MakeLanguageModel(config()), {});
}

TEST_P(EveryTransformer, AnEmptySourceGivesFiniteResults) {
  ExpectFiniteResultsForAnEmptySource(*Make(config(), DType::kF32), {});
}

/// Batch whose sources have one length.
SequenceBatch Prompts() {
  SequenceBatch prompts;
  prompts.source = RandomIds({2, 3}, kWords, 9);
  prompts.lengths = Lengths({2, 2, 2});
  return prompts;
}

TEST_P(EveryTransformer, ReorderedRowsGoOnAsIfTheyHadRunAlone) {
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const double close = dtype == DType::kF64 ? 1e-13 : 2e-5;
    ExpectReorderedRowsGoOnAlone(*Make(config(), dtype), {}, close);
    ExpectReorderedRowsGoOnAlone(*MakeLanguageModel(config(), dtype), Prompts(),
                                 close);
  }
}

TEST_P(EveryTransformer, RowsMayBeReorderedBeforeTheFirstStep) {
  const auto model = MakeLanguageModel(config());
  Search search(*model, Prompts(), 1e-13);
  search.Reorder({0, 0, 2, 2}, {0, 2});
  search.Step(21);
  search.Step(22);
}

TEST_P(EveryTransformer, APromptIsReadWithTheFirstStep) {
  ExpectPromptIsReadWithTheFirstStep(*MakeLanguageModel(config()), {});
}

TEST_P(EveryTransformer, ScoresOfSomeWordsAreThoseOfAll) {
  ExpectScoresOfSomeWords(*Make(config()), {}, {0, 3, 4, 8}, 1e-14);
}

TEST_P(EveryTransformer, ShowsTheWeightsOfEachStep) {
  const auto model = Make(config());
  const SequenceBatch batch;
  DecoderState state = StartOf(*model, batch.inputs());
  model->Step({}, batch.target_in[0], state);
  ExpectWeightsOfSources(state.weights, batch);
}

TEST_P(EveryTransformer, OnManyThreadsGivesTheSameBits) {
  const auto model = Make(config(), DType::kF32);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return LogitsOf(*model, {});
  };
  EXPECT_EQ(MaxDifference(run(1), run(4)), 0);
}

TEST_P(EveryTransformer, DropoutHasTheGradientOfDifferences) {
  ResolvedTransformer dropping = config();
  dropping.stack.dropout = 0.3;
  dropping.stack.attention_dropout = 0.2;
  dropping.stack.activation_dropout = 0.2;
  ExpectGradients(*Make(dropping), {}, 3, true);
}

TEST(Transformer, DropoutIsReproducibleAndOnlyWhileTraining) {
  for (const char* rate :
       {"dropout", "attention_dropout", "activation_dropout"}) {
    TransformerConfig config = SmallTransformer();
    SetPreset(FieldsOf(config), std::string(rate) + "=0.3");
    ExpectDropoutOnlyWhileTraining(*Make(Resolved(config)), {});
  }
}

TEST(Transformer, InBfloat16IsCloseToF32) {
  TransformerConfig config = SmallTransformer();
  const auto exact = Make(Resolved(config), DType::kF32);
  config.precision = "bf16";
  const auto rounded = Make(Resolved(config), DType::kF32);
  EXPECT_LT(MaxDifference(LogitsOf(*exact, {}), LogitsOf(*rounded, {})), 0.15);
}

TEST(Transformer, ARecurrentDecoderReadsNoFirstToken) {
  for (const char* recurrence : {"none", "ssru"}) {
    TransformerConfig config = SmallTransformer();
    config.decoder_recurrence = recurrence;
    const auto model = Make(Resolved(config));
    SequenceBatch batch;
    const Tensor scores = LogitsOf(*model, batch);
    batch.target_in = batch.target_in.Clone();
    batch.target_in[0].Fill(kWords - 1);
    EXPECT_EQ(MaxDifference(LogitsOf(*model, batch), scores) == 0,
              config.decoder_recurrence == DecoderRecurrence::kSsru);
  }
}

TEST(Transformer, GivesTheTopKAlone) {
  Transformer model(Resolved(SmallTransformer()), kWords, kWords, 3);
  ExpectTopKScores(model, {}, {0, 1, 2, 3, 5, 8});
  model.parameters().SetPrecision(kernels::Precision::kInt8);
  ExpectTopKScores(model, {}, {0, 1, 2, 3, 5, 8});
}

/// Left factors of products by the names of the weights.
class FactorWatch : public ProductObserver {
 public:
  void OnProduct(const Parameter& weight, const Tensor& x) override {
    EXPECT_EQ(x.dim(-1), weight.value().dim(0));
    ++calls[weight.name()];
  }
  std::map<std::string, int> calls;
};

TEST(Transformer, ShowsAnObserverTheFactorsOfEveryMatrix) {
  for (const char* activation : {"relu", "swiglu"}) {
    TransformerConfig config = SmallTransformer();
    config.activation = activation;
    const auto model = Make(Resolved(config));
    FactorWatch watch;
    Context ctx;
    ctx.observer = &watch;
    EXPECT_LT(MaxDifference(LogitsOf(*model, {}, ctx), LogitsOf(*model, {})),
              1e-12);
    for (const auto& parameter : model->parameters().all()) {
      const std::string& name = parameter->name();
      const bool matrix =
          name.ends_with(".weight") && !name.ends_with("embedding.weight");
      EXPECT_EQ(watch.calls.contains(name), matrix) << name;
    }
  }
}

TEST(Transformer, ShowsAnObserverTheWeightsOfEveryAttention) {
  const auto model = Make(Resolved(SmallTransformer()));
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  LogitsOf(*model, {}, ctx);
  std::map<std::string, std::string> axes;
  for (const AttentionWatch::Seen& seen : watch.seen) {
    axes[seen.info.path] = seen.info.query_axis + " to " + seen.info.key_axis;
    EXPECT_EQ(seen.step, 0);
    EXPECT_EQ(seen.weights.dim(0), 3);
    EXPECT_EQ(seen.weights.dim(1), 2);
    EXPECT_EQ(seen.info.score, "scaled_dot");
    EXPECT_NE(model->parameters().Find(seen.info.output), nullptr);
  }
  EXPECT_EQ(
      axes,
      (std::map<std::string, std::string>{
          {"encoder.layers.0.self_attention", "source to source"},
          {"encoder.layers.1.self_attention", "source to source"},
          {"decoder.layers.0.self_attention", "target_inputs to target_inputs"},
          {"decoder.layers.0.cross_attention", "target to source"}}));
  EXPECT_EQ(watch.seen.size(), 4u);
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
  EXPECT_THROW(Transformer(Resolved(config), kWords, kWords + 1, 1),
               ConfigError);
}

TEST(Transformer, RefusesWhatIsNotASource) {
  ExpectRefusesWhatIsNotASource(*Make(Resolved(SmallTransformer())), {});
}

TEST(Transformer, SaysWhereLearnedPositionsEnd) {
  TransformerConfig config = SmallTransformer();
  config.position = "learned";
  config.max_positions = 3;
  const auto model = Make(Resolved(config));
  ExpectShapeError([&] { LogitsOf(*model, {}); },
                   {"encoder.positions", "5 of 3"});
}

TEST(Transformer, SinusoidsGoOnBehindTheTable) {
  TransformerConfig config = SmallTransformer();
  const auto table = Make(Resolved(config));
  config.max_positions = 2;
  const auto no_table = Make(Resolved(config));
  EXPECT_EQ(MaxDifference(LogitsOf(*table, {}), LogitsOf(*no_table, {})), 0);
}

TEST(TransformerLanguageModel, RefusesPromptsOfSeveralLengths) {
  const auto model = MakeLanguageModel(Resolved(SmallTransformer()));
  const SequenceBatch batch;
  ExpectShapeError([&] { StartOf(*model, batch.inputs()); },
                   {"prompt 1 has 2 tokens", "5"});
}

}  // namespace
}  // namespace heed::transformer_test
