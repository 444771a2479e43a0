#include "heed/models/tagger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/models/recurrent/rnn_encoder.h"
#include "heed/models/transformer/transformer_encoder.h"
#include "heed/models/transformer/transformer_testing.h"

namespace heed::tagger_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t T = 5;
constexpr int64_t kTags = 4;
constexpr int64_t kIntents = 3;
constexpr WordSizes kWordSizes = {9, 6, 3, 1, 0};
constexpr TaggerSizes kSizes = {kTags, kIntents};
constexpr int64_t kPieces = 9;

WordIds SomeWords() {
  return {Ids({5, 2, 7, 1, 3, 8, 4, 0, 0, 0, 6, 5, 2, 2, 0}, {B, T}),
          Ids({0, 1, 2, 3, 4, 2, 1, 0, 0, 0, 3, 0, 1, 1, 0}, {B, T}),
          Ids({2, 3, 0, 5, 0, 0, 4, 4, 4, 1, 2, 0, 3, 0, 0}, {5, 3}),
          Ids({0, 1, 2, 1, 0}, {5}),
          {}};
}

/// Pieces of sentences; the first sentence is read in two parts, and some words
/// have several pieces.
PieceIds SomePieces() {
  return {Ids({1, 4, 5, 6, 7, 2, 1, 8, 3, 2, 0, 0,
               1, 5, 5, 2, 0, 0, 1, 3, 6, 4, 8, 2},
              {4, 6}),
          Lengths({6, 4, 4, 6}),
          Ids({1, 3, 4, 7, 8, 13, 14, 0, 0, 0, 19, 20, 21, 22, 0}, {B, T}),
          Ids({0, 12, 18}, {B})};
}

TagBatch Some(bool pieces = false) {
  TagBatch batch;
  if (pieces) {
    batch.sentences.pieces = SomePieces();
  } else {
    batch.sentences.words = SomeWords();
  }
  batch.sentences.lengths = Lengths({5, 2, 4});
  batch.tags = Ids({0, 1, 2, 3, 1, 2, 2, -1, -1, -1, 3, 0, 0, 1, -1}, {B, T});
  batch.intents = Ids({2, 0, 1}, {B});
  return batch;
}

WordFeaturesConfig SmallFeatures() {
  WordFeaturesConfig config;
  config.word_embedding = 4;
  config.character_embedding = 3;
  config.character_units = 4;
  config.casing_embedding = 2;
  return config;
}

TaggerConfig Small(const std::string& decoder = "crf") {
  TaggerConfig config;
  config.tag_decoder = decoder;
  config.intent_weight = 0.7;
  return config;
}

RnnConfig SmallRnn() {
  RnnConfig config;
  config.units = 5;
  config.dropout = 0;
  config.init = "uniform";
  config.init_scale = 0.5;
  return config;
}

std::unique_ptr<SentenceEncoder> Features(const Scope& scope) {
  return std::make_unique<FeatureEncoder>(
      scope, SmallFeatures(), kWordSizes,
      [](const Scope& inner, int64_t inputs) {
        return std::make_unique<RnnEncoder>(inner, SmallRnn().Resolve(false),
                                            inputs);
      });
}

std::unique_ptr<SentenceEncoder> Pieces(const Scope& scope, bool pools) {
  return std::make_unique<PieceEncoder>(
      scope,
      std::make_unique<TransformerTextEncoder>(scope / "encoder", SmallBert(),
                                               kPieces),
      pools);
}

struct Model {
  explicit Model(const TaggerConfig& config, const TaggerSizes& sizes = kSizes,
                 bool pieces = false, DType dtype = DType::kF64)
      : set(3, dtype, kernels::Precision::kNative),
        tagger(Scope(set, ""), config, sizes,
               pieces ? Pieces(Scope(set, ""), sizes.intents > 0)
                      : Features(Scope(set, ""))) {
    Shake(set);
    Parameter* between = set.Find("crf.between");
    if (between == nullptr) return;
    between->mutable_value() = RandomTensor(between->value().shape(), 4, dtype);
    between->Changed();
  }

  ParameterSet set;
  Tagger tagger;
};

struct Kind {
  std::string name;
  TaggerConfig config;
  TaggerSizes sizes;
  bool pieces = false;
};

std::vector<Kind> Kinds() {
  TaggerSizes without = kSizes;
  without.intents = 0;
  TaggerConfig uninformed = Small();
  uninformed.intent_informs_tags = false;
  TaggerConfig apart = Small();
  apart.joint_intents = false;
  return {{"crf", Small("crf"), without},
          {"softmax", Small("softmax"), without},
          {"crf_with_intents", Small("crf"), kSizes},
          {"softmax_with_intents", Small("softmax"), kSizes},
          {"uninformed", uninformed, kSizes},
          {"apart", apart, kSizes},
          {"pieces_crf", Small("crf"), without, true},
          {"pieces_softmax", Small("softmax"), without, true},
          {"pieces_crf_with_intents", Small("crf"), kSizes, true},
          {"pieces_softmax_with_intents", Small("softmax"), kSizes, true},
          {"pieces_uninformed", uninformed, kSizes, true}};
}

class EveryTagger : public testing::TestWithParam<Kind> {
 protected:
  bool crf() const { return GetParam().config.tag_decoder == "crf"; }
  bool intents() const { return GetParam().sizes.intents > 0; }
  static bool pieces() { return GetParam().pieces; }
  static Model Make() {
    return Model(GetParam().config, GetParam().sizes, pieces());
  }
  static TagBatch Some() { return tagger_test::Some(pieces()); }
};
INSTANTIATE_TEST_SUITE_P(Tagger, EveryTagger, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryTagger, HasTheGradientOfDifferencesAndUsesAllParameters) {
  const Model model = Make();
  const TagBatch batch = Some();
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model.tagger.Loss(ctx, batch, {0.1, 0.2}).loss;
  };
  ExpectParameterGradients(model.set, loss, 6);
}

/// Pieces of sentence b, which has n words, without padding.
PieceIds PiecesOf(const PieceIds& all, int64_t b, int32_t n) {
  const auto width = static_cast<int32_t>(all.ids.dim(1));
  const int32_t* starts = all.start.data<int32_t>();
  const int64_t begin = starts[b] / width;
  const int64_t end = b + 1 < B ? starts[b + 1] / width : all.ids.dim(0);
  PieceIds alone;
  alone.lengths = all.lengths.Slice(begin, end).Clone();
  const auto lengths = alone.lengths.ToVector<int32_t>();
  const int32_t longest = *std::max_element(lengths.begin(), lengths.end());
  alone.ids = all.ids.Slice(begin, end).Columns(0, longest).Clone();
  alone.first = all.first[b].Slice(0, n).Clone().Reshape({1, n});
  for (int32_t t = 0; t < n; ++t) {
    int32_t& place = alone.first.data<int32_t>()[t];
    place =
        (place / width - static_cast<int32_t>(begin)) * longest + place % width;
  }
  alone.start = Ids({0}, {1});
  return alone;
}

/// Row b of a batch without padding.
TagBatch Row(const TagBatch& batch, int64_t b) {
  const int32_t n = batch.sentences.lengths.data<int32_t>()[b];
  const auto row = [&](const Tensor& x) {
    return x[b].Slice(0, n).Clone().Reshape({1, n});
  };
  TagBatch alone = batch;
  if (batch.sentences.pieces.ids.defined()) {
    alone.sentences.pieces = PiecesOf(batch.sentences.pieces, b, n);
  } else {
    alone.sentences.words.words = row(batch.sentences.words.words);
    alone.sentences.words.spelling = row(batch.sentences.words.spelling);
  }
  alone.sentences.lengths = Lengths({n});
  alone.tags = row(batch.tags);
  alone.intents = batch.intents.Slice(b, b + 1).Clone();
  return alone;
}

TEST_P(EveryTagger, ABatchEqualsItsRowsAloneWithoutPadding) {
  const Model model = Make();
  const TagBatch batch = Some();
  const TagPrediction all = model.tagger.Predict({}, batch);
  double loss = 0;
  for (int64_t b = 0; b < B; ++b) {
    const TagBatch alone = Row(batch, b);
    const TagPrediction one = model.tagger.Predict({}, alone);
    const int64_t n = alone.tags.dim(1);
    EXPECT_EQ(MaxDifference(one.tags[0], all.tags[b].Slice(0, n)), 0);
    EXPECT_LT(MaxDifference(one.tag_probabilities[0],
                            all.tag_probabilities[b].Slice(0, n)),
              1e-13);
    loss += model.tagger.Loss({}, alone, {}).nll;
    ASSERT_EQ(one.intents.defined(), intents());
    if (!intents()) continue;
    EXPECT_EQ(one.intents.data<int32_t>()[0], all.intents.data<int32_t>()[b]);
    EXPECT_NEAR(one.intent_probabilities.data<double>()[0],
                all.intent_probabilities.data<double>()[b], 1e-13);
  }
  EXPECT_NEAR(model.tagger.Loss({}, batch, {}).nll, loss, 1e-12);
}

TEST_P(EveryTagger, ScalesAndSmoothsOnlyTheLossThatIsMinimised) {
  const Model model = Make();
  const TagLoss plain = model.tagger.Loss({}, Some(), {});
  const TagLoss scaled = model.tagger.Loss({}, Some(), {0.25, 0.1});
  EXPECT_NEAR(plain.loss.value().item(), plain.nll, 1e-12);
  EXPECT_NEAR(scaled.nll, plain.nll, 1e-12);
  const double quarter = plain.nll / 4;
  const bool smoothed = !crf() || intents();
  EXPECT_EQ(std::abs(scaled.loss.value().item() - quarter) > 1e-6, smoothed);
}

TEST_P(EveryTagger, PredictsTheBestIntentAndTheBestTagsGivenIt) {
  TaggerConfig config = GetParam().config;
  config.intent_weight = 1;
  const Model model(config, GetParam().sizes, pieces());
  const TagBatch row = Row(Some(), 1);
  const int64_t z_size = intents() ? kIntents : 1;
  std::vector<double> of_intent(static_cast<size_t>(z_size));
  std::vector<Tensor> best(of_intent.size());
  for (int32_t z = 0; z < z_size; ++z) {
    double largest = 0;
    for (int32_t i = 0; i < kTags * kTags; ++i) {
      TagBatch other = row;
      other.tags = Ids({i % 4, i / 4}, {1, 2});
      other.intents = Ids({z}, {1});
      const double p = std::exp(-model.tagger.Loss({}, other, {}).nll);
      At(of_intent, z) += p;
      if (p > largest) At(best, z) = other.tags;
      largest = std::max(largest, p);
    }
  }
  EXPECT_NEAR(std::accumulate(of_intent.begin(), of_intent.end(), 0.0), 1,
              1e-12);
  const auto best_intent = std::max_element(of_intent.begin(), of_intent.end());
  const auto z = best_intent - of_intent.begin();
  const TagPrediction prediction = model.tagger.Predict({}, row);
  EXPECT_EQ(MaxDifference(prediction.tags, At(best, z)), 0);
  if (!intents()) return;
  EXPECT_EQ(prediction.intents.data<int32_t>()[0], z);
  EXPECT_NEAR(prediction.intent_probabilities.data<double>()[0], *best_intent,
              1e-12);
}

TEST_P(EveryTagger, GivesProbabilities) {
  const Model model = Make();
  const TagPrediction p = model.tagger.Predict({}, Some());
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t t = 0; t < Some().sentences.lengths.data<int32_t>()[b]; ++t) {
      const double v = kernels::At(p.tag_probabilities, b, t);
      EXPECT_GT(v, 0.1);
      EXPECT_LE(v, 1 + 1e-12);
    }
  }
}

TEST_P(EveryTagger, WordsOrSentencesWithUnknownTagsCountNothing) {
  const Model model = Make();
  TagBatch batch = Some();
  batch.intents.Fill(-1);
  const auto nll = [&](const TagBatch& x) {
    return model.tagger.Loss({}, x, {}).nll;
  };
  const double all = nll(batch);
  const double first = nll(Row(batch, 0));
  batch.tags.row<int32_t>(0)[2] = -1;
  const double known = nll(batch);
  if (crf()) {
    EXPECT_NEAR(all - known, first, 1e-12);
  } else {
    EXPECT_GT(all - known, 0.01);
    EXPECT_LT(all - known, first - 0.01);
  }
  batch.tags.Fill(-1);
  EXPECT_EQ(nll(batch), 0);
}

TEST_P(EveryTagger, InF32IsCloseToF64) {
  const auto nll = [&](DType dtype) {
    return Model(GetParam().config, GetParam().sizes, pieces(), dtype)
        .tagger.Loss({}, Some(), {})
        .nll;
  };
  EXPECT_NEAR(nll(DType::kF32), nll(DType::kF64), 1e-4);
}

TEST_P(EveryTagger, ShowsAnObserverWhatWordsAndIntentAttendTo) {
  const Model model = Make();
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  model.tagger.Predict(ctx, Some());
  std::map<std::string, Shape> shapes;
  for (const auto& seen : watch.seen) {
    shapes.emplace(seen.info.path, seen.weights.shape());
  }
  EXPECT_EQ(shapes.size(), intents() && !pieces() ? 2U : 1U);
  if (pieces()) {
    const int64_t n = SomePieces().ids.dim(0);
    const int64_t s = SomePieces().ids.dim(1);
    const Shape shape = shapes.at("encoder.layers.0.self_attention");
    EXPECT_EQ(shape, (Shape{n, shape[1], s, s}));
    return;
  }
  EXPECT_EQ(shapes.at("encoder.attention"), (Shape{B, 1, T, T}));
  if (!intents()) return;
  EXPECT_EQ(shapes.at("pooling"), (Shape{B, 1, 1, T}));
}

TEST_P(EveryTagger, RefusesTagsThatDoNotFit) {
  const Model model = Make();
  TagBatch batch = Some();
  batch.tags.row<int32_t>(0)[0] = kTags;
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
  batch.tags = Tensor::Zeros({B, T + 1}, DType::kI32);
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
  batch.tags = {};
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
}

TEST_P(EveryTagger, RefusesIntentsThatDoNotFit) {
  if (!intents()) return;
  const Model model = Make();
  TagBatch batch = Some();
  batch.intents.data<int32_t>()[0] = kIntents;
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
  batch.intents = Tensor::Zeros({B + 1}, DType::kI32);
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
  batch.intents = {};
  EXPECT_THROW(model.tagger.Loss({}, batch, {}), ShapeError);
}

/// Outputs, loss and gradients match an independent implementation: see
/// tests/golden/make_golden_tagger.py.
TEST(TaggerGolden, IsThatOfPyTorch) {
  constexpr double kTolerance = 1e-10;
  const GoldenTensors golden("tagger");
  const Model model(Small("crf"));
  golden.ExpectSameParameters(model.set);
  golden.SetParameters(model.set);
  TagBatch batch;
  batch.sentences.words = {golden.at("words"),
                           golden.at("spelling"),
                           golden.at("characters"),
                           golden.at("casings"),
                           {}};
  batch.sentences.lengths = golden.at("lengths");
  batch.tags = golden.at("tags");
  batch.intents = golden.at("intents");
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const TagLoss loss = model.tagger.Loss(ctx, batch, {});
  EXPECT_NEAR(loss.nll, golden.at("loss").item(), kTolerance);
  tape.Backward(loss.loss);
  golden.ExpectGradients(model.set, kTolerance);
  const TagPrediction p = model.tagger.Predict({}, batch);
  for (int64_t b = 0; b < B; ++b) {
    const int64_t n = batch.sentences.lengths.data<int32_t>()[b];
    EXPECT_EQ(
        MaxDifference(p.tags[b].Slice(0, n), golden.at("best")[b].Slice(0, n)),
        0);
    EXPECT_LT(MaxDifference(p.tag_probabilities[b].Slice(0, n),
                            golden.at("best_probability")[b].Slice(0, n)),
              kTolerance);
  }
  EXPECT_EQ(MaxDifference(p.intents, golden.at("intent")), 0);
  EXPECT_LT(
      MaxDifference(p.intent_probabilities, golden.at("intent_probability")),
      kTolerance);
}

/// Sentences of digits whose last digit has a special form. Digits equal to it
/// have tag 1, others tag 0, and the intent is the digit.
struct Echo {
  static constexpr int64_t kRows = 32;
  static constexpr int64_t kLongest = 12;
  static constexpr int32_t kDigits = 6;
  static constexpr int32_t kWords = 2 + 2 * kDigits;

  explicit Echo(Rng& rng) {
    WordIds& words = batch.sentences.words;
    Tensor& lengths = batch.sentences.lengths;
    words.words = Tensor::Zeros({kRows, kLongest}, DType::kI32);
    words.characters = Tensor::Zeros({kWords, 1}, DType::kI32);
    words.casings = Tensor::Zeros({kWords}, DType::kI32);
    lengths = Tensor::Zeros({kRows}, DType::kI32);
    batch.tags = Tensor::Full({kRows, kLongest}, -1, DType::kI32);
    batch.intents = Tensor::Zeros({kRows}, DType::kI32);
    for (int64_t b = 0; b < kRows; ++b) {
      const int64_t n = 4 + static_cast<int64_t>(rng.Below(kLongest - 3));
      lengths.data<int32_t>()[b] = static_cast<int32_t>(n);
      int32_t* row = words.words.row<int32_t>(b);
      const auto last = static_cast<int32_t>(rng.Below(kDigits));
      row[n - 1] = 2 + kDigits + last;
      for (int64_t t = 0; t < n - 1; ++t) {
        // Half of the digits equal the last one.
        const auto digit = static_cast<int32_t>(rng.Below(2 * kDigits));
        row[t] = 2 + (digit < kDigits ? digit : last);
        batch.tags.row<int32_t>(b)[t] = row[t] == 2 + last ? 1 : 0;
      }
      batch.intents.data<int32_t>()[b] = last;
    }
    words.spelling = words.words;
  }

  TagBatch batch;
};

/// Fraction of correct tags on new sentences, after `steps` steps of Adam, for
/// a unidirectional LSTM.
double EchoAccuracy(const std::string& attention, int steps) {
  WordFeaturesConfig features;
  features.word_embedding = 16;
  features.characters = CharacterEncoder::kNone;
  features.word_dropout = 0;
  TaggerConfig config;
  config.tag_decoder = "softmax";
  config.intent_informs_tags = false;
  RnnConfig rnn;
  rnn.units = 16;
  rnn.bidirectional = "no";
  rnn.self_attention = attention;
  rnn.combine = "tanh";
  rnn.score = "general";
  rnn.dropout = 0;
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const Scope scope(set, "");
  const Tagger tagger(scope, config, {2, Echo::kDigits},
                      std::make_unique<FeatureEncoder>(
                          scope, features, WordSizes{Echo::kWords, 1, 1, 1, 0},
                          [&](const Scope& inner, int64_t inputs) {
                            return std::make_unique<RnnEncoder>(
                                inner, rnn.Resolve(false), inputs);
                          }));
  Adam adam(set);
  Rng rng(7);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  for (int step = 0; step < steps; ++step) {
    tape.Clear();
    tape.Backward(
        tagger.Loss(ctx, Echo(rng).batch, {1.0 / Echo::kRows, 0}).loss);
    adam.Step(0.01);
  }
  const TagBatch fresh = Echo(rng).batch;
  const Tensor tags = tagger.Predict({}, fresh).tags;
  double right = 0;
  double words = 0;
  for (int64_t i = 0; i < tags.numel(); ++i) {
    const int32_t gold = fresh.tags.data<int32_t>()[i];
    if (gold < 0) continue;
    words += 1;
    right += tags.data<int32_t>()[i] == gold ? 1 : 0;
  }
  return right / words;
}

TEST(TaggerLearning, AttentionFindsTheFarWordThatATagDependsOn) {
  EXPECT_GT(EchoAccuracy("full", 300), 0.99);
  EXPECT_LT(EchoAccuracy("causal", 300), 0.9);
}

}  // namespace
}  // namespace heed::tagger_test
