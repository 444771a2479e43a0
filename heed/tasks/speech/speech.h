// What is said in a sound, in words.
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

/// Utterances: recordings as they are, or strings that are made of them.
class Utterances {
 public:
  Utterances() = default;
  /// `count` strings in an epoch; 0: the recordings.
  Utterances(Recordings recordings, const StringOptions& strings,
             int64_t count);

  /// Of an epoch.
  int64_t size() const { return size_; }
  int rate() const { return recordings_->rate; }
  /// Number `i`: of strings item i % size() of epoch i / size().
  Recording At(int64_t i) const;
  /// Its words, without its sound: what batches are sorted by.
  int64_t Length(int64_t i) const;
  const Recordings& recordings() const { return *recordings_; }
  /// The utterances [begin, end) of recordings. Not of strings.
  Utterances Slice(int64_t begin, int64_t end) const;
  /// To tell them from others.
  std::string CheckSum() const;

 private:
  // Strings refer to it.
  std::shared_ptr<const Recordings> recordings_ =
      std::make_shared<Recordings>();
  std::shared_ptr<const WordStrings> strings_;
  StringOptions options_;
  int64_t size_ = 0;
};

/// A list of recordings, which are taken as they are or made into strings.
struct SpeechSource {
  std::string recordings;
  int strings = 0;

  /// Throws: IoError; FormatError.
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

/// What a user chooses: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<RecogniserSettings> model;
  DataConfig data;
};

struct Data {
  Utterances train;
  Utterances valid;
};

/// A recogniser, what it reads of a sound, and its vocabulary.
class Model : public TaskModel {
 public:
  Model(Config settings, Vocabulary words, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network->parameters(); }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}, {"features", mel.features()}};
  }

  /// Shapes: result [S, features].
  Tensor FeaturesOf(std::span<const float> samples) const {
    return mel.Features(mel.Energies(samples));
  }
  Encoded Encode(const std::string& text) const {
    return EncodeSentence(vocabulary, text, config.data.vocabulary.lowercase);
  }
  /// A text as answers are compared with it.
  std::string Normal(const std::string& text) const {
    return vocabulary.Decode(Encode(text).ids);
  }

  const Config config;  ///< with the model's settings filled
  const Vocabulary vocabulary;
  const LogMel mel;
  const std::unique_ptr<Decoder> network;
};

/// Sounds side by side, filled up with zeros. Shapes: each [S_i, F].
Inputs FramesOf(std::span<const Tensor> features);

/// A batch of utterances with what is said in them.
struct SpeechBatch {
  Inputs inputs;
  Tensor target_in, targets;  // i32 [T, B]
  double seconds = 0;
};
/// `changes`: a key by which sounds are changed as in training; none: they are
/// left as they are.
SpeechBatch MakeSpeechBatch(const Model& model, const Utterances& utterances,
                            std::span<const int64_t> indices,
                            std::optional<uint64_t> changes = std::nullopt);

/// How texts are searched for, and what is said of them.
struct Prediction : TextSearch {
  bool times = false;

  void Visit(FieldList& v);
};

/// A word that was recognised, and where attention found it. Units: s.
struct TimedWord {
  std::string word;
  double begin = 0;
  double middle = 0;
  double end = 0;
};

/// Words of a hypothesis with the times between which 90 % of the attention of
/// their tokens lies, and its median. Without attention no words.
std::vector<TimedWord> TimedWords(const Model& model, const Hypothesis& found);

/// What is said in sounds, best first, each with its attention. Throws: as
/// BeamSearch.
std::vector<std::vector<Hypothesis>> Recognise(
    const Model& model, std::span<const Tensor> features,
    const Prediction& options, const Cancellation* cancellation = nullptr);

/// What was recognised of utterances, and how long that took.
struct Recognised {
  std::vector<std::string> texts;
  std::vector<std::string> references;
  double audio_seconds = 0;
  double seconds = 0;  ///< of features and search
  /// Of the words of texts that are right and whose times are known: how many
  /// there are, and how many of them have the median of their attention where
  /// they were said.
  int64_t timed_words = 0;
  int64_t in_time = 0;
};
Recognised RecogniseAll(const Model& model, const Utterances& utterances,
                        const Prediction& options);

/// Of the tokens of all utterances given those before, </s> among them. Units:
/// nats.
double MeanLoss(const Model& model, const Utterances& utterances);

/// What `heed evaluate` shows of utterances.
Report MeasureSpeech(const Model& model, const Utterances& utterances,
                     const Prediction& options);

/// The sounds that a model is compared with.
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
