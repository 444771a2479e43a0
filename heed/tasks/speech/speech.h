// Speech recognition: texts of recordings.
#ifndef HEED_TASKS_SPEECH_SPEECH_H_
#define HEED_TASKS_SPEECH_SPEECH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/recordings.h"
#include "heed/data/sound.h"
#include "heed/data/sound_changes.h"
#include "heed/decode/hypothesis.h"
#include "heed/models/registry.h"
#include "heed/models/speech/log_mel.h"
#include "heed/models/speech/recogniser.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/written_text.h"

namespace heed::speech {

/// Utterances: single recordings, or random strings concatenated from them.
class Utterances {
 public:
  Utterances() = default;
  /// `count`: number of strings per epoch; 0: the single recordings.
  Utterances(Recordings recordings, const StringOptions& strings,
             int64_t count);

  /// Number of utterances per epoch.
  int64_t size() const { return size_; }
  int rate() const { return recordings_->rate; }
  /// Returns utterance i. Strings: item i % size() of epoch i / size().
  Recording At(int64_t i) const;
  /// Length of utterance i, to sort batches: samples of a recording, words of a
  /// string.
  int64_t Length(int64_t i) const;
  const Recordings& recordings() const { return *recordings_; }
  /// The utterances [begin, end); not available for strings.
  Utterances Slice(int64_t begin, int64_t end) const;
  /// Checksum to detect changes.
  std::string Checksum() const;

 private:
  // strings_ refers to recordings_.
  std::shared_ptr<const Recordings> recordings_ =
      std::make_shared<Recordings>();
  std::shared_ptr<const WordStrings> strings_;
  StringOptions options_;
  int64_t size_ = 0;
};

/// A list of recordings, used singly or concatenated to strings.
struct SpeechSource {
  std::string recordings;
  int strings = 0;

  /// Reads the list. Throws: IoError; FormatError.
  Utterances Read(int rate, StringOptions options) const;
};

struct DataConfig {
  SpeechSource train;
  SpeechSource valid;
  int shortest = 1;
  int longest = 8;
  uint64_t string_seed = 1;
  LogMelConfig sound;
  SoundChangesConfig changes;
  TextVocabularyConfig vocabulary;
  int max_seconds = 30;
  int batch_sounds = 16;

  DataConfig() { vocabulary.vocabulary = "words"; }
  void Visit(FieldList& v);
  StringOptions Strings() const;
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<RecogniserSettings> model;
  DataConfig data;
};

struct Data {
  Utterances train;
  Utterances valid;
};

/// A recogniser, its acoustic features and its vocabulary.
class Model : public TaskModel {
 public:
  Model(Config settings, Vocabulary words, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network->parameters(); }
  const Vocabulary* written_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}, {"features", mel.features()}};
  }

  /// Log-mel features of samples. Shapes: result [S, features].
  Tensor FeaturesOf(std::span<const float> samples) const {
    return mel.Features(mel.Energies(samples));
  }
  Encoded Encode(const std::string& text) const {
    return EncodeSentence(vocabulary, text, config.data.vocabulary.lowercase);
  }
  /// Normalises a reference text for comparison with answers.
  std::string Normal(const std::string& text) const {
    return vocabulary.Decode(Encode(text).ids);
  }

  const Config config;  ///< with the model's settings filled
  const Vocabulary vocabulary;
  const LogMel mel;
  const std::unique_ptr<Decoder> network;
};

/// Pads sounds with zeros to a batch. Shapes: each [S_i, F].
Inputs FramesOf(std::span<const Tensor> features);

/// A batch of utterances with their texts.
struct SpeechBatch {
  Inputs inputs;
  Tensor target_in, targets;  // i32 [T, B]
  double seconds = 0;
};
/// Makes a batch. `changes`: random key of data augmentation as in training;
/// none: no augmentation.
SpeechBatch MakeSpeechBatch(const Model& model, const Utterances& utterances,
                            std::span<const int64_t> indices,
                            std::optional<uint64_t> changes = std::nullopt);

/// Options of search and output.
struct Prediction : TextSearch {
  bool times = false;

  void Visit(FieldList& v);
};

/// A recognised word with times from attention. Units: s.
struct TimedWord {
  std::string word;
  double begin = 0;
  double middle = 0;
  double end = 0;
};

/// Words of a hypothesis with the interval that has 90 % of the attention of
/// their tokens, and its median. Empty without attention.
std::vector<TimedWord> TimedWords(const Model& model, const Hypothesis& found);

/// Recognises sounds. Hypotheses are sorted best first and include attention.
/// Throws: as BeamSearch.
std::vector<std::vector<Hypothesis>> Recognise(
    const Model& model, std::span<const Tensor> features,
    const Prediction& options, const Cancellation* cancellation = nullptr);

/// Recognised texts of utterances, and the time taken.
struct Recognised {
  std::vector<std::string> texts;
  std::vector<std::string> references;
  double audio_seconds = 0;
  double seconds = 0;  ///< time of feature extraction and search
  /// Number of words with known times in exactly recognised texts, and how many
  /// have their median of attention within these times.
  int64_t timed_words = 0;
  int64_t in_time = 0;
};
Recognised RecogniseAll(const Model& model, const Utterances& utterances,
                        const Prediction& options);

/// Mean loss of the tokens of all utterances given the previous tokens,
/// including </s>. Units: nats.
double MeanLoss(const Model& model, const Utterances& utterances);

/// Makes the report of `heed evaluate` on utterances.
Report MeasureSpeech(const Model& model, const Utterances& utterances,
                     const Prediction& options);

/// Options of an evaluation: sounds with reference texts.
struct Evaluation : Prediction {
  SpeechSource source;
  int shortest = 3;
  int longest = 8;
  int repeat = 1;
  uint64_t string_seed = 3;
  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "speech"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*read*/) const override {
    return {
        {"wer", false}, {"cer", false}, {"exact_match", true}, {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::speech

#endif  // HEED_TASKS_SPEECH_SPEECH_H_
