// Prediction of words while they are typed, and the dependences of the
// predictions.
#ifndef HEED_TASKS_AUTOCOMPLETE_AUTOCOMPLETE_H_
#define HEED_TASKS_AUTOCOMPLETE_AUTOCOMPLETE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/batches.h"
#include "heed/data/typing.h"
#include "heed/metrics/metrics.h"
#include "heed/models/autocomplete.h"
#include "heed/models/registry.h"
#include "heed/render/connectivity.h"
#include "heed/tasks/plain_text.h"
#include "heed/tasks/task.h"

namespace heed::autocomplete {

/// Files of typed text, its form, and its batches.
struct DataConfig : PlainTextFiles {
  Named<TypedForm> form = TypedForm::kLetters;
  Named<TextUnit> unit = TextUnit::kLines;
  int length = 200;
  int words = 5000;
  int min_count = 1;
  int batch_texts = 64;
  int batch_characters = 16384;

  void Visit(FieldList& v);
  TypingOptions Options() const;
  BatchOptions Batches() const { return {batch_characters, batch_texts}; }
};

/// The resolved settings of an autocompletion.
struct Config {
  // Default: a plain GRU, for comparisons of cells.
  ModelChoice<EncoderSettings> encoder{
      "cell=gru units=128 self_attention=none dropout=0"};
  int embedding = 0;
  DataConfig data;
};

/// Accuracy of predictions over characters whose word is known.
struct TypingScore {
  struct Counts {
    int64_t characters = 0;
    int64_t first = 0;  ///< the most probable word was right
    int64_t third = 0;  ///< one of the three most probable was
    double nll = 0;     ///< Σ −log p of the right word

    /// Means per character; kNoFigure for 0 characters.
    double First() const { return Per(static_cast<double>(first)); }
    double Third() const { return Per(static_cast<double>(third)); }
    double Loss() const { return Per(nll); }

   private:
    double Per(double sum) const { return RatioOf(sum, characters); }
  };
  static constexpr size_t kMaxSeen = 3;

  Counts all;
  /// Counts by number of typed characters of the word: 0 to 3, and 4 or more.
  std::array<Counts, kMaxSeen + 2> seen;
  int64_t unknown = 0;  ///< characters of unknown words
};

/// Typed texts, padded at the end.
struct TypedBatch {
  Tensor characters;  ///< i32 [B, S]
  Tensor lengths;     ///< i32 [B]
  Tensor words;       ///< i32 [B, S], kNoWord: none
};
inline constexpr int32_t kNoWord = -1;

TypedBatch MakeTypedBatch(const Corpus& corpus,
                          std::span<const int64_t> examples);

/// A causal encoder that predicts, at each character, the word of the character
/// and, at each space, the next word.
class Model : public TaskModel {
 public:
  Model(Config settings, TypingCodec learned, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network.parameters(); }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"characters", codec.characters().size()},
            {"words", codec.word_count()}};
  }

  /// Scores all characters of these lines. Throws: ConfigError if no character
  /// is left.
  TypingScore Score(const std::vector<std::string>& lines) const;
  /// Scores a text whose encoded sequences are `corpus`.
  TypingScore ScoreOf(const std::vector<std::string>& text,
                      const Corpus& corpus) const;
  /// The part of a text that the model reads: its last `length` characters,
  /// starting at a word boundary if there is one.
  std::string LastTyped(const std::string& text) const;
  /// The most probable words of each text, best first. A text ends within a
  /// word, which is completed, or with a space, after which the next word is
  /// predicted.
  std::vector<std::vector<Suggestion>> Suggest(
      const Context& ctx, const std::vector<std::string>& texts,
      int count) const;
  /// Dependence of each prediction on the characters before it, for the first
  /// `length` characters of a text, with three suggestions each. `name`: name
  /// of the model.
  Connectivity Remember(const std::string& text, const std::string& name) const;

  const Config config;
  const TypingCodec codec;
  Autocomplete network;

 private:
  /// The most probable words of each row of scores [R, V].
  std::vector<std::vector<Suggestion>> MostProbable(const Tensor& scores,
                                                    int count) const;
};

struct Prediction {
  int best = 3;

  void Visit(FieldList& v);
};

struct Evaluation {
  EvaluatedText text;
  std::string by_length;

  void Visit(FieldList& v);
};

class Settings
    : public TaskSettingsOf<PlainText, Model, Prediction, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "autocomplete"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override {
    training.optimizer.label_smoothing = 0;
  }
  void Resolve() override;
  bool in_files() const override { return !data.texts.empty(); }

  /// Splits lines into training sequences.
  PlainText Typed(const PlainText& lines) const;
  PlainText Read() const override { return Typed(data.Read()); }
  std::unique_ptr<Model> MakeModel(const PlainText& sequences,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(
      const PlainText& /*sequences*/) const override {
    return {{"accuracy", true}, {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(PlainText sequences, Model& model,
                                           uint64_t seed) const override;
  InputReading Reading(const Prediction&) const override {
    InputReading reading;
    reading.window = 64;
    reading.defaults.long_lines = LongLines::kCutStart;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& model,
                                           Prediction options) const override;
  Report Evaluate(const Model& model, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::autocomplete

#endif  // HEED_TASKS_AUTOCOMPLETE_AUTOCOMPLETE_H_
