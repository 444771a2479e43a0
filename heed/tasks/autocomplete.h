// Words guessed while they are typed, and what was remembered for the guess.
#ifndef HEED_TASKS_AUTOCOMPLETE_H_
#define HEED_TASKS_AUTOCOMPLETE_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/typing.h"
#include "heed/models/autocomplete.h"
#include "heed/models/registry.h"
#include "heed/render/connectivity.h"
#include "heed/tasks/task.h"

namespace heed {

/// Where typed text comes from and how it becomes batches.
struct TypingDataConfig {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  std::vector<std::string> columns = {"text"};
  std::string form = "letters";
  std::string unit = "lines";
  int length = 200;
  int words = 5000;
  int min_count = 1;
  int batch_texts = 64;
  int batch_characters = 16384;

  void Visit(FieldList& v);
  TypingOptions Options() const;
};

/// How often a guess was right, over characters whose word is known.
struct TypingScore {
  struct Counts {
    int64_t characters = 0;
    int64_t first = 0;  ///< the likeliest word was right
    int64_t third = 0;  ///< one of the likeliest three was
    double nll = 0;     ///< Σ −log p of the right word

    /// Shares, 0 of nothing.
    double First() const;
    double Third() const;
    double Loss() const;
  };
  static constexpr size_t kMostSeen = 3;

  Counts all;
  /// By how many characters of the word were typed: 0 to 3, and 4 or more.
  std::array<Counts, kMostSeen + 2> seen;
  int64_t unknown = 0;  ///< characters of words that cannot be guessed
};

/// After each character and each space, a causal encoder guesses the word that
/// the character belongs to, or that follows the space.
class AutocompleteTask : public Task {
 public:
  // The plain cells are what is compared.
  ModelChoice<EncoderSettings> encoder{
      "cell=gru units=128 self_attention=none dropout=0"};
  int embedding = 0;
  TypingDataConfig data;

  std::string name() const override { return "autocomplete"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  void ReadExamples() override;
  /// Text that is in memory, instead of ReadExamples.
  void SetText(const std::vector<std::string>& train,
               const std::vector<std::string>& valid);
  bool in_files() const override { return !data.texts.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override;
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return model_->parameters(); }
  std::string unit() const override { return "char"; }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override {
    return {{"accuracy", true}, {"loss", false}};
  }
  bool has_valid() const override { return !valid_text_.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override;
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

  /// Over all characters of these lines. Throws: ConfigError if no character
  /// is left.
  TypingScore Score(const std::vector<std::string>& lines) const;
  /// The words that a text may go on with, likeliest first. The text ends
  /// within a word, or with a space; its last `length` characters are read.
  std::vector<Suggestion> Suggest(const std::string& text, int count) const;
  /// What each guess depends on while the text is typed, up to its `length`
  /// first characters, with three suggestions each. `name`: of the model.
  Connectivity Remember(const std::string& text, const std::string& name) const;

  /// As trained.
  const Autocomplete& model() const { return *model_; }
  const TypingCodec& codec() const { return *codec_; }

 private:
  struct Batch;
  Batch MakeBatch(const Corpus& corpus,
                  std::span<const int64_t> examples) const;
  TypingScore ScoreOf(const std::vector<std::string>& text,
                      const Corpus& corpus) const;
  std::vector<std::vector<Suggestion>> SuggestAll(
      const Context& ctx, const std::vector<std::string>& texts,
      int count) const;
  /// The likeliest words of each row of scores [R, V].
  std::vector<std::vector<Suggestion>> Likeliest(const Tensor& scores,
                                                 int count) const;

  std::vector<std::string> train_text_;  // sequences
  std::vector<std::string> valid_text_;
  std::optional<TypingCodec> codec_;
  std::unique_ptr<Autocomplete> model_;
  Corpus train_;
  Corpus valid_;
  std::vector<std::string> compared_;
  std::vector<std::string> compared_columns_ = {"text"};
  std::string plot_file_;
  int best_ = 3;
};

}  // namespace heed

#endif  // HEED_TASKS_AUTOCOMPLETE_H_
