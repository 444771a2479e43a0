// Every model learns a task that it must solve: to write digits in reverse.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/kernels/optimizer.h"
#include "heed/models/encoder_decoder.h"
#include "heed/ops/loss.h"

namespace heed {
namespace {

constexpr int64_t B = 32;
constexpr int64_t kLongest = 5;
constexpr int64_t kShortest = 3;
constexpr int32_t kPad = 0;
constexpr int32_t kStart = 1;
constexpr int32_t kEnd = 2;
constexpr int32_t kDigits = 8;
constexpr int kWords = 3 + kDigits;

/// Random digits with their reverse: "5 3 7" to "7 3 5 END".
struct Reversal {
  explicit Reversal(Rng& rng) {
    for (int64_t b = 0; b < B; ++b) {
      const int64_t n =
          kShortest + static_cast<int64_t>(rng.Below(kLongest - kShortest + 1));
      lengths.data<int32_t>()[b] = static_cast<int32_t>(n);
      At(target_in, 0, b) = kStart;
      for (int64_t s = 0; s < n; ++s) {
        const auto digit = static_cast<int32_t>(3 + rng.Below(kDigits));
        At(source, s, b) = digit;
        At(target, n - 1 - s, b) = digit;
        At(target_in, n - s, b) = digit;
      }
      At(target, n, b) = kEnd;
    }
  }

  static int32_t& At(Tensor& ids, int64_t i, int64_t b) {
    return ids.data<int32_t>()[i * B + b];
  }

  Tensor source = Tensor::Zeros({kLongest, B}, DType::kI32);
  Tensor lengths = Tensor::Zeros({B}, DType::kI32);
  Tensor target_in = Tensor::Zeros({kLongest + 1, B}, DType::kI32);
  Tensor target = Tensor::Zeros({kLongest + 1, B}, DType::kI32);
};

CrossEntropyLoss LossOf(const EncoderDecoder& model, const Context& ctx,
                        const Reversal& batch) {
  CrossEntropyOptions options;
  options.ignore_id = kPad;
  options.scale = 1.0 / B;
  return CrossEntropy(
      model.Logits(ctx, batch.source, batch.lengths, batch.target_in),
      batch.target, options);
}

/// Adam over all parameters.
class Adam {
 public:
  explicit Adam(ParameterSet& parameters) : parameters_(parameters) {
    for (const auto& parameter : parameters_.all()) {
      m_.push_back(Tensor::Zeros(parameter->value().shape()));
      v_.push_back(Tensor::Zeros(parameter->value().shape()));
    }
  }

  void Step(double learning_rate) {
    kernels::AdamOptions options;
    options.learning_rate = learning_rate;
    options.step = ++step_;
    for (size_t i = 0; i < m_.size(); ++i) {
      Parameter& parameter = *parameters_.all()[i];
      kernels::AdamStep(parameter.mutable_value(), parameter.gradient(), m_[i],
                        v_[i], options);
      parameter.Changed();
      parameter.ClearGradient();
    }
  }

 private:
  ParameterSet& parameters_;
  std::vector<Tensor> m_;
  std::vector<Tensor> v_;
  int64_t step_ = 0;
};

EncoderDecoder MakeModel(const ModelInfo& info) {
  RecurrentConfig config;
  config.model = info.model;
  config.variant = info.variant;
  config.embedding = 16;
  config.units = 32;
  config.dropout = 0;
  config.Resolve();
  return EncoderDecoder(config, kWords, kWords, 1);
}

/// Trains for some steps; returns the loss of the last.
double Train(EncoderDecoder& model, int steps) {
  Rng rng(7);
  Adam adam(model.parameters());
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  double loss = 0;
  for (int step = 0; step < steps; ++step) {
    tape.Clear();
    const CrossEntropyLoss result = LossOf(model, ctx, Reversal(rng));
    tape.Backward(result.loss);
    adam.Step(step < steps / 2 ? 0.01 : 0.004);
    loss = result.loss.value().item();
  }
  return loss;
}

/// Share of right words on fresh samples.
double Accuracy(const EncoderDecoder& model) {
  Rng rng(99);
  int64_t correct = 0;
  int64_t words = 0;
  for (int i = 0; i < 20; ++i) {
    const CrossEntropyLoss loss = LossOf(model, {}, Reversal(rng));
    correct += loss.correct;
    words += loss.tokens;
  }
  return static_cast<double>(correct) / static_cast<double>(words);
}

/// Share of sentences that the model writes without error from its own words,
/// taking the greatest logit at each step.
double GreedyAccuracy(const EncoderDecoder& model) {
  Rng rng(123);
  const Reversal batch(rng);
  const auto state = model.Start({}, batch.source, batch.lengths);
  Tensor words = batch.target_in[0];
  std::vector<bool> right(B, true);
  for (int64_t t = 0; t <= kLongest; ++t) {
    const Tensor logits = model.Step({}, words, *state).value();
    words = Tensor({B}, DType::kI32);
    for (int64_t b = 0; b < B; ++b) {
      const float* row = logits.row<float>(b);
      const auto best =
          static_cast<int32_t>(std::max_element(row, row + kWords) - row);
      words.data<int32_t>()[b] = best;
      const int32_t wanted = batch.target.data<int32_t>()[t * B + b];
      if (wanted != kPad && wanted != best)
        right[static_cast<size_t>(b)] = false;
    }
  }
  return static_cast<double>(std::count(right.begin(), right.end(), true)) / B;
}

class Learning : public testing::TestWithParam<ModelInfo> {};
INSTANTIATE_TEST_SUITE_P(Models, Learning, testing::ValuesIn(RecurrentModels()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.variant;
                         });

TEST_P(Learning, ReversesDigits) {
  EncoderDecoder model = MakeModel(GetParam());
  EXPECT_LT(Accuracy(model), 0.4) << "before training";
  Train(model, 600);
  EXPECT_GT(Accuracy(model), 0.95);
  const double greedy = GreedyAccuracy(model);
  EXPECT_GE(greedy, 0.8);
  model.parameters().SetPrecision(kernels::Precision::kInt8);
  EXPECT_GT(Accuracy(model), 0.95) << "as bytes";
  EXPECT_NEAR(GreedyAccuracy(model), greedy, 1.01 / B) << "as bytes";
}

TEST_P(Learning, TwiceGivesTheSameBits) {
  EncoderDecoder first = MakeModel(GetParam());
  EncoderDecoder second = MakeModel(GetParam());
  EXPECT_EQ(Train(first, 10), Train(second, 10));
  for (size_t i = 0; i < first.parameters().all().size(); ++i) {
    EXPECT_EQ(MaxDifference(first.parameters().all()[i]->value(),
                            second.parameters().all()[i]->value()),
              0);
  }
}

}  // namespace
}  // namespace heed
