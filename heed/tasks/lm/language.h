// Language models: perplexity, continuation of texts, completion of words.
#ifndef HEED_TASKS_LM_LANGUAGE_H_
#define HEED_TASKS_LM_LANGUAGE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/text_blocks.h"
#include "heed/decode/completion.h"
#include "heed/decode/options.h"
#include "heed/metrics/perplexity.h"
#include "heed/models/recurrent/recurrent_language_model.h"
#include "heed/models/registry.h"
#include "heed/tasks/plain_text.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::lm {

/// Files of plain text, its blocks, vocabulary and batches.
struct DataConfig : PlainTextFiles {
  Named<TextUnit> unit = TextUnit::kLines;
  int length = 256;
  LargeTextConfig large;
  TextVocabularyConfig vocabulary;
  int batch_tokens = 4096;
  int batch_texts = 0;

  void Visit(FieldList& v);
  TextBlockOptions Blocks() const {
    return {length, unit == TextUnit::kStream, vocabulary.lowercase};
  }
};

/// The resolved settings of a language model.
struct Config {
  ModelChoice<LanguageModelSettings> model;
  DataConfig data;
};

/// A recurrent network or a Transformer that predicts the next token.
class Model : public TaskModel {
 public:
  Model(Config settings, Vocabulary learned, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network->parameters(); }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override {
    return {{config.data.vocabulary.FileName(), vocabulary.Serialize()}};
  }
  ModelOutline Outline() const override { return network->Outline(); }
  std::unique_ptr<PretrainedEncoder> encoder() const override {
    return EncoderOf(*config.model, config.data.vocabulary, vocabulary,
                     parameters());
  }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}};
  }

  /// Scores lines given gold prefixes, without dropout.
  LanguageScore Score(const Context& ctx,
                      const std::vector<std::string>& lines) const;
  /// Converts text to the letter case of the training text.
  std::string Cased(std::string text) const;
  /// Converts a line to the letter case and Unicode normalisation of the
  /// training text.
  std::string Normalized(std::string line) const;

  const Config config;
  const Vocabulary vocabulary;
  const std::unique_ptr<Decoder> network;
};

/// Outputs for each line: completions, samples or a score.
enum class Mode : uint8_t { kComplete, kContinue, kSample, kScore };
constexpr auto WordsOf(Mode) {
  return std::array{"complete", "continue", "sample", "score"};
}

struct Prediction {
  /// auto: complete if the vocabulary says where words end, else continue.
  Auto<Mode> mode;
  CompletionOptions completion;
  DecodeOptions decode;

  void Visit(FieldList& v);
};

struct Evaluation {
  EvaluatedText text;
  int complete = 0;
  CompletionOptions completion;

  void Visit(FieldList& v);
};

class Settings
    : public TaskSettingsOf<PlainText, Model, Prediction, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "lm"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override {
    training.optimizer.label_smoothing = 0;
  }
  void Resolve() override;
  bool in_files() const override { return !data.texts.empty(); }

  PlainText Read() const override { return data.Read(data.large, quiet); }
  std::unique_ptr<Model> MakeModel(const PlainText& text,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const PlainText& /*text*/) const override {
    return {
        {"perplexity", false}, {"bits_per_character", false}, {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(PlainText text, Model& language,
                                           uint64_t seed) const override;
  InputReading Reading(const Prediction& options) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& language,
                                           Prediction options) const override;
  Report Evaluate(const Model& language,
                  const Evaluation& options) const override;
};

TaskRow Task();

/// Counts how often the actual word of a text is among the first completions of
/// its prefix.
struct CompletionAccuracy {
  int letters = 0;  // typed
  int64_t words = 0;
  int64_t first = 0;  // the first completion is the word
  int64_t third = 0;  // one of the first three is
};

/// Measures completion after 0 to 3 typed letters, on about `words` longer
/// words that are spread evenly over the lines. The context of each word is the
/// line before it.
std::vector<CompletionAccuracy> MeasureCompletion(
    const Completer& completer, const std::vector<std::string>& lines,
    int words);

}  // namespace heed::lm

#endif  // HEED_TASKS_LM_LANGUAGE_H_
