#include "heed/train/config.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "heed/autograd/parameter_set.h"
#include "heed/base/errors.h"

namespace heed {

namespace {

/// Options between the loss and the updated weights, besides the update rule.
void VisitGradients(OptimizerConfig& c, FieldList& v) {
  v("clip", c.clip, Range(0, 1e9),
    "clip the gradient to this norm; 0: no clipping")
      .Alias("max_grad_norm")
      .Alias("clip_norm");
  v("clip_value", c.clip_value, Range(0, 1e9),
    "clip each element of the gradient to [-X, X], before its norm; 0: no "
    "clipping");
  v("label_smoothing", c.label_smoothing, UpToBelow(0, 1),
    "label smoothing: probability spread evenly over all tokens");
  v("quantize_bits", c.quantize_bits, Range(0, 8),
    "8: after each update, round matrices to what heed quantize stores and add "
    "the rounding error before the next rounding, so that int8 loses little; "
    "for a short fine-tuning with --pretrained; 0: off");
  v("accumulate", c.accumulate, Range(1, 10000), "batches per update")
      .Alias("gradient_accumulation_steps")
      .Alias("update_freq");
  v("shards", c.shards, Range(0, 1 << 16),
    "split each batch into N parts, a power of two, and sum their gradients in "
    "a fixed order, so that weights are bit-identical for any number of "
    "processes up to N; 0: the processes of mpirun, or the next power of two");
  v("wire", c.wire,
    "number format of gradients sent between processes; bf16 halves the "
    "traffic, but results then depend on the number of processes");
  v("same_on_every_cpu", c.same_on_every_cpu,
    "give bit-identical results on every processor with AVX2: convolutions use "
    "Heed's own matrix products, and --precision bf16 is refused; other f32 "
    "results are identical anyway");
  v("freeze", c.freeze, Any{"PATTERN"},
    "do not train parameters with these names, such as 'encoder.*' (*: any "
    "characters, ?: one); heed info shows the names");
}

}  // namespace

void OptimizerConfig::Visit(FieldList& v) {
  constexpr const char* kAdam = "--optimizer adam or adamw";
  const bool adam =
      optimizer == OptimizerKind::kAdam || optimizer == OptimizerKind::kAdamW;
  v.Section("Optimisation");
  v("optimizer", optimizer, "update rule").Alias("optim");
  v("learning_rate", learning_rate, Range(0, 1000), "peak learning rate")
      .Alias("lr")
      .Alias("learn_rate")
      .Main();
  v("beta1", beta1, UpToBelow(0, 1), "adam: decay of the mean gradient")
      .If(adam, kAdam);
  v("beta2", beta2, UpToBelow(0, 1), "adam: decay of the mean squared gradient")
      .If(adam, kAdam);
  v("epsilon", epsilon, Range(0, 1),
    "constant added to denominators; 0: 1e-8 (adam), 1e-6 (adadelta), 1e-4 "
    "(rmsprop)");
  v("bias_correction", bias_correction,
    "adam: correct the bias of averages that start at zero (BERT does not)")
      .If(adam, kAdam);
  v("rho", rho, UpToBelow(0, 1), "adadelta, rmsprop: decay of the averages")
      .If(optimizer == OptimizerKind::kAdadelta ||
              optimizer == OptimizerKind::kRmsprop,
          "--optimizer adadelta or rmsprop");
  v("momentum", momentum, UpToBelow(0, 1),
    "sgd, rmsprop: momentum factor (Graves 2013 has 0.9 in rmsprop)")
      .If(optimizer == OptimizerKind::kSgd ||
              optimizer == OptimizerKind::kRmsprop,
          "--optimizer sgd or rmsprop");
  v("weight_decay", weight_decay, Range(0, 10),
    "adamw: weight decay of matrices, times the learning rate")
      .Alias("wd")
      .If(optimizer == OptimizerKind::kAdamW,
          "--optimizer adamw (--l2 is for all)");
  v("l2", l2, Range(0, 10),
    "L2 penalty: add X/2 times the squared weights to the loss, but not to the "
    "printed loss; 0: none (adamw: use weight_decay)")
      .Alias("l2_reg");
  v("l2_of", l2_of,
    "parameters that l2 applies to; matrices: no biases or gains")
      .If(l2 > 0, "--l2");
  v("schedule", schedule, "learning rate schedule after the warm-up");
  v("warmup", warmup, Range(0, 1e9),
    "updates of linear warm-up to the peak; 0: none")
      .Alias("warmup_steps")
      .Alias("warmup_updates");
  v("halve_after", halve_after, Range(0, 1e9),
    "step_halving: steps before the first halving")
      .If(schedule == Schedule::kStepHalving, "--schedule step_halving");
  v("halve_every", halve_every, Range(0, 1e9),
    "step_halving: steps from one halving to the next")
      .If(schedule == Schedule::kStepHalving, "--schedule step_halving");
  v("decay_steps", decay_steps, Range(0, 1e9),
    "linear, cosine: step at which the rate reaches zero; 0: the end of the "
    "run")
      .If(schedule == Schedule::kLinear || schedule == Schedule::kCosine,
          "--schedule linear or cosine");
  VisitGradients(*this, v);
}

void RunConfig::Visit(FieldList& v) {
  v.Section("Run");
  v("out", out, Any{"DIR"}, "model folder to write")
      .Alias("output")
      .Alias("output_dir")
      .Alias("save_dir")
      .Main();
  v.Require({{"out"}});
  v("overwrite", overwrite, "replace an existing model in the output folder");
  v("epochs", epochs, Range(1, 1000000),
    "maximum passes over the training data")
      .Alias("max_epochs")
      .Alias("max_epoch")
      .Alias("num_epochs")
      .Alias("num_train_epochs")
      .Main();
  v("steps", steps, Range(0, 1e12), "maximum updates; 0: no limit")
      .Alias("max_steps")
      .Alias("max_updates")
      .Alias("max_update");
  v("min_steps", min_steps, Range(0, 1e12),
    "minimum updates, even beyond the last epoch, for small data; 0: none. "
    "--epochs or --steps alone set it to 0")
      .Alias("min_updates");
  v("validate_every", validate_every, Range(0, 1e9),
    "updates between validations; 0: once an epoch, or once in several short "
    "epochs, so that --min-steps has 20");
  v("metric", metric, Any{"NAME"},
    "validation measure that selects the best weights, ties broken by the "
    "loss; auto: the task's own");
  v("patience", patience, Range(0, 1000000),
    "early stopping: stop after N validations without improvement; 0: never")
      .Alias("early_stopping");
  v("patience_metric", patience_metric,
    "improvement that resets early stopping; metric: a better metric; "
    "metric_or_loss: a metric or loss at least as good as the best, and the "
    "weights kept are the last for which both are (as in graph attention "
    "networks)");
  v("checkpoint_every", checkpoint_every, Range(0, 1e9),
    "updates between checkpoints, in addition to those at validations; 0: by "
    "time only");
  v("checkpoint_minutes", checkpoint_minutes, Range(0, 1e6),
    "minutes between checkpoints, in addition to those at validations; 0: "
    "none");
  v("keep", keep, Range(1, 1000),
    "checkpoints of the last validations to keep");
  v("ema", ema, UpToBelow(0, 1),
    "decay of an exponential moving average of the weights, which is validated "
    "and saved instead of them, such as 0.999; 0: off");
  v("average", average, Range(1, 1000),
    "average the weights of the last N validations at the end, if the average "
    "is better");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  v("seed", seed, "random seed of weights, dropout and the order of batches")
      .Alias("random_seed");
  v("quiet", quiet, "print no progress line");
}

int64_t RunConfig::Updates(int64_t of_epoch) const {
  const int64_t updates = std::max(of_epoch * epochs, min_steps);
  return steps > 0 ? std::min(updates, steps) : updates;
}

bool RunConfig::ValidatesAt(int64_t number, int64_t of_epoch) const {
  constexpr int64_t kValidations = 20;
  const int64_t apart = std::max<int64_t>(1, min_steps / kValidations);
  return number / apart > std::max<int64_t>(0, number - of_epoch) / apart;
}

void TrainingConfig::Visit(FieldList& v) {
  optimizer.Visit(v);
  run.Visit(v);
}

void OptimizerConfig::Resolve() {
  if (epsilon == 0) {
    epsilon = optimizer == OptimizerKind::kAdadelta  ? 1e-6
              : optimizer == OptimizerKind::kRmsprop ? 1e-4
                                                     : 1e-8;
  }
  if (shards > 0 && !std::has_single_bit(static_cast<uint32_t>(shards))) {
    throw ConfigError("shards {} is not a power of two; take {} or {}", shards,
                      std::bit_floor(static_cast<uint32_t>(shards)),
                      std::bit_ceil(static_cast<uint32_t>(shards)));
  }
  if (quantize_bits != 0 && quantize_bits != 8) {
    throw ConfigError("quantize_bits is {}; 8 and 0 (off) are possible",
                      quantize_bits);
  }
  if (schedule == Schedule::kStepHalving && halve_every == 0) {
    throw ConfigError("schedule 'step_halving' needs halve_every");
  }
}

void TrainingConfig::Resolve() {
  optimizer.Resolve();
  if (run.seed == kNoSeed) throw ConfigError("seed is too large by one");
  if (optimizer.quantize_bits > 0 && (run.ema > 0 || run.average > 1)) {
    throw ConfigError(
        "quantize_bits rounds the weights, but {} saves averages of them; "
        "leave one of the two out",
        run.ema > 0 ? "ema" : "average");
  }
  if (run.average > run.keep) run.keep = run.average;
}

}  // namespace heed
