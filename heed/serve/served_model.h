// A model loaded by the server.
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
#include "heed/tasks/translate/confidence.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed {

/// Default search of all translators.
struct SearchDefaults {
  int beam = 0;  ///< 0: the model's own
  double length_penalty = 0.6;
  double max_length_factor = 0;  ///< 0: the model's own
  std::string shortlist = "none";

  void Visit(FieldList& v);
};

/// Search of a translator for one request.
struct SearchChoice {
  int beam = 0;  ///< 0: that of SearchDefaults
  int nbest = 1;
  bool scores = false;     ///< fill Translation::score and log_probability
  bool attention = false;  ///< fill Translation::attention
};

/// Options of `heed predict` in a request.
struct RequestOptions {
  /// Values of the request. Requests with equal values can be batched.
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  /// All options of the model's task: values of the request, otherwise the
  /// server's defaults.
  std::shared_ptr<const OptionSet> set;
};

/// Translations in Answer::details of a translator's answer.
const Translations& TranslationsOf(const Answer& answer);

/// A loaded model with its predictor and languages. Thread-safe.
class ServedModel {
 public:
  /// Loads the folder. Throws: as ReadModel; ConfigError.
  ServedModel(const ModelSpec& spec, const SearchDefaults& search,
              Auto<RunFormat> dtype,
              Named<Activations> activations = Activations::kRow);

  const std::string& name() const { return spec_.name; }
  const TaskRow& task() const { return loaded_.task(); }
  const TaskModel& model() const { return *loaded_.model; }
  const InputKind& input() const { return input_; }
  bool translates() const { return translation_ != nullptr; }
  /// Languages of a translator; unknown ones are kUnknownSource and
  /// kUnknownTarget.
  const LanguagePair& languages() const { return spec_.languages; }
  /// All target languages of a translator: languages().target, and those of the
  /// marks of a multi-target model.
  const std::vector<std::string>& targets() const { return targets_; }
  /// Target-language marks in the source vocabulary of a translator.
  const TargetMarks& marks() const { return *translation_->marks; }
  /// Distance between the translator's languages and `wanted`: 0 for exactly
  /// these (see LanguageDistance); nullopt if it does not translate between
  /// them.
  std::optional<int> DistanceTo(const LanguagePair& wanted) const;
  /// True if the source or the target language is unknown. Any language in
  /// Unicode's tables is then at kUnknownDistance.
  bool has_unknown_languages() const;
  static constexpr int kUnknownDistance = 1000;
  /// True if a translator reads or writes the language or a variant of it.
  bool Knows(const std::string& language) const;
  /// Entry of /models.
  const nlohmann::ordered_json& description() const { return description_; }
  /// Confidence of a translation with scores (see SearchChoice), and true if a
  /// quality model gives it.
  translate::TranslationConfidence ConfidenceOf(
      const Translation& translation) const;
  bool has_quality_model() const { return translation_->quality.has_value(); }
  /// Vocabularies of a translator.
  const Vocabulary& source_vocabulary() const;
  const Vocabulary& target_vocabulary() const;

  /// Lower bound of a request's time if the search reaches its length limit. No
  /// processor is that fast. Units: seconds
  double PredictionSeconds(std::span<const Input> inputs,
                           const RequestOptions& options) const;
  double ExplanationSeconds(const Input& input,
                            const AttributionOptions& attribution) const;

  /// Number of inputs and bytes of text that can be computed together if no
  /// matrix product may take longer than `step_seconds` at the processor's full
  /// speed. A computation is paused or cancelled between products.
  size_t MaxTexts(const RequestOptions& options, double step_seconds) const;
  size_t MaxBytes(double step_seconds) const;

  /// Limits for this model's inputs. Only the size of the request body limits
  /// inputs of bytes.
  RequestLimits LimitsOf(RequestLimits limits) const;
  /// Options of `heed predict` from a request, converted to their types.
  /// Throws: HttpError 400 with the name of an option that is unknown, invalid,
  /// above `limits`, or reserved for the operator.
  RequestOptions CheckedOptions(const nlohmann::ordered_json& options,
                                const RequestLimits& limits) const;
  /// Options of a translator for this search. Answers to jobs with these
  /// options have no Answer::parts; read them with TranslationsOf.
  RequestOptions SearchOptions(const SearchChoice& choice) const;
  /// True if inputs of several requests with equal options can be batched.
  bool JoinsInputs(const RequestOptions& options) const {
    return predictor_->joins_inputs(*options.set);
  }
  /// Answers each input. With `call.parts`, a text of several lines is answered
  /// line by line if the task reads lines: answers are joined by line ends, and
  /// their parts form a list. An input that cannot be answered has an error.
  /// Without `call.parts`, inputs are answered whole, without a length limit.
  /// Throws: ConfigError; Cancelled; without `call.parts` FormatError.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const RequestOptions& options,
                              PredictCall call = {}) const;
  /// Explains an answer. `target`: target language of a translator; empty: its
  /// default. Throws: as heed::Explain; HttpError 400 for an unsupported
  /// target.
  Explanation Explain(const ExplainRequest& request,
                      const std::string& target = {}) const;

 private:
  double MinSecondsOf(double tokens) const;

  void ChooseLanguages();
  /// Options for a translation into this language; null for the default ones.
  std::unique_ptr<OptionSet> OptionsFor(const std::string& target) const;

  ModelSpec spec_;
  std::vector<std::string> targets_;
  SearchDefaults search_;
  LoadedModel loaded_;
  InputKind input_;
  const translate::Model* translation_ = nullptr;  // in loaded_, or null
  std::unique_ptr<Predictor> predictor_;
  nlohmann::ordered_json description_;
  double multiply_adds_ = 0;   // per token read or written
  double layer_weights_ = 0;   // of the largest matrix in a layer
  double output_weights_ = 0;  // of the output projection
};

}  // namespace heed

#endif  // HEED_SERVE_SERVED_MODEL_H_
