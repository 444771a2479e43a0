#include "course/labyrinth_training.h"

#include <cmath>
#include <string>
#include <utility>

#include "course/gradient_variance.h"
#include "course/parameter_line.h"
#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

OptimizerConfig LabyrinthOptimizer(const LabyrinthOptions& options) {
  OptimizerConfig config;
  config.learning_rate = options.learning_rate;
  config.clip = 1;
  return config;
}

std::vector<double> LabyrinthRewards(const LabyrinthAgent& agent,
                                     const MazeRollout& rollout) {
  std::vector<double> rewards;
  for (const MazeEpisode& episode : rollout.episodes) {
    rewards.push_back(LabyrinthReward(agent, episode));
  }
  return rewards;
}

double MeanReward(const std::vector<double>& rewards) {
  double sum = 0;
  for (const double r : rewards) sum += r;
  return sum / static_cast<double>(rewards.size());
}

bool IsOfPolicy(const std::string& parameter) {
  return !parameter.starts_with("baseline");
}

}  // namespace

double LabyrinthReward(const LabyrinthAgent& agent,
                       const MazeEpisode& episode) {
  if (!episode.solved) return -1;
  return -static_cast<double>(episode.steps()) /
         static_cast<double>(agent.max_steps());
}

Var LabyrinthLoss(const MazeRollout& rollout,
                  const std::vector<double>& rewards, LabyrinthMethod method,
                  double moving) {
  const Shape& shape = rollout.log_probability.shape();
  const DType dtype = rollout.made.dtype();
  Tensor reward(shape, DType::kF64);
  const Tensor learned = rollout.baseline.value().To(DType::kF64);
  Tensor advantage(shape, DType::kF64);
  for (int64_t i = 0; i < shape.numel(); ++i) {
    const double r = At(rewards, i % shape[1]);
    reward.data<double>()[i] = r;
    double baseline = 0;
    if (method == LabyrinthMethod::kMoving) baseline = moving;
    if (method == LabyrinthMethod::kLearned) {
      baseline = learned.data<double>()[i];
    }
    advantage.data<double>()[i] = r - baseline;
  }
  const double share = 1 / static_cast<double>(shape[1]);
  Var loss =
      ReinforceLoss(rollout.log_probability, Var(Tensor::Zeros(shape, dtype)),
                    advantage.To(dtype), 0, {.reward_weight = share});
  if (method == LabyrinthMethod::kLearned) {
    const Var error =
        Mul(Sub(rollout.baseline, Var(reward.To(dtype))), Var(rollout.made));
    loss = Add(loss, Scale(Sum(Mul(error, error)), share));
  }
  return loss;
}

LabyrinthLearner::LabyrinthLearner(LabyrinthAgent& agent,
                                   LabyrinthMethod method,
                                   const LabyrinthOptions& options)
    : agent_(agent),
      method_(method),
      options_(options),
      config_(LabyrinthOptimizer(options)),
      optimizer_(agent.parameters(), config_),
      moving_(0.9) {}

void LabyrinthLearner::Step() {
  if (agent_.crossings().all.empty()) return;  // nothing to choose
  ++step_;
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  if (method_ == LabyrinthMethod::kSoft) {
    tape.Backward(Scale(agent_.SoftReturn(ctx, options_.discount), -1));
  } else {
    const MazeRollout rollout =
        agent_.Walk(ctx, options_.episodes,
                    Rng(options_.seed, static_cast<uint64_t>(step_)).Next());
    const std::vector<double> rewards = LabyrinthRewards(agent_, rollout);
    if (step_ == 1) {
      // Both baselines start at the first mean reward.
      moving_ = MovingBaseline(0.9, MeanReward(rewards));
      Parameter& bias = *agent_.parameters().Find("baseline.bias");
      bias.mutable_value().Fill(MeanReward(rewards));
      bias.Changed();
    }
    tape.Backward(LabyrinthLoss(rollout, rewards, method_, moving_.value()));
    moving_.Update(MeanReward(rewards));
  }
  optimizer_.Step(step_, options_.learning_rate);
}

std::array<double, 3> GradientVariances(LabyrinthAgent& agent, double moving,
                                        int draws, uint64_t seed) {
  std::array<double, 3> variances = {};
  for (const LabyrinthMethod method :
       {LabyrinthMethod::kNone, LabyrinthMethod::kMoving,
        LabyrinthMethod::kLearned}) {
    GradientVariance variance;
    for (int i = 0; i < draws; ++i) {
      Tape tape;
      Context ctx;
      ctx.tape = &tape;
      const MazeRollout rollout =
          agent.Walk(ctx, 1, Rng(seed, static_cast<uint64_t>(i)).Next());
      tape.Backward(LabyrinthLoss(rollout, LabyrinthRewards(agent, rollout),
                                  method, moving));
      variance.Add(TakeGradient(agent.parameters(), IsOfPolicy));
    }
    At(variances, method) = variance.Total();
  }
  return variances;
}

ObjectiveSlice SliceOfObjective(LabyrinthAgent& agent,
                                const std::vector<Tensor>& from,
                                const std::vector<Tensor>& to, double discount,
                                int points) {
  ObjectiveSlice slice;
  for (int i = 0; i < points; ++i) {
    const double at = 2.0 * i / (points - 1) - 0.5;
    PutBetween(agent.parameters(), from, to, at);
    slice.at.push_back(at);
    slice.hard.push_back(
        LabyrinthAgent::Return(agent.MostProbable(), discount));
    slice.soft.push_back(agent.SoftReturn({}, discount).value().item());
  }
  PutBetween(agent.parameters(), from, to, 1);
  return slice;
}

}  // namespace heed
