#include "heed/models/bi_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/at.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::bi_encoder_test {
namespace {

constexpr int64_t kVocabulary = 12;
constexpr int64_t kFeatures = 5;

/// Encoder y_s = tanh(x_s W + b).
class Wordwise : public SequenceEncoder {
 public:
  explicit Wordwise(const Scope& scope)
      : map_(scope / "map", kFeatures, 4, Init{}) {}
  Var operator()(const Context& ctx, const Var& x,
                 const Tensor& /*lengths*/) const override {
    return Tanh(map_(ctx, x));
  }
  int64_t output_size() const override { return 4; }

 private:
  Linear map_;
};

struct Model {
  explicit Model(const BiEncoderConfig& config, DType dtype = DType::kF64)
      : config(config),
        parameters(3, dtype, kernels::Precision::kNative),
        bi_encoder(
            Scope(parameters, ""), config,
            std::make_unique<EmbeddedTextEncoder>(
                Scope(parameters, ""), TextSizes{.vocabulary = kVocabulary},
                kFeatures,
                std::make_unique<Wordwise>(Scope(parameters, "encoder")))) {}

  EncodedTexts Read(const Tensor& ids, const Tensor& lengths,
                    Tape* tape = nullptr) const {
    Context ctx;
    ctx.tape = tape;
    return bi_encoder.Encode(ctx, {ids, lengths});
  }
  Tensor Encode(const Tensor& ids, const Tensor& lengths) const {
    return Read(ids, lengths).vectors.value();
  }

  BiEncoderConfig config;
  ParameterSet parameters;
  BiEncoder bi_encoder;
};

BiEncoderConfig Config(const std::string& loss, const std::string& pooling) {
  BiEncoderConfig config;
  config.match_loss = loss;
  config.pooling = pooling;
  config.temperature = 0.5;
  return config;
}

const std::vector<std::string> kPoolings = {"mean", "last", "attention"};
const std::vector<std::string> kMatches = Named<TextMatch>::Words();

BiEncoderConfig Matching(const std::string& match) {
  BiEncoderConfig config = Config("softmax", "mean");
  config.match = match;
  return config;
}

TEST(BiEncoder, VectorsHaveLengthOne) {
  for (const std::string& pooling : kPoolings) {
    const Model model(Config("margin", pooling));
    const Tensor v =
        model.Encode(Ids({1, 2, 3, 4, 5, 6}, {2, 3}), Lengths({3, 2}));
    ASSERT_EQ(v.shape(), Shape({2, 4}));
    for (int64_t b = 0; b < 2; ++b) {
      double square = 0;
      for (int64_t d = 0; d < 4; ++d)
        square += std::pow(v.row<double>(b)[d], 2);
      EXPECT_NEAR(square, 1, 1e-6) << pooling;
    }
  }
}

TEST(BiEncoder, ADenseLayerMapsVectors) {
  BiEncoderConfig config = Config("margin", "mean");
  config.dense = 3;
  const Model model(config);
  const Tensor v = model.Encode(Ids({1, 2, 3, 4}, {2, 2}), Lengths({2, 1}));
  EXPECT_EQ(v.shape(), Shape({2, 3}));
  const EncodedTexts texts = {v, {}, Lengths({2, 1})};
  EXPECT_NEAR(
      model.bi_encoder.Cosines({}, texts, texts).value().row<double>(1)[1], 1,
      1e-9);
}

TEST(BiEncoder, AProductKeepsTheLengths) {
  BiEncoderConfig config = Config("margin", "mean");
  config.similarity = Similarity::kDot;
  const Model model(config);
  const Tensor v = model.Encode(Ids({1, 2}, {1, 2}), Lengths({2}));
  double square = 0;
  for (const double x : v.ToVector<double>()) square += x * x;
  EXPECT_GT(std::abs(square - 1), 1e-3);
  const EncodedTexts texts = {v, {}, Lengths({2})};
  EXPECT_NEAR(model.bi_encoder.Cosines({}, texts, texts).value().item(), square,
              1e-9);
}

TEST(BiEncoder, DenseLayersAndProductsAreForSeparateVectors) {
  for (const std::string& match : kMatches) {
    if (match == "separate") continue;
    BiEncoderConfig config = Matching(match);
    config.dense = 3;
    EXPECT_THROW(Model{config}, ConfigError) << match;
    config = Matching(match);
    config.similarity = Similarity::kDot;
    EXPECT_THROW(Model{config}, ConfigError) << match;
  }
}

TEST(BiEncoder, WhatStandsBehindATextChangesNothing) {
  for (const std::string& pooling : kPoolings) {
    const Model model(Config("margin", pooling));
    const Tensor padded = model.Encode(Ids({1, 2, 7}, {1, 3}), Lengths({2}));
    const Tensor alone = model.Encode(Ids({1, 2}, {1, 2}), Lengths({2}));
    EXPECT_LT(MaxDifference(padded, alone), 1e-12) << pooling;
  }
}

TEST(BiEncoder, ATextWithoutTokensIsNothing) {
  const Model model(Config("margin", "mean"));
  const Tensor v = model.Encode(Ids({1, 2}, {1, 2}), Lengths({0}));
  EXPECT_EQ(v.ToVector<double>(), std::vector<double>(4, 0.0));
}

// Texts whose padding contains words.
const std::vector<int32_t> kQueryLengths = {3, 2, 1};
const std::vector<int32_t> kDocumentLengths = {2, 4, 1, 2, 3};
Tensor QueryIds() { return Ids({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}); }
Tensor DocumentIds() {
  return Ids({2, 1, 9, 9, 4, 3, 8, 1, 6, 9, 9, 9, 8, 7, 9, 9, 10, 11, 5, 9},
             {5, 4});
}

Var CosinesOf(const Model& model, Tape* tape = nullptr) {
  Context ctx;
  ctx.tape = tape;
  return model.bi_encoder.Cosines(
      ctx, model.Read(QueryIds(), Lengths(kQueryLengths), tape),
      model.Read(DocumentIds(), Lengths(kDocumentLengths), tape));
}

class MatchBy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(BiEncoder, MatchBy, testing::ValuesIn(kMatches),
                         [](const auto& info) { return info.param; });

TEST_P(MatchBy, EqualsTheGolden) {
  const GoldenTensors golden("match_" + GetParam());
  const Model model(Matching(GetParam()));
  golden.ExpectSameParameters(model.parameters);
  golden.SetParameters(model.parameters);
  EXPECT_LT(MaxDifference(CosinesOf(model).value(), golden.at("cosines")),
            1e-10);
  Tape tape;
  const Var loss =
      MatchLoss(model.config, CosinesOf(model, &tape), Lengths({0, 1, 2}),
                Ids({1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}, {3, 5}), 1);
  EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-10);
  tape.Backward(loss);
  golden.ExpectGradients(model.parameters, 1e-9);
}

TEST_P(MatchBy, APairAloneHasTheCosineOfItsBatch) {
  const Model model(Matching(GetParam()));
  const Tensor all = CosinesOf(model).value();
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t n = 0; n < 5; ++n) {
      const auto one = [](const Tensor& ids, int64_t row, int32_t length) {
        const int32_t* from = ids.row<int32_t>(row);
        return Ids(std::vector<int32_t>(from, from + length), {1, length});
      };
      const int32_t q = At(kQueryLengths, b);
      const int32_t d = At(kDocumentLengths, n);
      const Tensor alone =
          model.bi_encoder
              .Cosines({}, model.Read(one(QueryIds(), b, q), Lengths({q})),
                       model.Read(one(DocumentIds(), n, d), Lengths({d})))
              .value();
      EXPECT_NEAR(alone.item(), all.row<double>(b)[n], 1e-13);
    }
  }
}

TEST_P(MatchBy, ATextWithoutTokensIsLikeNothing) {
  const Model model(Matching(GetParam()));
  const EncodedTexts some = model.Read(QueryIds(), Lengths(kQueryLengths));
  const EncodedTexts nothing = model.Read(Ids({1, 2}, {1, 2}), Lengths({0}));
  for (const Tensor& cosines :
       {model.bi_encoder.Cosines({}, some, nothing).value(),
        model.bi_encoder.Cosines({}, nothing, some).value()}) {
    for (const double c : cosines.ToVector<double>()) EXPECT_EQ(c, 0);
  }
}

TEST_P(MatchBy, InF32IsCloseToF64) {
  const Model exact(Matching(GetParam()));
  const Model model(Matching(GetParam()), DType::kF32);
  EXPECT_LT(MaxDifference(CosinesOf(model).value(), CosinesOf(exact).value()),
            1e-5);
}

TEST_P(MatchBy, AnObserverSeesWhatWordsAttendTo) {
  const Model model(Matching(GetParam()));
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  static_cast<void>(model.bi_encoder.Cosines(
      ctx, model.Read(Ids({1, 2, 3}, {1, 3}), Lengths({3})),
      model.Read(Ids({4, 5}, {1, 2}), Lengths({2}))));
  const size_t maps = GetParam() == "separate"    ? 0
                      : GetParam() == "attention" ? 1
                                                  : 3;
  ASSERT_EQ(watch.seen.size(), maps);
  for (const auto& seen : watch.seen) {
    const Tensor weights = seen.weights.value();
    EXPECT_EQ(weights.dim(3), seen.info.key_axis == "source" ? 3 : 2);
    for (int64_t t = 0; t < weights.dim(2); ++t) {
      double sum = 0;
      for (const double w : weights[0][0][t].ToVector<double>()) sum += w;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(Cosines, OfOtherSizesAreRefused) {
  const Model model(Matching("separate"));
  EncodedTexts odd;
  odd.vectors = Tensor::Zeros({3, 3}, DType::kF64);
  odd.lengths = Lengths({1, 1, 1});
  ExpectShapeError(
      [&] {
        model.bi_encoder.Cosines(
            {}, model.Read(QueryIds(), Lengths(kQueryLengths)), odd);
      },
      {"cosines", "[3, 3]"});
}

Tensor CosinesOf(const std::vector<double>& s, int64_t documents) {
  return Tensor::Of(s, {static_cast<int64_t>(s.size()) / documents, documents});
}

double LossOf(const std::string& loss, const Tensor& cosines,
              const std::vector<int32_t>& answers,
              const std::vector<int32_t>& relevant, double scale = 1) {
  BiEncoderConfig config = Config(loss, "mean");
  config.margin = 0.25;
  return MatchLoss(config, cosines, Lengths(answers),
                   Ids(relevant, cosines.shape()), scale)
      .value()
      .item();
}

TEST(MatchLoss, MarginCountsTheNearestWrongDocument) {
  const Tensor s = CosinesOf({0.5, 0.75, -1, 1, 0.5, 0.5}, 3);
  // Query 0: 0.25 + 0.75 - 0.5; query 1 exceeds the margin.
  EXPECT_NEAR(LossOf("margin", s, {0, 0}, {1, 0, 0, 1, 0, 0}), 0.5, 1e-12);
  EXPECT_NEAR(LossOf("margin", s, {0, 0}, {1, 0, 0, 1, 0, 0}, 0.1), 0.05,
              1e-12);
  EXPECT_NEAR(LossOf("margin", s, {0, 1}, {1, 0, 0, 0, 1, 0}), 0.5 + 0.75,
              1e-12);
}

TEST(MatchLoss, OtherAnswersAreNotHeldAgainstAQuery) {
  const Tensor s = CosinesOf({0.5, 0.75, -1}, 3);
  EXPECT_EQ(LossOf("margin", s, {0}, {1, 1, 0}), 0);
  EXPECT_EQ(LossOf("margin", s, {0}, {1, 1, 1}), 0);
  EXPECT_NEAR(LossOf("softmax", s, {0}, {1, 1, 0}),
              std::log(1 + std::exp((-1 - 0.5) / 0.5)), 1e-9);
  EXPECT_NEAR(LossOf("softmax", s, {0}, {1, 1, 1}), 0, 1e-9);
}

TEST(MatchLoss, SoftmaxIsOverAllDocuments) {
  const Tensor s = CosinesOf({0.5, 0.75, -1}, 3);
  const double sum = std::exp(1.0) + std::exp(1.5) + std::exp(-2.0);
  EXPECT_NEAR(LossOf("softmax", s, {0}, {1, 0, 0}, 2), 2 * (std::log(sum) - 1),
              1e-9);
}

TEST(MatchLoss, AnswersOutsideOfTheDocumentsAreRefused) {
  const Tensor s = CosinesOf({0.5, 0.75, -1}, 3);
  ExpectShapeError(
      [&] {
        LossOf("margin", s, {3}, {1, 0, 0});
      },
      {"match loss", "not among the documents"});
  ExpectShapeError(
      [&] {
        LossOf("softmax", s, {0, 1}, {1, 0, 0});
      },
      {"match loss", "[2]"});
}

/// Loss for queries 0..2 with answers 0..2 of 5 documents; query 0 is also
/// answered by document 3.
Var SomeLoss(const Model& model, Tape* tape) {
  return MatchLoss(model.config, CosinesOf(model, tape), Lengths({0, 1, 2}),
                   Ids({1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}, {3, 5}),
                   0.5);
}

TEST(BiEncoder, GradientsAreThoseOfTheLoss) {
  for (const char* loss : {"margin", "softmax"}) {
    for (const std::string& match : kMatches) {
      for (const std::string& pooling : kPoolings) {
        SCOPED_TRACE(loss + (" " + match + " " + pooling));
        BiEncoderConfig config = Config(loss, pooling);
        config.match = match;
        const Model model(config);
        Shake(model.parameters);
        ASSERT_GT(SomeLoss(model, nullptr).value().item(), 0);
        ExpectParameterGradients(model.parameters, [&](Tape* tape) {
          return SomeLoss(model, tape);
        });
      }
    }
  }
}

/// Fraction of words whose synonym is the nearest word, after training on the
/// pairs of words 0..5 with words 6..11.
double FoundAfterLearning(const std::string& loss) {
  const Model model(Config(loss, "mean"), DType::kF32);
  Adam adam(model.parameters);
  const Tensor words = Ids({0, 1, 2, 3, 4, 5}, {6, 1});
  const Tensor synonyms = Ids({6, 7, 8, 9, 10, 11}, {6, 1});
  const Tensor lengths = Lengths(std::vector<int32_t>(6, 1));
  Tensor relevant = Tensor::Zeros({6, 6}, DType::kI32);
  for (int64_t i = 0; i < 6; ++i) relevant.row<int32_t>(i)[i] = 1;
  Tape tape;
  Context ctx;
  const auto cosines = [&] {
    const BiEncoder& network = model.bi_encoder;
    return network.Cosines(ctx, network.Encode(ctx, {words, lengths}),
                           network.Encode(ctx, {synonyms, lengths}));
  };
  ctx.tape = &tape;
  for (int step = 0; step < 150; ++step) {
    tape.Clear();
    tape.Backward(MatchLoss(model.config, cosines(),
                            Lengths({0, 1, 2, 3, 4, 5}), relevant, 1));
    adam.Step(0.02);
  }
  ctx.tape = nullptr;
  const Tensor s = cosines().value();
  double found = 0;
  for (int64_t i = 0; i < 6; ++i) {
    const float* row = s.row<float>(i);
    found += std::max_element(row, row + 6) - row == i ? 1 : 0;
  }
  return found / 6;
}

TEST(BiEncoder, LearnsWhichWordsMeanTheSame) {
  EXPECT_EQ(FoundAfterLearning("margin"), 1);
  EXPECT_EQ(FoundAfterLearning("softmax"), 1);
}

TEST(BiEncoderConfig, AMarginNeedsItsLoss) {
  BiEncoderConfig config;
  const auto needs = [&config](const char* key) {
    return FindField(FieldsOf(config), key)->needs;
  };
  EXPECT_EQ(needs("margin"), "--match-loss margin");
  EXPECT_EQ(needs("temperature"), "");
  config.match_loss = MatchLossKind::kMargin;
  EXPECT_EQ(needs("margin"), "");
  EXPECT_EQ(needs("temperature"), "--match-loss softmax");
}

}  // namespace
}  // namespace heed::bi_encoder_test
