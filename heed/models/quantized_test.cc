// Tests of models with int8 matrices and tables.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/score.h"
#include "heed/base/errors.h"
#include "heed/models/model_testing.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/recurrent/rnn_encoder.h"
#include "heed/models/tagger.h"
#include "heed/models/transformer/bert.h"
#include "heed/models/transformer/transformer.h"
#include "heed/models/transformer/transformer_encoder.h"

namespace heed::quantized_test {
namespace {

constexpr int kWords = 70;

using MakeModel = std::unique_ptr<Decoder> (*)();

std::unique_ptr<Decoder> MakeRecurrent(const std::string& model,
                                       const std::string& cell, bool tie) {
  RecurrentConfig config;
  config.model = model;
  config.cell = cell;
  config.embedding = 48;
  config.units = 48;
  config.tie_output = tie;
  return std::make_unique<EncoderDecoder>(config.Resolve(), kWords, kWords, 1);
}

/// Small Transformer with the other settings of `model`.
ResolvedTransformer Small(const std::string& model) {
  TransformerConfig config;
  config.layers = 2;
  config.width = 64;
  config.ff = 96;
  config.heads = 4;
  config.max_positions = 16;
  return config.Resolve(model);
}

std::unique_ptr<Decoder> MakeTransformer() {
  return std::make_unique<Transformer>(Small("transformer"), kWords, kWords, 1);
}

struct Case {
  const char* name;
  MakeModel make;
};
const Case kCases[] = {
    {"gru", [] { return MakeRecurrent("bahdanau", "gru", false); }},
    {"gru_bahdanau",
     [] { return MakeRecurrent("bahdanau", "gru_bahdanau", false); }},
    {"lstm", [] { return MakeRecurrent("luong", "lstm", false); }},
    {"rnn_tied", [] { return MakeRecurrent("bahdanau", "rnn", true); }},
    {"transformer", MakeTransformer}};

/// Root mean square of a − b relative to that of b.
double RelativeError(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.ToVector<double>();
  const std::vector<double> y = b.ToVector<double>();
  double error = 0;
  double size = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    error += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  return std::sqrt(error / size);
}

/// Batch, and the logits of a model.
class Quantized : public testing::TestWithParam<Case> {
 protected:
  Tensor Logits(const Decoder& model) const { return LogitsOf(model, batch_); }

  const SequenceBatch batch_ = {.source_words = kWords,
                                .target_words = kWords,
                                .source = RandomIds({7, 5}, kWords, 1),
                                .lengths = Lengths({7, 3, 1, 5, 6}),
                                .target_in = RandomIds({6, 5}, kWords, 2)};
  std::unique_ptr<Decoder> model_ = GetParam().make();
};
INSTANTIATE_TEST_SUITE_P(Models, Quantized, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(Quantized, LogitsAreNearThoseOfNumbers) {
  const Tensor exact = Logits(*model_);
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  const double error = RelativeError(Logits(*model_), exact);
  EXPECT_LT(error, 0.02);
  EXPECT_GT(error, 0) << "nothing was quantised";
}

TEST_P(Quantized, TheLossIsThatOfTheLogits) {
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  const Tensor targets = RandomIds({6, 5}, kWords, 3);
  const auto loss =
      model_->Loss({}, batch_.inputs(), batch_.target_in, targets, {});
  EXPECT_NEAR(loss.nll, CrossEntropy(Logits(*model_), targets, {}).nll,
              1e-4 * loss.nll);
}

TEST_P(Quantized, AllLargeParametersAreBytes) {
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  for (const auto& parameter : model_->parameters().all()) {
    const Shape& shape = parameter->value().shape();
    EXPECT_EQ(parameter->quantized(), shape.rank() == 2 && shape[0] > 1)
        << parameter->name() << " " << shape.ToString();
  }
}

TEST_P(Quantized, StepsAreThoseOfTheWholeTarget) {
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  const Tensor all = Logits(*model_);
  DecoderState state = StartOf(*model_, batch_.inputs());
  for (int64_t t = 0; t < batch_.steps(); ++t) {
    const Tensor step = model_->Step({}, batch_.target_in[t], state).value();
    // A change in the last bit of a number can change its int8 value by one.
    EXPECT_LT(RelativeError(step, all[t]), 0.02) << t;
  }
}

TEST_P(Quantized, AShortlistScoresItsWordsAlike) {
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  ExpectScoresOfSomeWords(*model_, batch_, {0, 3, 64, 69}, 0);
}

TEST_P(Quantized, AWrittenModelIsReadAsItWas) {
  model_->parameters().SetPrecision(kernels::Precision::kInt8);
  const auto read = GetParam().make();
  read->parameters().SetTensors(model_->parameters().Tensors(), "file");
  EXPECT_EQ(MaxDifference(Logits(*read), Logits(*model_)), 0);
}

/// Checks that `compute()` gives similar results before and after quantisation.
template <class Compute>
void ExpectNearWhenQuantized(ParameterSet& parameters, const Compute& compute) {
  const Tensor exact = compute();
  parameters.SetPrecision(kernels::Precision::kInt8);
  const double error = RelativeError(compute(), exact);
  EXPECT_LT(error, 0.03);
  EXPECT_GT(error, 0) << "nothing was quantised";
}

TEST(QuantizedModel, AttendsWithEveryScore) {
  int refused = 0;
  for (const ScoreInfo& score : Scores()) {
    SCOPED_TRACE(score.name);
    RecurrentConfig config;
    config.model = "luong";
    config.embedding = config.units = 48;
    config.score = score.name;
    std::unique_ptr<EncoderDecoder> model;
    try {
      model =
          std::make_unique<EncoderDecoder>(config.Resolve(), kWords, kWords, 1);
    } catch (const ConfigError&) {
      ++refused;  // not a variant of this model
      continue;
    }
    const SequenceBatch batch = {.source_words = kWords,
                                 .target_words = kWords,
                                 .source = RandomIds({7, 2}, kWords, 1),
                                 .lengths = Lengths({7, 4}),
                                 .target_in = RandomIds({5, 2}, kWords, 2)};
    ExpectNearWhenQuantized(model->parameters(),
                            [&] { return LogitsOf(*model, batch); });
  }
  EXPECT_LT(refused, 3);
}

TEST(QuantizedModel, BertReadsPositionsAndScoresWords) {
  Bert bert(Small("bert-tiny"), kWords, 1);
  const BertText text = {RandomIds({3, 9}, kWords, 1), Lengths({9, 5, 7}),
                         Tensor::Zeros({3, 9}, DType::kI32)};
  const Tensor rows = Ids({1, 4, 20}, {3});
  ExpectNearWhenQuantized(bert.parameters(), [&] {
    return bert.TokenLogits({}, bert.States({}, text), rows).value();
  });
  EXPECT_TRUE(bert.parameters().Find("encoder.positions.weight")->quantized());
}

TEST(QuantizedModel, ATransformerReadsVectors) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const TransformerEncoder encoder(Scope(set, ""), Small("bert-tiny"), 40);
  const Tensor x = RandomTensor({2, 9, 40}, 1, DType::kF32);
  ExpectNearWhenQuantized(set, [&] {
    return encoder({}, x, Lengths({9, 9})).value();
  });
}

TEST(QuantizedModel, TagsWordsByTheirSpelling) {
  for (const char* reader : {"cnn", "lstm", "none"}) {
    SCOPED_TRACE(reader);
    WordFeaturesConfig features;
    features.characters = reader;
    features.casing_embedding = 8;
    ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
    const Tagger tagger(
        Scope(set, ""), TaggerConfig(), {5, 3},
        std::make_unique<FeatureEncoder>(
            Scope(set, ""), features, WordSizes{kWords, 30, 3, 1, 0},
            [](const Scope& scope, int64_t inputs) {
              return std::make_unique<RnnEncoder>(
                  scope, RnnConfig().Resolve(false), inputs);
            }));
    const TagBatch batch = {{{RandomIds({2, 6}, kWords, 1),
                              RandomIds({2, 6}, 4, 2),
                              RandomIds({4, 5}, 30, 3),
                              RandomIds({4}, 3, 4),
                              {}},
                             {},
                             Lengths({6, 4})},
                            {},
                            {}};
    ExpectNearWhenQuantized(
        set, [&] { return tagger.Predict({}, batch).tag_probabilities; });
  }
}

}  // namespace
}  // namespace heed::quantized_test
