#include "heed/train/config.h"

#include "heed/base/errors.h"
#include "heed/data/vocabulary.h"

namespace heed {

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("source", source, Any{"FILE"},
    "training text, one sentence a line (.gz too)");
  v("target", target, Any{"FILE"}, "its translation, line by line");
  v("tsv", tsv, Any{"FILE"}, "both in one file: source, tab, target");
  v("valid_source", valid_source, Any{"FILE"}, "validation text");
  v("valid_target", valid_target, Any{"FILE"}, "its translation");
  v("valid_tsv", valid_tsv, Any{"FILE"}, "validation pairs in one file");
  v("lowercase", lowercase, "lower-case all text before anything else");
  v("max_length", max_length, Range(0, 1000000),
    "drop training pairs with a side of more tokens; 0: keep all");

  v.Section("Vocabulary");
  v("vocabulary", vocabulary, OneOf{"unigram", "bpe", "words", "characters"},
    "tokens: subwords by SentencePiece, words or characters");
  v("joint_vocabulary", joint_vocabulary, "one vocabulary for both sides");
  v("source_vocabulary_size", source_vocabulary_size, Range(0, 1000000),
    "tokens; 0: 8000 subwords, or as many words or characters as there are");
  v("target_vocabulary_size", target_vocabulary_size, Range(0, 1000000),
    "the same for the target");
  v("min_count", min_count, Range(1, 1000000),
    "words and characters: rarer ones become <unk>");

  v.Section("Batches");
  v("batch_tokens", batch_tokens, Range(1, 10000000),
    "tokens per batch on either side, padding included");
  v("batch_sentences", batch_sentences, Range(0, 1000000),
    "pairs per batch at most; 0: no limit");
}

void OptimizerConfig::Visit(FieldList& v) {
  v.Section("Optimisation");
  v("optimizer", optimizer, OneOf{"adam", "adamw", "adadelta", "sgd"},
    "update rule");
  v("learning_rate", learning_rate, Range(0, 1000), "peak step size");
  v("beta1", beta1, UpToBelow(0, 1), "adam: decay of the mean gradient");
  v("beta2", beta2, UpToBelow(0, 1),
    "adam: decay of the mean squared gradient");
  v("epsilon", epsilon, Range(0, 1),
    "keeps divisions finite; 0: 1e-8 (adam), 1e-6 (adadelta)");
  v("rho", rho, UpToBelow(0, 1), "adadelta: decay of the averages");
  v("momentum", momentum, UpToBelow(0, 1), "sgd: share of the last step");
  v("weight_decay", weight_decay, Range(0, 10),
    "adamw: decay, times step size");
  v("schedule", schedule,
    OneOf{"constant", "inverse_sqrt", "step_halving", "cosine"},
    "how the step size changes after warm-up");
  v("warmup", warmup, Range(0, 1e9), "steps until the peak, rising linearly");
  v("halve_after", halve_after, Range(0, 1e9),
    "step_halving: steps before the first halving");
  v("halve_every", halve_every, Range(0, 1e9),
    "step_halving: steps between two");
  v("decay_steps", decay_steps, Range(0, 1e9),
    "cosine: step at which it reaches zero; 0: the end of the run");
  v("clip", clip, Range(0, 1e9), "greatest norm of the gradient; 0: no limit");
  v("label_smoothing", label_smoothing, UpToBelow(0, 1),
    "probability given to all tokens alike");
  v("accumulate", accumulate, Range(1, 10000), "batches per update");
}

void RunConfig::Visit(FieldList& v) {
  v.Section("Run");
  v("out", out, Any{"DIR"}, "model folder to write");
  v("overwrite", overwrite, "replace a model that stands in that folder");
  v("epochs", epochs, Range(1, 1000000),
    "passes over the training text at most");
  v("steps", steps, Range(0, 1e12), "updates at most; 0: no limit");
  v("validate_every", validate_every, Range(0, 1e9),
    "updates between validations; 0: once an epoch");
  v("metric", metric, OneOf{"bleu", "loss"},
    "what the best checkpoint is best at");
  v("patience", patience, Range(0, 1000000),
    "stop after so many validations without a better one; 0: never");
  v("valid_beam", valid_beam, Range(1, 100), "beam of validation translations");
  v("checkpoint_every", checkpoint_every, Range(0, 1e9),
    "updates between checkpoints, besides those at validations; 0: by time "
    "only");
  v("checkpoint_minutes", checkpoint_minutes, Range(0, 1e6),
    "minutes between checkpoints, besides those at validations; 0: none");
  v("keep", keep, Range(1, 1000),
    "weights of the last validations that are kept");
  v("average", average, Range(1, 1000),
    "average the weights of so many last validations at the end, if that is "
    "better");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  v("seed", seed, "of weights, dropout and the order of batches");
  v("quiet", quiet, "no progress line");
}

void TrainConfig::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
  optimizer.Visit(v);
  run.Visit(v);
}

void TrainConfig::Resolve() {
  model.Resolve();
  const bool subwords =
      data.vocabulary == "unigram" || data.vocabulary == "bpe";
  constexpr int kDefaultSubwords = 8000;
  for (int* size :
       {&data.source_vocabulary_size, &data.target_vocabulary_size}) {
    if (*size == 0 && subwords) *size = kDefaultSubwords;
  }
  if (data.joint_vocabulary &&
      data.source_vocabulary_size != data.target_vocabulary_size) {
    throw ConfigError(
        "joint_vocabulary needs source_vocabulary_size and "
        "target_vocabulary_size "
        "to be equal");
  }
  if (optimizer.epsilon == 0) {
    optimizer.epsilon = optimizer.optimizer == "adadelta" ? 1e-6 : 1e-8;
  }
  if (optimizer.schedule == "step_halving" && optimizer.halve_every == 0) {
    throw ConfigError("schedule 'step_halving' needs halve_every");
  }
  if (run.average > run.keep) run.keep = run.average;
}

}  // namespace heed
