// Every model must learn simple tasks: to copy, reverse or sort digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/transformer/transformer_testing.h"
#include "heed/ops/loss.h"

namespace heed::learning_test {
namespace {

constexpr int64_t B = 32;
constexpr size_t kLongest = 5;
constexpr size_t kShortest = 3;
constexpr int32_t kPad = 0;
constexpr int32_t kStart = 1;
constexpr int32_t kEnd = 2;
constexpr int32_t kDigits = 8;
constexpr int kWords = 3 + kDigits;

using Digits = std::vector<int32_t>;

struct Task {
  std::string name;
  void (*apply)(Digits& digits);
};

const Task kCopy = {"Copy", [](Digits&) {}};
const Task kReverse = {"Reverse",
                       [](Digits& d) { std::reverse(d.begin(), d.end()); }};
const Task kSort = {"Sort", [](Digits& d) { std::sort(d.begin(), d.end()); }};

/// Random digits, and the targets of the task.
struct Batch {
  Batch(const Task& task, Rng& rng) {
    for (int64_t b = 0; b < B; ++b) {
      Digits digits(kShortest + rng.Below(kLongest - kShortest + 1));
      for (int32_t& digit : digits)
        digit = static_cast<int32_t>(3 + rng.Below(kDigits));
      Write(digits, 0, b, source);
      lengths.data<int32_t>()[b] = static_cast<int32_t>(digits.size());
      task.apply(digits);
      digits.push_back(kEnd);
      Write(digits, 0, b, target);
      digits.pop_back();
      target_in.data<int32_t>()[b] = kStart;
      Write(digits, 1, b, target_in);
    }
  }

  static void Write(const Digits& digits, int64_t from, int64_t b,
                    Tensor& ids) {
    for (const int32_t digit : digits)
      ids.data<int32_t>()[from++ * B + b] = digit;
  }

  Tensor source = Tensor::Zeros({kLongest, B}, DType::kI32);
  Tensor lengths = Tensor::Zeros({B}, DType::kI32);
  Tensor target_in = Tensor::Zeros({kLongest + 1, B}, DType::kI32);
  Tensor target = Tensor::Zeros({kLongest + 1, B}, DType::kI32);
};

CrossEntropyLoss LossOf(const Decoder& model, const Context& ctx,
                        const Batch& batch) {
  CrossEntropyOptions options;
  options.ignore_id = kPad;
  options.scale = 1.0 / B;
  return model.Loss(ctx, {batch.source, batch.lengths}, batch.target_in,
                    batch.target, options);
}

/// Model, task, training and required accuracy.
struct Lesson {
  std::string name;
  std::function<std::unique_ptr<Decoder>()> make;
  Task task;
  int steps;
  double rate;       // for two thirds of the steps
  double last_rate;  // for the remaining steps
  double words;      // required accuracy of words, given their prefix
  double sentences;  // required fraction of sentences without error
};

std::vector<Lesson> Lessons() {
  std::vector<Lesson> lessons;
  for (const NamedVariant& info : RecurrentVariants()) {
    const auto make = [info] {
      RecurrentConfig config;
      config.model = info.model;
      config.variant = info.variant;
      config.embedding = 16;
      config.units = 32;
      config.dropout = 0;
      return std::make_unique<EncoderDecoder>(config.Resolve(), kWords, kWords,
                                              1);
    };
    lessons.push_back({info.model + "_" + info.variant, make, kReverse, 600,
                       0.01, 0.004, 0.95, 0.8});
  }
  for (const char* recurrence : {"none", "ssru"}) {
    for (const Task& task : {kCopy, kReverse, kSort}) {
      const auto make = [recurrence] {
        TransformerConfig config = SmallTransformer();
        config.layers = config.decoder_layers = 1;
        config.width = 32;
        config.ff = 64;
        config.decoder_recurrence = recurrence;
        return std::make_unique<Transformer>(Resolved(config), kWords, kWords,
                                             1);
      };
      const std::string name =
          recurrence == std::string("none") ? "transformer_" : "student_";
      lessons.push_back(
          {name + task.name, make, task, 700, 0.005, 0.001, 0.99, 0.96});
    }
  }
  return lessons;
}

/// Trains for `steps` steps; returns the loss of the last step.
double Train(const Lesson& lesson, int steps, Decoder& model) {
  Rng rng(7);
  Adam adam(model.parameters());
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  double loss = 0;
  for (int step = 0; step < steps; ++step) {
    tape.Clear();
    const CrossEntropyLoss result = LossOf(model, ctx, Batch(lesson.task, rng));
    tape.Backward(result.loss);
    adam.Step(step < steps * 2 / 3 ? lesson.rate : lesson.last_rate);
    loss = result.loss.value().item();
  }
  return loss;
}

/// Fraction of correct words on new samples.
double Accuracy(const Task& task, const Decoder& model) {
  Rng rng(99);
  int64_t correct = 0;
  int64_t words = 0;
  for (int i = 0; i < 20; ++i) {
    const CrossEntropyLoss loss = LossOf(model, {}, Batch(task, rng));
    correct += loss.correct;
    words += loss.tokens;
  }
  return static_cast<double>(correct) / static_cast<double>(words);
}

/// Fraction of sentences that greedy decoding writes without error.
double GreedyAccuracy(const Task& task, const Decoder& model) {
  Rng rng(123);
  const Batch batch(task, rng);
  DecoderState state = StartOf(model, {batch.source, batch.lengths});
  Tensor words = batch.target_in[0].Clone();
  std::vector<bool> right(B, true);
  for (int64_t t = 0; t < batch.target.dim(0); ++t) {
    const Tensor logits = model.Step({}, words, state).value();
    for (int64_t b = 0; b < B; ++b) {
      const float* row = logits.row<float>(b);
      const auto best =
          static_cast<int32_t>(std::max_element(row, row + kWords) - row);
      words.data<int32_t>()[b] = best;
      const int32_t wanted = batch.target.data<int32_t>()[t * B + b];
      if (wanted != kPad && wanted != best) At(right, b) = false;
    }
  }
  return static_cast<double>(std::count(right.begin(), right.end(), true)) / B;
}

class Learning : public testing::TestWithParam<Lesson> {};
INSTANTIATE_TEST_SUITE_P(Models, Learning, testing::ValuesIn(Lessons()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Learning, SolvesTheTask) {
  const auto& [name, make, task, steps, rate, last_rate, words, sentences] =
      GetParam();
  const auto model = make();
  EXPECT_LT(Accuracy(task, *model), 0.4) << "before training";
  Train(GetParam(), steps, *model);
  EXPECT_GT(Accuracy(task, *model), words);
  const double greedy = GreedyAccuracy(task, *model);
  EXPECT_GE(greedy, sentences);
  model->parameters().SetPrecision(kernels::Precision::kInt8);
  EXPECT_GT(Accuracy(task, *model), words) << "int8";
  EXPECT_NEAR(GreedyAccuracy(task, *model), greedy, 1.01 / B) << "int8";
}

TEST_P(Learning, TwiceGivesTheSameBits) {
  const auto first = GetParam().make();
  const auto second = GetParam().make();
  EXPECT_EQ(Train(GetParam(), 10, *first), Train(GetParam(), 10, *second));
  for (size_t i = 0; i < first->parameters().all().size(); ++i) {
    EXPECT_EQ(MaxDifference(first->parameters().all()[i]->value(),
                            second->parameters().all()[i]->value()),
              0);
  }
}

}  // namespace
}  // namespace heed::learning_test
