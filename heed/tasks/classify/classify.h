// Classification of texts and of pairs of texts.
#ifndef HEED_TASKS_CLASSIFY_CLASSIFY_H_
#define HEED_TASKS_CLASSIFY_CLASSIFY_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/labelled.h"
#include "heed/metrics/metrics.h"
#include "heed/models/classifier.h"
#include "heed/models/registry.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/text/word_vectors.h"

namespace heed::classify {

/// Files of labelled texts, their vocabulary and batches.
struct DataConfig {
  LabelledFormat format;
  LabelledFiles train;
  LabelledFiles valid;
  TextVocabularyConfig vocabulary;
  int max_length = 256;
  int batch_tokens = 4096;
  int batch_texts = 64;
  /// Word vectors for documents, which are read sentence by sentence.
  WordVectorConfig vectors;

  void Visit(FieldList& v, bool documents);
};

/// The resolved settings of a classifier.
struct Config {
  ModelChoice<TextReaderSettings> encoder;

  bool documents() const { return encoder->reads_sentences(); }
  ClassifierConfig classifier;
  DataConfig data;
};

struct Data {
  LabelledText train;
  LabelledText valid;
};

/// An encoder (a recurrent network or a Transformer), pooled to one vector, or
/// a network that reads documents sentence by sentence.
class Model : public TaskModel {
 public:
  Model(Config settings, Vocabulary learned, LabelSet label_set,
        std::shared_ptr<const WordVectors> word_vectors, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}, {"classes", labels.size()}};
  }
  std::string Prompt() const override {
    return documents() ? "Type or paste a document and press Enter (Shift and "
                         "Enter begins a new line)"
                       : "";
  }

  bool pairs() const { return config.data.format.pairs(); }
  bool documents() const { return config.documents(); }
  /// Throws: FormatError for a label that training did not have.
  LabelledCorpus Encode(const LabelledText& text, bool with_labels) const;

  /// Predictions of the model for a corpus, text by text.
  struct Answers {
    TextLabels chosen;
    std::vector<std::vector<float>> probabilities;
    double nll = 0;  // Σ over texts with labels

    double nll_per_text() const { return RatioOf(nll, std::ssize(chosen)); }
  };
  Answers Answer(const Context& ctx, const LabelledCorpus& corpus,
                 bool with_labels, double threshold) const;
  Metrics Score(const LabelledCorpus& corpus, const Answers& answers) const;

  const Config config;
  const Vocabulary vocabulary;
  const LabelSet labels;
  const std::shared_ptr<const WordVectors> vectors;  // null: none

 private:
  ParameterSet parameters_;

 public:
  const Classifier network;
};

/// The only label of each text.
std::vector<int32_t> SingleLabels(const TextLabels& labels);

struct Prediction {
  double threshold = 0.5;
  bool probabilities = false;

  void Visit(FieldList& v);
};

struct Evaluation {
  LabelledFiles files;
  LabelledFormat format;  // default: the format of training
  double threshold = 0.5;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "classify"; }
  void ChooseModel(const std::string& name) override;
  InputKind input_kind() const override;
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override {
    training.optimizer.label_smoothing = 0;
  }
  void Resolve() override;
  bool in_files() const override { return !data.train.texts.empty(); }
  bool CanStartFrom(const TaskRow& task) const override {
    return task.gives_encoder || task.gives_reader;
  }
  void TakePretrained() override;

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  InputReading Reading(const Prediction& options) const override;
  std::vector<MeasureInfo> Measures(const Data& read) const override;
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& model,
                                           uint64_t seed) const override;
  Evaluation evaluation() const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& model,
                                           Prediction options) const override;
  Report Evaluate(const Model& model, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::classify

#endif  // HEED_TASKS_CLASSIFY_CLASSIFY_H_
