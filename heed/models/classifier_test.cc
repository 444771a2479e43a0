#include "heed/models/classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent/rnn_encoder.h"
#include "heed/models/transformer/transformer_encoder.h"
#include "heed/models/transformer/transformer_testing.h"

namespace heed::classifier_test {
namespace {

constexpr int V = 24;

/// Classifier with its parameters.
struct Model {
  Model(const std::string& encoder, int64_t classes, bool multi_label,
        ClassifierConfig config = {}, int64_t size = 8,
        DType dtype = DType::kF64)
      : parameters(5, dtype, kernels::Precision::kNative),
        classifier(Scope(parameters, ""), config, classes, multi_label,
                   MakeEncoder(encoder, size)) {}

  std::unique_ptr<TextEncoder> MakeEncoder(const std::string& encoder,
                                           int64_t size) {
    const Scope scope(parameters, "encoder");
    if (encoder == "transformer") {
      TransformerConfig config = SmallTransformer();
      config.layers = 1;
      config.width = static_cast<int>(size);
      config.ff = static_cast<int>(2 * size);
      config.segments = 2;
      return std::make_unique<TransformerTextEncoder>(scope, Resolved(config),
                                                      V);
    }
    RnnConfig config;
    config.cell = "gru";
    config.units = static_cast<int>(size);
    config.self_attention = encoder == "rnn" ? "none" : "full";
    config.dropout = 0;
    return std::make_unique<EmbeddedTextEncoder>(
        scope, TextSizes{.vocabulary = V, .segments = 2}, size,
        std::make_unique<RnnEncoder>(scope, config.Resolve(false), size));
  }

  ParameterSet parameters;
  Classifier classifier;
};

ClassifierConfig Plain(const std::string& pooling = "attention") {
  ClassifierConfig config;
  config.pooling = pooling;
  config.head_dropout = 0;
  return config;
}

using Texts = std::vector<std::vector<int32_t>>;

/// Texts padded with zeros; ids after `second`, if it occurs, have segment 1.
TextInput InputOf(const Texts& texts, int32_t second = -1) {
  size_t longest = 0;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  const Shape shape = {std::ssize(texts), static_cast<int64_t>(longest)};
  TextInput input = {Tensor::Zeros(shape, DType::kI32),
                     Tensor({std::ssize(texts)}, DType::kI32),
                     Tensor::Zeros(shape, DType::kI32)};
  for (size_t b = 0; b < texts.size(); ++b) {
    const auto row = static_cast<int64_t>(b);
    int32_t segment = 0;
    for (size_t s = 0; s < texts[b].size(); ++s) {
      input.ids.row<int32_t>(row)[s] = texts[b][s];
      input.segments.row<int32_t>(row)[s] = segment;
      if (texts[b][s] == second) segment = 1;
    }
    input.lengths.data<int32_t>()[b] = static_cast<int32_t>(texts[b].size());
  }
  return input;
}

Tensor Probabilities(const Model& model, const TextInput& input) {
  return model.classifier.Probabilities(
      model.classifier.Scores({}, input).value());
}

const Texts kTexts = {{2, 9, 4, 3}, {2, 3}, {2, 7, 3, 5, 9, 3}};

class ClassifierOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Encoders, ClassifierOf,
                         testing::Values("rnn", "attentive_rnn", "transformer"),
                         [](const auto& info) { return info.param; });

TEST_P(ClassifierOf, HasTheGradientOfDifferences) {
  for (const bool multi_label : {false, true}) {
    ClassifierConfig config = Plain();
    config.pooler = multi_label;
    const Model model(GetParam(), 4, multi_label, config);
    const TextInput input = InputOf(kTexts, 3);
    const TextLabels labels =
        multi_label ? TextLabels{{0, 2}, {}, {3}} : TextLabels{{0}, {3}, {2}};
    const auto loss = [&](Tape* tape) {
      Context ctx;
      ctx.tape = tape;
      return model.classifier.Loss(ctx, input, labels, {0.5, 0.1}).loss;
    };
    ExpectParameterGradients(model.parameters, loss);
  }
}

TEST_P(ClassifierOf, ABatchEqualsItsTextsOneByOne) {
  const Model model(GetParam(), 4, false, Plain());
  const Tensor all = Probabilities(model, InputOf(kTexts, 3));
  for (size_t b = 0; b < kTexts.size(); ++b) {
    const Tensor one = Probabilities(model, InputOf({kTexts[b]}, 3));
    EXPECT_LT(MaxDifference(one[0], all[static_cast<int64_t>(b)]), 1e-12);
  }
}

TEST_P(ClassifierOf, TellsSegmentsApart) {
  const Model model(GetParam(), 4, false, Plain());
  TextInput input = InputOf(kTexts, 3);
  const Tensor apart = Probabilities(model, input);
  input.segments = Tensor();
  const Tensor together = Probabilities(model, input);
  EXPECT_LT(MaxDifference(apart[1], together[1]), 1e-15);  // one segment
  EXPECT_GT(MaxDifference(apart[2], together[2]), 1e-4);
}

TEST(Classifier, OfOneLabelHasProbabilitiesThatSumToOne) {
  const Model model("rnn", 3, false, Plain());
  const TextInput input = InputOf(kTexts);
  const Tensor p = Probabilities(model, input);
  const TextLabels labels = {{2}, {0}, {1}};
  double nll = 0;
  for (int64_t b = 0; b < 3; ++b) {
    const double* row = p.row<double>(b);
    EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-12);
    nll -= std::log(row[At(labels, b)[0]]);
  }
  const ClassifierLoss loss =
      model.classifier.Loss({}, input, labels, {0.25, 0});
  EXPECT_NEAR(loss.nll, nll, 1e-12);
  EXPECT_NEAR(loss.loss.value().item(), nll / 4, 1e-12);
}

TEST(Classifier, OfSeveralLabelsAsksForEachByItself) {
  const Model model("rnn", 3, true, Plain());
  const TextInput input = InputOf(kTexts);
  const Tensor p = Probabilities(model, input);
  const TextLabels labels = {{0, 2}, {}, {1}};
  double nll = 0;
  double smoothed = 0;
  for (int64_t b = 0; b < 3; ++b) {
    for (int32_t c = 0; c < 3; ++c) {
      const auto& gold = At(labels, b);
      const bool has = std::find(gold.begin(), gold.end(), c) != gold.end();
      const double yes = -std::log(p.row<double>(b)[c]);
      const double no = -std::log(1 - p.row<double>(b)[c]);
      nll += has ? yes : no;
      smoothed += 0.9 * (has ? yes : no) + 0.1 * (has ? no : yes);
    }
  }
  const ClassifierLoss loss =
      model.classifier.Loss({}, input, labels, {1, 0.2});
  EXPECT_NEAR(loss.nll, nll, 1e-12);
  EXPECT_NEAR(loss.loss.value().item(), smoothed, 1e-12);
}

TEST(Classifier, ChoosesTheMostProbableOrAllAboveTheThreshold) {
  const Tensor p = Tensor::Of(
      std::vector<float>{0.2F, 0.5F, 0.3F, 0.1F, 0.1F, 0.8F}, {2, 3});
  EXPECT_EQ(Model("rnn", 3, false).classifier.Choose(p, 0.5),
            (TextLabels{{1}, {2}}));
  EXPECT_EQ(Model("rnn", 3, true).classifier.Choose(p, 0.3F),
            (TextLabels{{1, 2}, {2}}));
  EXPECT_EQ(Model("rnn", 3, true).classifier.Choose(p, 0.6),
            (TextLabels{{}, {2}}));
}

TEST(Classifier, RefusesLabelsThatDoNotFit) {
  const Model one("rnn", 3, false);
  const TextInput input = InputOf({{2, 3}});
  for (const TextLabels& labels :
       {TextLabels{}, TextLabels{{}}, TextLabels{{0, 1}}, TextLabels{{3}},
        TextLabels{{-1}}}) {
    ExpectShapeError([&] { one.classifier.Loss({}, input, labels, {}); },
                     {"classifier", "needs one of the 3 labels"});
  }
  const Model several("rnn", 3, true);
  EXPECT_THROW(several.classifier.Loss({}, input, {{3}}, {}), ShapeError);
  EXPECT_NO_THROW(several.classifier.Loss({}, input, {{}}, {}));
}

/// Text with its expected labels.
struct Example {
  std::vector<int32_t> ids;
  std::vector<int32_t> labels;
  size_t place = 0;  // position that determines the label
};

int32_t Pick(Rng& rng, int32_t begin, int32_t end) {
  return begin +
         static_cast<int32_t>(rng.Below(static_cast<uint64_t>(end - begin)));
}

constexpr int32_t kMark = 4;

/// One of three words after a mark determines the label; these words also occur
/// elsewhere.
Example WordBehindMark(Rng& rng) {
  Example example;
  example.ids.resize(6 + rng.Below(6));
  for (int32_t& id : example.ids) id = Pick(rng, 5, V);
  example.place = 1 + rng.Below(example.ids.size() - 1);
  example.ids[example.place - 1] = kMark;
  example.ids[example.place] = Pick(rng, 5, 8);
  example.labels = {example.ids[example.place] - 5};
  return example;
}

/// Label: the only word of the second text occurs in the first one. Requires
/// comparing words across both texts.
Example WordInBoth(Rng& rng) {
  Example example;
  example.ids = {2};
  for (int i = 0; i < 4; ++i) example.ids.push_back(Pick(rng, 5, 15));
  const bool inside = rng.Below(2) == 1;
  int32_t word = example.ids[1 + rng.Below(4)];
  while (!inside && std::find(example.ids.begin(), example.ids.end(), word) !=
                        example.ids.end()) {
    word = Pick(rng, 5, 15);
  }
  example.ids.insert(example.ids.end(), {3, word, 3});
  example.labels = {inside ? 1 : 0};
  return example;
}

/// Labels: which of three words occur in the text.
Example WordsThatOccur(Rng& rng) {
  Example example;
  example.ids.resize(3 + rng.Below(5));
  for (int32_t& id : example.ids) id = Pick(rng, 5, 12);
  for (int32_t label = 0; label < 3; ++label) {
    if (std::find(example.ids.begin(), example.ids.end(), 5 + label) !=
        example.ids.end()) {
      example.labels.push_back(label);
    }
  }
  return example;
}

struct Batch {
  Batch(Example (*make)(Rng&), Rng& rng) {
    Texts texts;
    for (int b = 0; b < 32; ++b) {
      const Example example = make(rng);
      texts.push_back(example.ids);
      labels.push_back(example.labels);
      places.push_back(example.place);
    }
    input = InputOf(texts, 3);
  }
  TextInput input;
  TextLabels labels;
  std::vector<size_t> places;
};

void Learn(Model& model, Example (*make)(Rng&), int steps, double rate = 0.01) {
  Rng rng(7);
  Adam adam(model.parameters);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  for (int step = 0; step < steps; ++step) {
    tape.Clear();
    const Batch batch(make, rng);
    tape.Backward(
        model.classifier.Loss(ctx, batch.input, batch.labels, {1.0 / 32, 0})
            .loss);
    adam.Step(step < steps * 2 / 3 ? rate : 0.3 * rate);
  }
}

/// Fraction of new texts with all labels right.
double Accuracy(const Model& model, Example (*make)(Rng&)) {
  Rng rng(99);
  int right = 0;
  constexpr int kBatches = 10;
  for (int i = 0; i < kBatches; ++i) {
    const Batch batch(make, rng);
    const TextLabels chosen =
        model.classifier.Choose(Probabilities(model, batch.input), 0.5);
    for (size_t b = 0; b < 32; ++b) right += chosen[b] == batch.labels[b];
  }
  return right / (32.0 * kBatches);
}

TEST(Classifier, LearnsWhichWordDecidesAndLooksAtIt) {
  Model model("rnn", 3, false, Plain(), 16, DType::kF32);
  EXPECT_LT(Accuracy(model, WordBehindMark), 0.6) << "before training";
  Learn(model, WordBehindMark, 300);
  EXPECT_GT(Accuracy(model, WordBehindMark), 0.97);

  Rng rng(123);
  const Batch batch(WordBehindMark, rng);
  AttentionWatch watch([](const AttentionInfo& info) {
    return AttentionRequest{.weights = info.path == "pooling"};
  });
  Context ctx;
  ctx.observer = &watch;
  model.classifier.Scores(ctx, batch.input);
  const Tensor weights = watch.seen.at(0).weights.value();  // [B, 1, 1, S]
  int near = 0;
  for (int64_t b = 0; b < 32; ++b) {
    const float* row = weights.row<float>(b);
    const auto place = std::max_element(row, row + weights.dim(3)) - row;
    near += std::abs(place - static_cast<int64_t>(At(batch.places, b))) <= 1;
  }
  EXPECT_GE(near, 24);
}

TEST(Classifier, LearnsToCompareTheTwoTextsOfAPair) {
  Model model("transformer", 2, false, Plain("mean"), 32, DType::kF32);
  Learn(model, WordInBoth, 400, 0.003);
  EXPECT_GT(Accuracy(model, WordInBoth), 0.98);
}

TEST(Classifier, LearnsSeveralLabels) {
  Model model("rnn", 3, true, Plain("max"), 16, DType::kF32);
  EXPECT_LT(Accuracy(model, WordsThatOccur), 0.4) << "before training";
  Learn(model, WordsThatOccur, 200);
  EXPECT_GT(Accuracy(model, WordsThatOccur), 0.97);
}

}  // namespace
}  // namespace heed::classifier_test
