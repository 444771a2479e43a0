#include "course/hard_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "course/gradient_variance.h"
#include "course/parameter_line.h"
#include "heed/attention/mask.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/reinforce.h"
#include "heed/ops/shape.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

constexpr int64_t kChoiceKeys = 20;
constexpr int64_t kChoiceValues = 8;
constexpr int64_t kFewestItems = 2;
constexpr int64_t kMaxItems = 12;
constexpr int64_t kChoiceFeatures = 16;
constexpr int64_t kBaselineUnits = 8;
constexpr int64_t kTestQuestions = 500;
constexpr Init kChoiceInit = {Init::Kind::kNormal, 0.5};

/// Returns 1 at the largest score of each row, else 0. Shapes: scores [B, 1,
/// S].
Tensor OneHotOfLargest(const Tensor& scores) {
  Tensor weights = Tensor::Zeros(scores.shape(), scores.dtype());
  const int64_t S = scores.dim(2);
  for (int64_t b = 0; b < scores.dim(0); ++b) {
    const float* row = scores.data<float>() + b * S;
    weights.data<float>()[b * S + (std::max_element(row, row + S) - row)] = 1;
  }
  return weights;
}

double MeanOfElements(const Tensor& x) {
  const std::vector<double> all = x.To(DType::kF64).ToVector<double>();
  return std::accumulate(all.begin(), all.end(), 0.0) /
         static_cast<double>(all.size());
}

/// Returns the baseline for the reward of each question.
std::vector<double> BaselinesOf(ChoiceMethod method, double moving,
                                const Tensor& learned) {
  if (method == ChoiceMethod::kLearnedBaseline) {
    return learned.To(DType::kF64).ToVector<double>();
  }
  const double same = method == ChoiceMethod::kMovingBaseline ? moving : 0;
  return std::vector<double>(static_cast<size_t>(learned.numel()), same);
}

bool Samples(ChoiceMethod method) {
  return method != ChoiceMethod::kSoft && method != ChoiceMethod::kGumbel;
}

/// Returns −log(−log u) for each score.
Tensor GumbelNoise(const Shape& shape, Rng& rng) {
  Tensor noise(shape, DType::kF32);
  for (int64_t i = 0; i < noise.numel(); ++i) {
    noise.data<float>()[i] =
        static_cast<float>(-std::log(-std::log(rng.Uniform(1e-12, 1 - 1e-12))));
  }
  return noise;
}

}  // namespace

ChoiceBatch MakeChoices(int64_t questions, uint64_t seed) {
  Rng rng(seed);
  const auto draw = [&](int64_t n) {
    return static_cast<int64_t>(rng.Below(static_cast<uint64_t>(n)));
  };
  const auto zeros = [](const Shape& shape) {
    return Tensor::Zeros(shape, DType::kI32);
  };
  ChoiceBatch batch = {zeros({questions, kMaxItems}),
                       zeros({questions, kMaxItems}), zeros({questions}),
                       zeros({questions}), zeros({questions})};
  for (int64_t b = 0; b < questions; ++b) {
    const int64_t items = kFewestItems + draw(kMaxItems - kFewestItems + 1);
    int32_t* keys = batch.keys.row<int32_t>(b);
    int32_t* values = batch.values.row<int32_t>(b);
    for (int64_t s = 0; s < items; ++s) {
      do {
        keys[s] = static_cast<int32_t>(draw(kChoiceKeys));
      } while (std::find(keys, keys + s, keys[s]) != keys + s);
      values[s] = static_cast<int32_t>(draw(kChoiceValues));
    }
    const int64_t right = draw(items);
    batch.lengths.data<int32_t>()[b] = static_cast<int32_t>(items);
    batch.query.data<int32_t>()[b] = keys[right];
    batch.answers.data<int32_t>()[b] = values[right];
  }
  return batch;
}

ChoiceModel::ChoiceModel(uint64_t seed)
    : parameters_(seed, DType::kF32, kernels::Precision::kNative),
      query_(Scope(parameters_, "scores.asked"), kChoiceKeys, kChoiceFeatures,
             kChoiceInit),
      keys_(Scope(parameters_, "scores.keys"), kChoiceKeys, kChoiceFeatures,
            kChoiceInit),
      values_(Scope(parameters_, "values"), kChoiceValues, kChoiceFeatures,
              kChoiceInit),
      output_(Scope(parameters_, "output"), kChoiceFeatures, kChoiceValues,
              Init()),
      hidden_(Scope(parameters_, "baseline.hidden"), 1, kBaselineUnits, Init()),
      baseline_(Scope(parameters_, "baseline.output"), kBaselineUnits, 1,
                Init()) {}

bool ChoiceModel::MovesScores(const std::string& parameter) {
  return parameter.starts_with("scores.");
}

Var ChoiceModel::Scores(const Context& ctx, const ChoiceBatch& batch) const {
  const int64_t B = batch.query.dim(0);
  const Var e =
      DotScores(Reshape(query_(ctx, batch.query), {B, 1, kChoiceFeatures}),
                keys_(ctx, batch.keys),
                1 / std::sqrt(static_cast<double>(kChoiceFeatures)));
  return MaskScores(e, Padding(batch.lengths).rule().get(), 1, 0);
}

Var ChoiceModel::LogValues(const Context& ctx, const ChoiceBatch& batch,
                           const Var& weights) const {
  const Var context = WeightedSum(weights, values_(ctx, batch.values));
  return LogSoftmax(
      output_(ctx, Reshape(context, {batch.query.dim(0), kChoiceFeatures})));
}

Var ChoiceModel::LogAnswer(const Context& ctx, const ChoiceBatch& batch,
                           const Var& weights) const {
  return Pick(LogValues(ctx, batch, weights), batch.answers);
}

Var ChoiceModel::Baseline(const Context& ctx, const ChoiceBatch& batch) const {
  const int64_t B = batch.lengths.dim(0);
  Tensor items({B, 1}, DType::kF32);
  for (int64_t b = 0; b < B; ++b) {
    items.data<float>()[b] =
        std::log(static_cast<float>(batch.lengths.data<int32_t>()[b]));
  }
  return Reshape(baseline_(ctx, Tanh(hidden_(ctx, Var(items)))), {B});
}

Var ChoiceLoss(const ChoiceModel& model, const ChoiceBatch& batch,
               ChoiceMethod method, double temperature, double moving,
               Rng* chances, Tape* tape, double* mean_reward) {
  Context ctx;
  ctx.tape = tape;
  ctx.rng = chances;
  ctx.training = true;
  const int64_t B = batch.query.dim(0);
  const double share = 1 / static_cast<double>(B);
  const Var e = model.Scores(ctx, batch);
  if (!Samples(method)) {
    const Var log_p = model.LogAnswer(ctx, batch,
                                      method == ChoiceMethod::kSoft
                                          ? Softmax(e)
                                          : GumbelSoftmax(ctx, e, temperature));
    *mean_reward = MeanOfElements(log_p.value());
    return Scale(Sum(log_p), -share);
  }
  const HardSample sample = SampleHard(ctx, e);
  const Var log_p = model.LogAnswer(ctx, batch, sample.weights);
  *mean_reward = MeanOfElements(log_p.value());
  const Var learned = model.Baseline(ctx, batch);
  const std::vector<double> baselines =
      BaselinesOf(method, moving, learned.value());
  Tensor advantage = log_p.value().Clone();
  for (int64_t b = 0; b < B; ++b) {
    advantage.data<float>()[b] -= static_cast<float>(At(baselines, b));
  }
  Var loss = Add(Scale(Sum(log_p), -share),
                 ReinforceLoss(sample.log_probability, sample.entropy,
                               advantage, 0, {.reward_weight = share}));
  if (method == ChoiceMethod::kLearnedBaseline) {
    const Var error = Sub(learned, Var(log_p.value()));
    loss = Add(loss, Scale(Sum(Mul(error, error)), share));
  }
  return loss;
}

double ChoiceAccuracy(const ChoiceModel& model, const ChoiceBatch& batch,
                      bool soft) {
  const Var e = model.Scores({}, batch);
  const Tensor log_p =
      model
          .LogValues({}, batch,
                     soft ? Softmax(e) : Var(OneHotOfLargest(e.value())))
          .value();
  const int64_t B = log_p.dim(0), V = log_p.dim(1);
  int64_t right = 0;
  for (int64_t b = 0; b < B; ++b) {
    const float* row = log_p.row<float>(b);
    right +=
        std::max_element(row, row + V) - row == batch.answers.data<int32_t>()[b]
            ? 1
            : 0;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(B);
}

namespace {

/// Returns variances over single questions; all methods use the same questions
/// and random numbers.
std::array<double, 3> ChoiceVariances(ChoiceModel& model, double moving,
                                      const ChoiceTraining& training) {
  std::array<double, 3> variances = {};
  const std::array<ChoiceMethod, 3> methods = {ChoiceMethod::kNoBaseline,
                                               ChoiceMethod::kMovingBaseline,
                                               ChoiceMethod::kLearnedBaseline};
  for (size_t m = 0; m < methods.size(); ++m) {
    GradientVariance variance;
    for (int i = 0; i < training.draws; ++i) {
      Rng chances(training.seed + 7, static_cast<uint64_t>(i));
      const ChoiceBatch batch = MakeChoices(1, chances.Next());
      Tape tape;
      double reward = 0;
      tape.Backward(ChoiceLoss(model, batch, methods[m], 1, moving, &chances,
                               &tape, &reward));
      variance.Add(TakeGradient(model.parameters(), ChoiceModel::MovesScores));
    }
    variances[m] = variance.Total();
  }
  return variances;
}

}  // namespace

ChoiceRun TrainChoice(ChoiceModel& model, ChoiceMethod method,
                      const ChoiceTraining& training) {
  ChoiceRun run;
  OptimizerConfig config;
  Optimizer optimizer(model.parameters(), config);
  const ChoiceBatch test = MakeChoices(kTestQuestions, training.seed + 1);
  MovingBaseline moving(0.9);
  for (int64_t step = 1; step <= training.steps; ++step) {
    Rng chances(training.seed + 2, static_cast<uint64_t>(step) << 32);
    const ChoiceBatch batch = MakeChoices(training.questions, chances.Next());
    const double along = static_cast<double>(step) / training.steps;
    const double temperature =
        training.first_temperature *
        std::pow(training.last_temperature / training.first_temperature, along);
    Tape tape;
    double reward = 0;
    const Var loss = ChoiceLoss(model, batch, method, temperature,
                                moving.value(), &chances, &tape, &reward);
    tape.Backward(loss);
    tape.Clear();
    // The average starts at the first reward.
    if (step == 1) moving = MovingBaseline(0.9, reward);
    moving.Update(reward);
    optimizer.Step(step, training.learning_rate);
    if (method == ChoiceMethod::kLearnedBaseline &&
        step == training.variance_after) {
      run.variances = ChoiceVariances(model, moving.value(), training);
    }
    if (step % training.every != 0) continue;
    run.accuracy.push_back(
        ChoiceAccuracy(model, test, method == ChoiceMethod::kSoft));
    if (!run.enough_at && run.accuracy.back() >= training.enough) {
      run.enough_at = step;
    }
  }
  return run;
}

ChoiceSlice SliceOfChoices(ChoiceModel& model, const std::vector<Tensor>& from,
                           const std::vector<Tensor>& to,
                           const ChoiceBatch& batch,
                           const std::vector<double>& temperatures, int points,
                           int samples, uint64_t seed) {
  // Only parameters of the scores move; the others keep the state `to`.
  std::vector<Tensor> start = to;
  for (size_t p = 0; p < to.size(); ++p) {
    if (ChoiceModel::MovesScores(model.parameters().all()[p]->name())) {
      start[p] = from[p];
    }
  }
  const auto mean_answer = [&](const Var& weights) {
    return MeanOfElements(Exp(model.LogAnswer({}, batch, weights)).value());
  };
  ChoiceSlice slice;
  slice.gumbel.resize(temperatures.size());
  Rng rng(seed);
  const Tensor noise =
      GumbelNoise({batch.keys.dim(0), 1, batch.keys.dim(1)}, rng);
  Context chance;
  chance.rng = &rng;
  for (int i = 0; i < points; ++i) {
    const double theta = 2.0 * i / (points - 1) - 0.5;
    PutBetween(model.parameters(), start, to, theta);
    const Var e = model.Scores({}, batch);
    slice.theta.push_back(theta);
    slice.argmax.push_back(mean_answer(Var(OneHotOfLargest(e.value()))));
    slice.soft.push_back(mean_answer(Softmax(e)));
    double sampled = 0;
    for (int k = 0; k < samples; ++k) {
      sampled += mean_answer(SampleHard(chance, e).weights) / samples;
    }
    slice.sampled.push_back(sampled);
    for (size_t j = 0; j < temperatures.size(); ++j) {
      slice.gumbel[j].push_back(
          mean_answer(Softmax(Scale(Add(e, Var(noise)), 1 / temperatures[j]))));
    }
  }
  PutBetween(model.parameters(), start, to, 1);
  return slice;
}

double LargestJump(const std::vector<double>& curve) {
  double largest = 0;
  for (size_t i = 1; i < curve.size(); ++i) {
    largest = std::max(largest, std::abs(curve[i] - curve[i - 1]));
  }
  return largest;
}

}  // namespace heed
