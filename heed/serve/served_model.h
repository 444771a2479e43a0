// A model that the server has loaded.
#ifndef HEED_SERVE_SERVED_MODEL_H_
#define HEED_SERVE_SERVED_MODEL_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/serve/languages.h"
#include "heed/serve/request.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed {

/// How all translators search unless a request says otherwise.
struct SearchDefaults {
  int beam = 5;
  double length_penalty = 0.6;
  double max_length_factor = 0;  ///< 0: that of the model
  std::string shortlist = "none";

  void Visit(FieldList& v);
};

/// How a translator searches for sentences of a request.
struct SearchChoice {
  int beam = 0;  ///< 0: that of SearchDefaults
  int nbest = 1;
  bool scores = false;     ///< fill Translation::score and log_probability
  bool attention = false;  ///< fill Translation::attention
};

/// Options of `heed predict` that a request gives.
struct RequestOptions {
  /// Requests with equal values can be answered together.
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  /// All options of the model's task: these values, and the server's defaults.
  std::shared_ptr<const OptionSet> set;
};

/// The translations that a translator's answer holds in Answer::details.
const Translations& TranslationsOf(const Answer& answer);

/// Thread-safe.
class ServedModel {
 public:
  /// Reads the folder. Throws: as ReadModel; ConfigError.
  ServedModel(const ModelSpec& spec, const SearchDefaults& search,
              const std::string& dtype);

  const std::string& name() const { return spec_.name; }
  const TaskRow& task() const { return loaded_.task(); }
  const InputKind& input() const { return input_; }
  bool translates() const { return translation_ != nullptr; }
  /// Languages of a translator; unknown ones are kUnknownSource and
  /// kUnknownTarget.
  const LanguagePair& languages() const { return spec_.languages; }
  /// All languages that a translator writes: of a multi-target model those of
  /// its marks, and languages().target.
  const std::vector<std::string>& targets() const { return targets_; }
  /// Target-language marks in the source vocabulary of a translator.
  const TargetMarks& marks() const { return *translation_->marks; }
  /// How far a translator is from translating between two languages, 0 if it
  /// does exactly that (see LanguageDistance); nothing if it does not.
  std::optional<int> DistanceTo(const LanguagePair& wanted) const;
  /// Whether nothing tells its source or its target; then any language that
  /// Unicode's tables have is at this distance.
  bool has_unknown_languages() const;
  static constexpr int kUnknownDistance = 1000;
  /// Whether a translator reads or writes a language or a variant of the
  /// language.
  bool Knows(const std::string& language) const;
  /// A row of /models.
  const nlohmann::ordered_json& description() const { return description_; }
  /// Of translators.
  const Vocabulary& source_vocabulary() const;
  const Vocabulary& target_vocabulary() const;

  /// The least time that a request may take if its search goes on to its length
  /// limit; no processor is so fast. Units: seconds
  double PredictionSeconds(std::span<const Input> inputs,
                           const RequestOptions& options) const;
  double ExplanationSeconds(const Input& input,
                            const AttributionOptions& attribution) const;

  /// Number of inputs and bytes of text that can be computed together if no
  /// matrix product may take longer than `step_seconds` at the processor's full
  /// speed. A computation is paused or cancelled between products.
  size_t MostTexts(const RequestOptions& options, double step_seconds) const;
  size_t MostBytes(double step_seconds) const;

  /// What its inputs may be: bytes are limited by the body of a request alone.
  RequestLimits LimitsOf(RequestLimits limits) const;
  /// Options of `heed predict` as a request gives them, with their right types.
  /// Throws: HttpError 400 that names the option, for one that is unknown,
  /// wrong, above what `limits` allow, or names files.
  RequestOptions CheckedOptions(const nlohmann::ordered_json& options,
                                const RequestLimits& limits) const;
  /// Options of a translator for this search. Jobs with them have no
  /// Answer::parts, and TranslationsOf their answers.
  RequestOptions SearchOptions(const SearchChoice& choice) const;
  /// Whether inputs of several requests with equal options can be answered
  /// together.
  bool JoinsInputs(const RequestOptions& options) const {
    return predictor_->joins_inputs(*options.set);
  }
  /// Answers each input. With `call.parts`, a text of several lines is answered
  /// line by line if the task reads lines: the answers are joined by line ends,
  /// their parts in a list; an input that cannot be answered has an error.
  /// Without, inputs are answered as they are, however long. Throws:
  /// ConfigError; Cancelled; without `call.parts` FormatError.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const RequestOptions& options,
                              PredictCall call = {}) const;
  /// `target`: the language that a translator is to write; empty: its own.
  /// Throws: as heed::Explain; HttpError 400 for a language that it does not
  /// write.
  Explanation Explain(const ExplainRequest& request,
                      const std::string& target = {}) const;

 private:
  double LeastSecondsOf(double tokens) const;

  void ChooseLanguages();
  /// The options of an explanation that writes this language; null: the usual.
  std::unique_ptr<OptionSet> OptionsFor(const std::string& target) const;

  ModelSpec spec_;
  std::vector<std::string> targets_;
  SearchDefaults search_;
  LoadedModel loaded_;
  InputKind input_;                                // that it reads
  const translate::Model* translation_ = nullptr;  // of loaded_, if it is one
  std::unique_ptr<Predictor> predictor_;
  nlohmann::ordered_json description_;
  double multiply_adds_ = 0;   // of a token that is read or written
  double layer_weights_ = 0;   // of the largest matrix of a layer
  double output_weights_ = 0;  // of the scores of all target tokens
};

}  // namespace heed

#endif  // HEED_SERVE_SERVED_MODEL_H_
