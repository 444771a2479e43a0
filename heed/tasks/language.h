// Language models: perplexity, continuation of texts, completion of words.
#ifndef HEED_TASKS_LANGUAGE_H_
#define HEED_TASKS_LANGUAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/text_blocks.h"
#include "heed/decode/completion.h"
#include "heed/decode/options.h"
#include "heed/metrics/perplexity.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

/// Where plain text comes from and how it becomes batches.
struct LanguageDataConfig {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  std::vector<std::string> columns = {"text"};
  std::string unit = "lines";
  int length = 256;
  TextVocabularyConfig vocabulary;
  int batch_tokens = 4096;
  int batch_texts = 0;

  void Visit(FieldList& v);
};

/// A recurrent network or a Transformer that predicts the next token.
class LanguageTask : public Task {
 public:
  ModelChoice<LanguageModelSettings> model;
  LanguageDataConfig data;

  std::string name() const override { return "lm"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  void ReadExamples() override;
  /// Text that is in memory, instead of ReadExamples.
  void SetText(std::vector<std::string> train, std::vector<std::string> valid);
  bool in_files() const override { return !data.texts.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary_->size()}};
  }
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return model_->parameters(); }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override {
    return {{"perplexity", false}, {"bits_per_character", false}};
  }
  bool has_valid() const override { return !valid_text_.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override;
  /// A line is the prefix of a text. Writes what `mode` asks for.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

  /// Given gold prefixes, without dropout.
  LanguageScore Score(const Context& ctx,
                      const std::vector<std::string>& lines) const;

 private:
  TextBlockOptions Blocks() const;
  ModelAnswer Completions(const Context& ctx, const std::string& line) const;
  ModelAnswer Samples(const Context& ctx, const std::string& line,
                      int64_t number) const;
  ModelAnswer ScoreOf(const Context& ctx, const std::string& line) const;

  std::optional<Vocabulary> vocabulary_;
  std::unique_ptr<Decoder> model_;

  std::vector<std::string> train_text_;
  std::vector<std::string> valid_text_;
  Corpus train_;

  // Of prediction and evaluation
  std::string mode_ = "complete";
  CompletionOptions completion_;
  DecodeOptions decode_;
  std::vector<std::string> compared_;
  std::vector<std::string> compared_columns_ = {"text"};
  int completed_words_ = 0;
};

/// How often the word that stands in a text is among the first completions of
/// its prefix.
struct CompletionAccuracy {
  int letters = 0;  // typed
  int64_t words = 0;
  int64_t first = 0;  // the first completion is the word
  int64_t third = 0;  // one of the first three is
};

/// For 0 to 3 letters, on about `words` words of more letters, spread evenly
/// over the lines. Each is asked for with what stands before it in its line.
std::vector<CompletionAccuracy> MeasureCompletion(
    const Completer& completer, const std::vector<std::string>& lines,
    int words);

}  // namespace heed

#endif  // HEED_TASKS_LANGUAGE_H_
