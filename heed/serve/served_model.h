// A model that the server has loaded.
#ifndef HEED_SERVE_SERVED_MODEL_H_
#define HEED_SERVE_SERVED_MODEL_H_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/serve/languages.h"
#include "heed/serve/request.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translation.h"

namespace heed {

/// How all translators search unless a request says otherwise.
struct SearchDefaults {
  int beam = 5;
  double length_penalty = 0.6;
  double max_length_factor = 2;
  std::string shortlist = "none";

  void Visit(FieldList& v);
};

/// What can differ from sentence to sentence of a translator.
struct SearchChoice {
  int beam = 0;  ///< 0: that of SearchDefaults
  int nbest = 1;
  bool scores = false;
  bool attention = false;  ///< Translation::attention is wanted

  auto operator<=>(const SearchChoice&) const = default;
};

/// What a model says of one text.
struct Prediction {
  std::string answer;              ///< as `heed predict` writes it
  nlohmann::ordered_json details;  ///< the same in parts
};

/// Used by one thread at a time, but for what is said to be fixed or
/// thread-safe.
class ServedModel {
 public:
  /// Reads the folder. Throws: as ReadTask; ConfigError.
  ServedModel(const ModelSpec& spec, const SearchDefaults& search,
              const std::string& dtype);

  // Fixed
  const std::string& name() const { return spec_.name; }
  std::string task_name() const { return task_->name(); }
  bool translates() const { return translation_ != nullptr; }
  const LanguagePair& languages() const { return spec_.languages; }
  /// A row of /models.
  const nlohmann::ordered_json& description() const { return description_; }
  /// Of translators. Thread-safe.
  const Vocabulary& source_vocabulary() const;
  const Vocabulary& target_vocabulary() const;

  /// Translations of sentences, on all cores. Throws: as Translator.
  std::vector<Translations> Translate(std::span<const std::string> sentences,
                                      const SearchChoice& choice,
                                      const TranslateHooks& hooks = {});

  /// The least time that a request may take if its search goes on to its length
  /// limit; no processor is so fast. Thread-safe. Units: seconds
  double TranslationSeconds(std::span<const std::string> sentences,
                            const SearchChoice& choice) const;
  double PredictionSeconds(std::span<const std::string> texts,
                           const nlohmann::ordered_json& options) const;
  double ExplanationSeconds(const std::string& text,
                            const AttributionOptions& attribution) const;

  /// Sentences and bytes of text that can be computed together if no product of
  /// theirs, between which a computation is paused or cancelled, shall take
  /// longer than that at the processor's full speed. Thread-safe.
  size_t MostTexts(const SearchChoice& choice, double step_seconds) const;
  size_t MostBytes(double step_seconds) const;

  /// What its texts may be: a time series is as long as it must be.
  RequestLimits LimitsOf(RequestLimits limits) const;
  /// Options of `heed predict` as a request gives them, with their right types.
  /// Thread-safe. Throws: HttpError 400 that names the option, for one that is
  /// unknown, wrong, above what `limits` allow, or names files.
  nlohmann::ordered_json CheckedOptions(const nlohmann::ordered_json& options,
                                        const RequestLimits& limits) const;
  /// Whether texts of several requests with equal options can be answered
  /// together. Thread-safe.
  bool JoinsTexts(const nlohmann::ordered_json& options) const;
  /// `options` as checked. Throws: what Task::Predict does, of "text" instead
  /// of standard input.
  std::vector<Prediction> Predict(std::span<const std::string> texts,
                                  const nlohmann::ordered_json& options,
                                  const Cancellation* cancellation = nullptr);

  /// Throws: as heed::Explain.
  Explanation Explain(const ExplainRequest& request);

  /// Those of Predict, as checked, and the defaults of all others; none for
  /// Explain. For who goes on after the model was used for something else.
  void SetOptions(const nlohmann::ordered_json& options);

 private:
  const Translator& TranslatorOf(const SearchChoice& choice);
  std::vector<std::string> Answers(const Context& ctx,
                                   std::span<const std::string> texts,
                                   const nlohmann::ordered_json& options);
  double LeastSecondsOf(double tokens) const;
  nlohmann::ordered_json WithDefaults(
      const nlohmann::ordered_json& options) const;
  int BeamOf(const SearchChoice& choice) const;

  ModelSpec spec_;
  SearchDefaults search_;
  std::unique_ptr<Task> task_;
  const TranslationTask* translation_ = nullptr;  // task_, if it is one
  nlohmann::ordered_json defaults_;               // of the options of Predict
  nlohmann::ordered_json description_;
  double multiply_adds_ = 0;   // of a token that is read or written
  double layer_weights_ = 0;   // of the largest matrix of a layer
  double output_weights_ = 0;  // of the scores of all target tokens
  std::optional<Shortlist> shortlist_;
  std::map<SearchChoice, std::unique_ptr<Translator>> translators_;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVED_MODEL_H_
