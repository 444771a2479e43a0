// Configuration of a training run: data, optimisation, checkpoints.
#ifndef HEED_TRAIN_CONFIG_H_
#define HEED_TRAIN_CONFIG_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"
#include "heed/models/config.h"

namespace heed {

/// Where text comes from and how it becomes tokens.
struct DataConfig {
  std::string source;
  std::string target;
  std::string tsv;
  std::string valid_source;
  std::string valid_target;
  std::string valid_tsv;
  bool lowercase = false;
  int max_length = 100;

  std::string vocabulary = "unigram";
  bool joint_vocabulary = false;
  int source_vocabulary_size = 0;
  int target_vocabulary_size = 0;
  int min_count = 1;

  int batch_tokens = 4096;
  int batch_sentences = 0;

  void Visit(FieldList& v);
};

/// How weights change.
struct OptimizerConfig {
  std::string optimizer = "adam";
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 0;
  double rho = 0.95;
  double momentum = 0;
  double weight_decay = 0.01;

  std::string schedule = "constant";
  int64_t warmup = 0;
  int64_t halve_after = 0;
  int64_t halve_every = 0;
  int64_t decay_steps = 0;

  double clip = 1;
  double label_smoothing = 0.1;
  int accumulate = 1;

  void Visit(FieldList& v);
};

/// How long, how often, and what is kept.
struct RunConfig {
  std::string out;
  bool overwrite = false;
  int epochs = 20;
  int64_t steps = 0;
  int64_t validate_every = 0;
  std::string metric = "bleu";
  int patience = 5;
  int valid_beam = 1;
  int64_t checkpoint_every = 0;
  double checkpoint_minutes = 5;
  int keep = 3;
  int average = 1;
  int threads = 0;
  uint64_t seed = 1;
  bool quiet = false;

  void Visit(FieldList& v);
};

/// All of `heed train`; the same keys are options, --config files and the
/// model's config.json.
struct TrainConfig {
  ModelConfig model;
  DataConfig data;
  OptimizerConfig optimizer;
  RunConfig run;

  void Visit(FieldList& v);
  /// Fills in what "auto" and 0 stand for and checks that the choices fit
  /// together. Throws: ConfigError.
  void Resolve();
};

}  // namespace heed

#endif  // HEED_TRAIN_CONFIG_H_
