#include "heed/tasks/hard_choices.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "heed/autograd/observer.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr const char* kReward = "reward";
constexpr const char* kChosen = "chosen";
constexpr const char* kBaseline = "reward_baseline";

/// Records log-probabilities and entropies of an attention's choices per step.
class ChoiceWatch : public Observer {
 public:
  explicit ChoiceWatch(std::string path) : path_(std::move(path)) {}
  AttentionRequest Wants(const AttentionInfo& info) override {
    return {.weights = info.path == path_};
  }
  void OnAttention(const AttentionEvent& event) override {
    if (!event.log_probability.defined()) return;
    log_probabilities.push_back(event.log_probability);
    entropies.push_back(event.entropy);
  }

  std::vector<Var> log_probabilities;  // T of [B, H, 1], or one [B, H, T]
  std::vector<Var> entropies;

 private:
  std::string path_;
};

/// Stacks all steps: [T, B H].
Var StepsOf(const std::vector<Var>& all) {
  std::vector<Var> steps;
  for (const Var& x : all) {
    const int64_t rows = x.dim(0) * x.dim(1);
    if (x.dim(2) > 1) {
      const Var columns = Reshape(x, {rows, x.dim(2), 1});
      return Reshape(TransposeLeading(columns), {x.dim(2), rows});
    }
    steps.push_back(Reshape(x, {rows}));
  }
  return Stack(steps);
}

/// log p of the targets, 0 where a row has ended. Shapes: f64 [T, B].
Tensor TargetLogProbabilities(const Var& logits,
                              const DecoderExamples& examples) {
  const int64_t T = examples.targets.dim(0), B = examples.targets.dim(1);
  Tensor targets = examples.targets.Clone().Reshape({T * B});
  std::vector<bool> counts(static_cast<size_t>(T * B));
  for (int64_t i = 0; i < T * B; ++i) {
    int32_t& id = targets.data<int32_t>()[i];
    At(counts, i) = id != examples.ignore_id;
    if (id == examples.ignore_id) id = 0;
  }
  const Var rows(logits.value().Reshape({T * B, logits.dim(2)}));
  Tensor log_p =
      Pick(LogSoftmax(rows), targets).value().To(DType::kF64).Clone();
  for (int64_t i = 0; i < T * B; ++i) {
    if (!At(counts, i)) log_p.data<double>()[i] = 0;
  }
  return log_p.Reshape({T, B});
}

}  // namespace

void HardChoiceConfig::Visit(FieldList& v) {
  v.Section("Hard attention (normalizer hard)");
  v("hard_reward", reward, Range(0, 1000),
    "weight of the reward's gradient (λ_r)");
  v("hard_entropy", entropy, Range(0, 1000),
    "weight of the entropy bonus, which keeps samples diverse (λ_e)");
  v("hard_soft", soft, Range(0, 1),
    "share of batches trained by the expectation (soft attention) instead of "
    "samples");
  v("hard_baseline_decay", baseline_decay, UpToBelow(0, 1),
    "decay of the moving average of rewards");
}

void HardChoiceConfig::ActWithHardChoices(FieldList& v) {
  const Field* normalizer = FindField(v.fields(), "normalizer");
  const bool hard = normalizer != nullptr &&
                    normalizer->Value().get<std::string>().starts_with("hard");
  for (const char* key :
       {"hard_reward", "hard_entropy", "hard_soft", "hard_baseline_decay"}) {
    v.If(key, hard, "--normalizer hard");
  }
}

BatchLoss HardChoices::Loss(const Decoder& model, const Context& ctx,
                            const DecoderExamples& examples,
                            const LossOptions& options) const {
  Context own = ctx;
  own.expects_choices = Rng(ctx.NextKey()).Uniform() < config_.soft;
  ChoiceWatch watch(model.alignment_attention());
  if (!own.expects_choices) own.observer = &watch;
  const Var logits = model.Logits(own, examples.inputs, examples.target_in);
  const int64_t T = examples.targets.dim(0), B = examples.targets.dim(1);
  const Tensor log_p =
      own.expects_choices ? Tensor() : TargetLogProbabilities(logits, examples);
  CrossEntropyOptions entropy;
  entropy.ignore_id = examples.ignore_id;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  CrossEntropyLoss loss = CrossEntropy(logits, examples.targets, entropy);
  BatchLoss result = {std::move(loss.loss), loss.nll * options.scale};
  if (own.expects_choices) return result;
  if (watch.log_probabilities.empty()) {
    throw ConfigError("attention '{}' makes no hard choices",
                      model.alignment_attention());
  }
  const Var choices = StepsOf(watch.log_probabilities);
  const int64_t heads = choices.dim(1) / B;
  Tensor counts({T, B * heads}, DType::kF64);
  Tensor advantage({T, B * heads}, DType::kF64);
  double sum = 0;
  for (int64_t b = 0; b < B; ++b) {
    double ahead = 0;  // of the tokens from step t on: Σ (log p − b)
    for (int64_t t = T - 1; t >= 0; --t) {
      const bool counted =
          examples.targets.row<int32_t>(t)[b] != examples.ignore_id;
      if (counted) ahead += log_p.row<double>(t)[b] - baseline_.value();
      sum += log_p.row<double>(t)[b];
      std::fill_n(counts.row<double>(t) + b * heads, heads, counted ? 1 : 0);
      std::fill_n(advantage.row<double>(t) + b * heads, heads, ahead);
    }
  }
  const DType dtype = choices.value().dtype();
  const Var made(counts.To(dtype));
  const Var reinforce = ReinforceLoss(
      Mul(choices, made), Mul(StepsOf(watch.entropies), made),
      advantage.To(dtype), 0,
      {.reward_weight = config_.reward, .entropy_weight = config_.entropy});
  result.loss = Add(result.loss, Scale(reinforce, options.scale));
  result.parts = {{kReward, sum * options.scale},
                  {kChosen, static_cast<double>(loss.tokens) * options.scale}};
  return result;
}

void HardChoices::Updated(const Metrics& parts) {
  double reward = 0, chosen = 0;
  for (const auto& [name, value] : parts) {
    if (name == kReward) reward = value;
    if (name == kChosen) chosen = value;
  }
  if (chosen > 0) baseline_.Update(reward / chosen);
}

std::vector<NamedTensor> HardChoices::State() const {
  return {{kBaseline, Tensor::Full({1}, baseline_.value(), DType::kF64)}};
}

void HardChoices::Restore(const std::vector<NamedTensor>& state) {
  for (const NamedTensor& one : state) {
    if (one.name != kBaseline) continue;
    baseline_ =
        MovingBaseline(config_.baseline_decay, one.value.data<double>()[0]);
  }
}

}  // namespace heed
