// Pre-training of BERT on plain text: masked words and pairs of sentences.
#ifndef HEED_TASKS_PRETRAIN_PRETRAIN_H_
#define HEED_TASKS_PRETRAIN_PRETRAIN_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/batches.h"
#include "heed/data/pretraining.h"
#include "heed/models/registry.h"
#include "heed/models/transformer/bert.h"
#include "heed/tasks/plain_text.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::pretrain {

/// Files of documents, their instances, vocabulary and batches.
struct DataConfig : PlainTextFiles {
  PretrainingOptions instances;  // uses the seed of the run
  TextVocabularyConfig vocabulary = {.vocabulary = "wordpiece"};
  int start_length = 0;  // tokens of a pair in the first batches; 0: automatic
  double start_epochs = 0.5;
  int batch_tokens = 8192;
  int batch_texts = 0;

  void Visit(FieldList& v);
  BatchOptions batches() const { return {batch_tokens, batch_texts}; }
};

/// The settings of a pre-training run.
struct Config {
  ModelChoice<PretrainingSettings> model;
  DataConfig data;
};

/// Sums of losses and correct predictions over instances.
struct PretrainScore {
  double words_nll = 0;
  double next_nll = 0;
  int64_t words = 0, words_correct = 0;
  int64_t texts = 0, next_correct = 0, random = 0;  // of pairs

  /// Sum of the losses of words and, if there are any, of pairs.
  double loss() const;
  double word_loss() const;
  double next_loss() const;
  double word_accuracy() const;
  double next_accuracy() const;
};

/// A BERT with an output head for masked words, and optionally one for sentence
/// pairs.
class Model : public TaskModel {
 public:
  /// `settings` must be resolved.
  Model(Config settings, Vocabulary learned, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network_->parameters(); }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  const Bert& network() const { return *network_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network_->Outline(); }
  std::unique_ptr<PretrainedEncoder> encoder() const override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}};
  }

  /// Makes validation instances, with fixed masks and without duplicates.
  PretrainingCorpus EncodeToMeasure(std::span<const std::string> lines) const;
  PretrainScore Score(const PretrainingCorpus& corpus) const;

  const Config config;
  const Vocabulary vocabulary;

 private:
  std::unique_ptr<Bert> network_;
};

/// Predictions: masked words, or whether the second sentence follows the first.
enum class Mode : uint8_t { kWords, kNext };
constexpr auto WordsOf(Mode) { return std::array{"words", "next"}; }

struct Prediction {
  Named<Mode> mode = Mode::kWords;
  int candidates = 5;

  void Visit(FieldList& v);
};

struct Evaluation : EvaluatedText {
  void Visit(FieldList& v);
};

/// Settings of the task. Training text has one sentence per line and a blank
/// line between documents.
class Settings
    : public TaskSettingsOf<PlainText, Model, Prediction, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "pretrain"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  int64_t MinUpdates() const override { return 3000; }
  void Resolve() override;
  bool in_files() const override { return !data.texts.empty(); }

  PlainText Read() const override;
  std::unique_ptr<Model> MakeModel(const PlainText& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const PlainText& read) const override;
  std::unique_ptr<Trainable> MakeObjective(PlainText read, Model& model,
                                           uint64_t seed) const override;
  InputReading Reading(const Prediction& options) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& model,
                                           Prediction options) const override;
  Report Evaluate(const Model& model, const Evaluation& options) const override;
  /// Tokens of a pair in the first batches; 0: as in all others.
  int StartLength() const;

 private:
  std::vector<std::string> ReadTexts(
      const std::vector<std::string>& paths,
      const std::vector<std::string>& columns) const;
};

TaskRow Task();

}  // namespace heed::pretrain

#endif  // HEED_TASKS_PRETRAIN_PRETRAIN_H_
