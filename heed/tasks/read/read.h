// Reading comprehension: questions whose answer is a word of a passage.
#ifndef HEED_TASKS_READ_READ_H_
#define HEED_TASKS_READ_READ_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/data/passages.h"
#include "heed/models/passage_reader.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/text/word_vectors.h"

namespace heed::read {

/// Files of passages, their vocabulary and batches.
struct DataConfig {
  std::vector<std::string> passages;
  std::vector<std::string> valid_passages;
  Named<PassageFormat> format = PassageFormat::kAuto;
  TextVocabularyConfig vocabulary = {.vocabulary = "words", .lowercase = true};
  WordVectorConfig vectors;
  int max_length = 5000;
  int batch_words = 16384;
  int batch_texts = 32;

  void Visit(FieldList& v);
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<PassageReaderSettings> model;
  DataConfig data;
};

struct Data {
  std::vector<PassageQuestion> train;
  std::vector<PassageQuestion> valid;
};

/// Encoded questions and passages.
struct PassageCorpus {
  Corpus ids;                      ///< words of passages and of questions
  std::vector<PassageText> texts;  ///< passages and questions as texts
  Corpus vector_rows;  ///< word-vector rows of the words; empty without vectors
  int64_t cut = 0;     ///< number of truncated passages
};

/// A vocabulary and a network that reads passages.
class Model : public TaskModel {
 public:
  Model(Config settings, Vocabulary words,
        std::shared_ptr<const WordVectors> word_vectors, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}};
  }

  /// Encodes questions. Throws: FormatError, as ReadPassageText.
  PassageCorpus Encode(std::span<const PassageQuestion> questions) const;
  /// Warns if a passage was truncated.
  void WarnOfCut(const PassageCorpus& corpus) const;
  /// The questions at `indices`, in that order.
  PassageBatch BatchOf(const PassageCorpus& corpus,
                       std::span<const int64_t> indices) const;
  /// Batches of questions for one epoch.
  std::vector<std::vector<int64_t>> Plan(const PassageCorpus& corpus,
                                         uint64_t seed, int epoch) const;
  /// For each question, log p of its candidates; empty without candidates.
  /// Throws: Cancelled.
  std::vector<std::vector<float>> LogProbabilities(
      const Context& ctx, const PassageCorpus& corpus) const;

  const Config config;
  const Vocabulary vocabulary;
  const std::shared_ptr<const WordVectors> vectors;  ///< null: none

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<PassageReader> network;
};

/// Counts of right answers, and their log-likelihood.
struct PassageScore {
  int64_t questions = 0;
  int64_t right = 0;
  int64_t frequent = 0;  ///< the most frequent candidate is the answer
  int64_t missing = 0;   ///< the answer is no candidate of the passage: wrong
  double nll = 0;  ///< Σ −log p(answer) over questions not counted in `missing`

  double accuracy() const;  ///< Units: percent
  double loss() const;      ///< mean over questions not counted in `missing`
};
PassageScore ScoreAnswers(const PassageCorpus& corpus,
                          std::span<const std::vector<float>> log_p);

/// The most frequent answer; among equally frequent ones, the alphabetically
/// first.
struct CommonAnswer {
  std::string answer;
  int64_t questions = 0;
};
CommonAnswer MostFrequentAnswer(std::span<const PassageQuestion> questions,
                                bool lowercase);

struct Prediction {
  Named<PassageFormat> format = PassageFormat::kAuto;
  int answers = 1;
  void Visit(FieldList& v);
};

struct Evaluation {
  std::vector<std::string> passages;
  Named<PassageFormat> format = PassageFormat::kAuto;
  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "read"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    VisitWithoutSmoothing(v, training);
  }
  void Resolve() override;
  bool in_files() const override { return !data.passages.empty(); }

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*read*/) const override {
    return {{"accuracy", true}, {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  Evaluation evaluation() const override { return {{}, data.format}; }
  InputReading Reading(const Prediction& options) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::read

#endif  // HEED_TASKS_READ_READ_H_
