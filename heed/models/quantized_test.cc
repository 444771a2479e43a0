// Models whose matrices and tables are bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "heed/models/encoder_decoder.h"
#include "heed/models/model_testing.h"
#include "heed/models/transformer.h"

namespace heed {
namespace {

constexpr int kWords = 70;

using MakeModel = std::unique_ptr<SequenceModel> (*)();

std::unique_ptr<SequenceModel> MakeRecurrent(const std::string& model,
                                             const std::string& cell,
                                             bool tie) {
  RecurrentConfig config;
  config.model = model;
  config.cell = cell;
  config.embedding = 48;
  config.units = 48;
  config.tie_output = tie;
  config.Resolve();
  return std::make_unique<EncoderDecoder>(config, kWords, kWords, 1);
}

std::unique_ptr<SequenceModel> MakeTransformer() {
  TransformerConfig config;
  config.layers = 2;
  config.width = 64;
  config.ff = 96;
  config.heads = 4;
  config.max_positions = 16;
  config.Resolve("transformer");
  return std::make_unique<Transformer>(config, kWords, kWords, 1);
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

/// Root of the mean square of a − b, in parts of that of b.
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

/// A batch and what a model says to it.
class Quantized : public testing::TestWithParam<Case> {
 protected:
  Tensor Logits(const SequenceModel& model) const {
    return LogitsOf(model, batch_);
  }

  const SequenceBatch batch_ = {.source_words = kWords,
                                .target_words = kWords,
                                .source = RandomIds({7, 5}, kWords, 1),
                                .lengths = Lengths({7, 3, 1, 5, 6}),
                                .target_in = RandomIds({6, 5}, kWords, 2)};
  std::unique_ptr<SequenceModel> model_ = GetParam().make();
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
  const auto state = model_->Start({}, batch_.source, batch_.lengths);
  for (int64_t t = 0; t < batch_.steps(); ++t) {
    const Tensor step = model_->Step({}, batch_.target_in[t], *state).value();
    // A last bit of a number can be one step of a byte.
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

}  // namespace
}  // namespace heed
