// Algorithms on sequences of bits: copying, recalling, sorting, counting.
#ifndef HEED_TASKS_ALGORITHM_ALGORITHM_H_
#define HEED_TASKS_ALGORITHM_ALGORITHM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/algorithms.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"

namespace heed::algorithm {

/// Settings of the task: options of `heed train`, keys of config.json. 0: the
/// value of the paper.
struct Config {
  Named<Problem> problem = Problem::kCopy;
  int bits = 0;
  int min_length = 0;
  int max_length = 0;
  int min_repeats = 0;
  int max_repeats = 0;
  int batch_sequences = 1;
  int epoch_sequences = 1000;
  int valid_sequences = 100;
  ModelChoice<MachineSettings> model;

  ProblemShape Shape() const { return {problem, bits}; }
  ProblemLengths Lengths() const {
    return {min_length, max_length, min_repeats, max_repeats};
  }
};

/// Empty: sequences are generated, not read.
struct Data {};

/// A batch of sequences of one length.
struct SequenceGroup {
  Tensor inputs;  // f32 [T, B, inputs]
  Tensor targets;  // f32 [end − begin, B, outputs], targets of the scored steps
  int64_t begin = 0;
  int64_t end = 0;
};
SequenceGroup GroupOf(const ProblemShape& shape,
                      const std::vector<BitSequence>& sequences);

/// Sums of scores over sequences.
struct SequenceScores {
  double bits = 0;        // Σ −log2 p of the scored bits
  double bit_errors = 0;  // scored bits that round to the wrong value
  int64_t faultless = 0;  // sequences without bit errors
  int64_t sequences = 0;

  void Add(const SequenceScores& other);
  double Mean(double sum) const {
    return sequences == 0 ? 0 : sum / static_cast<double>(sequences);
  }
};

class Model : public TaskModel {
 public:
  Model(Config settings, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelOutline Outline() const override { return network->Outline(); }

  /// Logits of all steps. Shapes: inputs [T, B, I], result [T, B, O].
  Var Logits(const Context& ctx, const Tensor& inputs,
             std::vector<MemoryStep>* trace = nullptr) const;
  SequenceScores Score(const Context& ctx, const SequenceGroup& group) const;

  /// Example inputs of the model's problem.
  std::vector<InputExample> Examples() const override;
  std::string Prompt() const override;

  const Config config;

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<SequenceMachine> network;
};

struct Evaluation {
  std::vector<std::string> lengths;
  std::vector<std::string> repeats;
  int sequences = 100;
  int batch = 20;
  uint64_t seed = 1;
  std::string by_length;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, NoOptions, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "algorithm"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    VisitWithoutSmoothing(v, training);
  }
  void Resolve() override;

  Data Read() const override { return {}; }
  std::unique_ptr<Model> MakeModel(const Data& data,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*data*/) const override {
    return {{"bits", false}, {"bit_errors", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data data, Model& algorithm,
                                           uint64_t seed) const override;
  InputReading Reading(const NoOptions&) const override {
    InputReading reading;
    reading.defaults.long_lines = LongLines::kStructured;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& algorithm,
                                           NoOptions options) const override;
  Report Evaluate(const Model& algorithm,
                  const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::algorithm

#endif  // HEED_TASKS_ALGORITHM_ALGORITHM_H_
