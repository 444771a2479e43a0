#include "heed/models/transformer/bert.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/models/model_testing.h"

namespace heed::bert_test {
namespace {

constexpr double kTolerance = 1e-10;
constexpr int kWords = 23;

ResolvedTransformer SmallBert() {
  TransformerConfig config;
  config.layers = 2;
  config.width = 8;
  config.ff = 12;
  config.heads = 2;
  config.max_positions = 9;
  config.dropout = config.attention_dropout = 0;
  return config.Resolve("bert-tiny");
}

// BERT's Adam, without bias correction.
constexpr kernels::AdamOptions kBertAdam = {
    .epsilon = 1e-6, .weight_decay = 0.01, .bias_correction = false};

// Comparison with PyTorch: see tests/golden/bert.py.
class BertGolden : public testing::Test {
 protected:
  BertGolden() : golden_("bert"), model_(SmallBert(), kWords, 1, DType::kF64) {
    golden_.SetParameters(model_.parameters());
    text_ = {golden_.at("ids"), golden_.at("lengths"), golden_.at("segments")};
    targets_ = {golden_.at("rows"), golden_.at("labels"), golden_.at("next")};
  }

  GoldenTensors golden_;
  Bert model_;
  BertText text_;
  BertTargets targets_;
};

TEST_F(BertGolden, HasAsManyParameters) {
  golden_.ExpectSameParameters(model_.parameters());
}

TEST_F(BertGolden, StatesAndScoresAreThoseOfPyTorch) {
  const Context ctx;
  const Var states = model_.States(ctx, text_);
  const Tensor expected = golden_.at("states");
  for (int64_t b = 0; b < expected.dim(0); ++b) {
    const int64_t length = text_.lengths.data<int32_t>()[b];
    EXPECT_LT(MaxDifference(states.value()[b].Slice(0, length),
                            expected[b].Slice(0, length)),
              kTolerance);
  }
  EXPECT_LT(
      MaxDifference(model_.Pool(ctx, states).value(), golden_.at("pooled")),
      kTolerance);
  EXPECT_LT(
      MaxDifference(model_.TokenLogits(ctx, states, targets_.rows).value(),
                    golden_.at("word_scores")),
      kTolerance);
  EXPECT_LT(MaxDifference(model_.NextScores(ctx, states).value(),
                          golden_.at("next_scores")),
            kTolerance);
}

TEST_F(BertGolden, LossAndGradientsAreThoseOfPyTorch) {
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const BertLoss loss = model_.Loss(ctx, text_, targets_, {});
  EXPECT_NEAR(loss.loss.value().item(),
              golden_.at("losses").ToVector<double>()[0], kTolerance);
  EXPECT_EQ(loss.words.tokens, 5);
  EXPECT_EQ(loss.next.tokens, 3);
  tape.Backward(loss.loss);
  golden_.ExpectGradients(model_.parameters(), kTolerance);
}

TEST_F(BertGolden, TenStepsOfTrainingAreThoseOfPyTorch) {
  Adam adam(model_.parameters(), kBertAdam);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  for (const double expected : golden_.at("losses").ToVector<double>()) {
    tape.Clear();
    const BertLoss loss = model_.Loss(ctx, text_, targets_, {});
    EXPECT_NEAR(loss.loss.value().item(), expected, 1e-8);
    tape.Backward(loss.loss);
    adam.Step(0.01);
  }
  golden_.ExpectTrained(model_.parameters(), 1e-7);
}

TEST_F(BertGolden, ScaleMultipliesTheLossAlone) {
  const BertLoss whole = model_.Loss(Context(), text_, targets_, {});
  const BertLoss half = model_.Loss(Context(), text_, targets_, {.scale = 0.5});
  EXPECT_NEAR(half.loss.value().item(), whole.loss.value().item() / 2, 1e-12);
  EXPECT_EQ(half.words.nll, whole.words.nll);
}

TEST(Bert, PaddingAndNeighboursChangeNothing) {
  const Bert model(SmallBert(), kWords, 3, DType::kF64);
  const Context ctx;
  const Var alone =
      model.States(ctx, {Ids({2, 7, 3}, {1, 3}), Lengths({3}), {}});
  const Var padded = model.States(
      ctx, {Ids({2, 9, 9, 3, 5, 2, 7, 3, 0, 0}, {2, 5}), Lengths({5, 3}),
            Ids({0, 0, 0, 1, 1, 0, 0, 0, 0, 0}, {2, 5})});
  EXPECT_LT(MaxDifference(alone.value()[0], padded.value()[1].Slice(0, 3)),
            1e-12);
  EXPECT_LT(MaxDifference(model.Pool(ctx, alone).value()[0],
                          model.Pool(ctx, padded).value()[1]),
            1e-12);
}

TEST(Bert, SegmentsAreDistinguished) {
  const Bert model(SmallBert(), kWords, 3, DType::kF64);
  const auto states = [&](const Tensor& segments) {
    return model
        .States(Context(), {Ids({2, 7, 3}, {1, 3}), Lengths({3}), segments})
        .value();
  };
  EXPECT_EQ(MaxDifference(states({}), states(Ids({0, 0, 0}, {1, 3}))), 0);
  EXPECT_GT(MaxDifference(states({}), states(Ids({0, 0, 1}, {1, 3}))), 1e-3);
}

TEST(Bert, ShapesThatDoNotFitAreShapeErrors) {
  const Bert model(SmallBert(), kWords, 3);
  const Tensor ids = Ids({2, 7, 3}, {1, 3});
  const BertText text = {ids, Lengths({3}), {}};
  EXPECT_THROW(model.States(Context(), {ids, Lengths({4}), {}}), ShapeError);
  EXPECT_THROW(
      model.States(Context(), {Ids({2, kWords}, {1, 2}), Lengths({2}), {}}),
      ShapeError);
  const Tensor too_long = Tensor::Zeros({1, 10}, DType::kI32);
  EXPECT_THROW(model.States(Context(), {too_long, Lengths({10}), {}}),
               ShapeError);
  EXPECT_THROW(model.Loss(Context(), text,
                          {Ids({3}, {1}), Ids({4}, {1}), Ids({0}, {1})}, {}),
               ShapeError);
  EXPECT_THROW(model.Loss(Context(), text,
                          {Ids({1}, {1}), Ids({4, 5}, {2}), Ids({0}, {1})}, {}),
               ShapeError);
}

// Texts that repeat one word; the second segment repeats the same word or
// another one, and one word of the first segment is masked.
struct Example {
  BertText text;
  BertTargets targets;
};
Example MakeExample(Rng& rng) {
  constexpr int kBatch = 16;
  constexpr int kLength = 9;  // [CLS] a a a [SEP] b b b [SEP]
  std::vector<int32_t> ids, segments, rows, labels, next;
  for (int b = 0; b < kBatch; ++b) {
    const auto word = static_cast<int32_t>(5 + rng.Below(8));
    const bool random = rng.Uniform() < 0.5;
    const auto other = static_cast<int32_t>(13 + rng.Below(8));
    const auto hidden = static_cast<int32_t>(1 + rng.Below(3));
    for (int s = 0; s < kLength; ++s) {
      segments.push_back(s > 4);
      ids.push_back(s == 0             ? 2
                    : s == 4 || s == 8 ? 3
                    : s == hidden      ? 4
                    : s > 4 && random  ? other
                                       : word);
    }
    rows.push_back(b * kLength + hidden);
    labels.push_back(word);
    next.push_back(random ? 1 : 0);
  }
  return {{Ids(ids, {kBatch, kLength}),
           Lengths(std::vector<int32_t>(kBatch, kLength)),
           Ids(segments, {kBatch, kLength})},
          {Lengths(rows), Lengths(labels), Lengths(next)}};
}

TEST(Bert, LearnsHiddenWordsAndWhatFollows) {
  TransformerConfig config;
  config.width = 32;
  config.ff = 64;
  config.max_positions = 16;
  Bert model(config.Resolve("bert-tiny"), kWords, 1);
  Adam adam(model.parameters(), kBertAdam);
  Rng rng(2);
  Rng examples(3);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  ctx.rng = &rng;
  ctx.training = true;
  for (int step = 0; step < 400; ++step) {
    tape.Clear();
    const auto [text, targets] = MakeExample(examples);
    tape.Backward(model.Loss(ctx, text, targets, {}).loss);
    adam.Step(1e-3);
  }
  int64_t words = 0;
  int64_t next = 0;
  for (int i = 0; i < 20; ++i) {
    const auto [text, targets] = MakeExample(examples);
    const BertLoss loss = model.Loss(Context(), text, targets, {});
    words += loss.words.correct;
    next += loss.next.correct;
  }
  EXPECT_GE(words, 318);  // of 320
  EXPECT_GE(next, 318);
}

}  // namespace
}  // namespace heed::bert_test
