// Explanations of the answers of any task: attention, attributions and
// structure of the model.
#ifndef HEED_TASKS_EXPLAIN_H_
#define HEED_TASKS_EXPLAIN_H_

#include <string>
#include <vector>

#include "heed/explain/attribution.h"
#include "heed/explain/explanation.h"
#include "heed/tasks/run.h"

namespace heed {

/// Input and options of an explanation.
struct ExplainRequest {
  ExplainInput input;
  /// Options of the prediction; null: the predictor's default options.
  const OptionSet* options = nullptr;
  /// Attribution methods (implicit attention); none: attention weights alone.
  AttributionOptions attribution = {};
  /// True if models without attention get a saliency map although no method is
  /// chosen: by gradients, or by occlusion if the weights are int8.
  bool saliency_without_attention = false;
  /// Name of the attention (as in AttentionMap) whose queries, keys, scores,
  /// values and contexts are returned as numbers; "": none.
  std::string panels_of = {};
  /// True if the model's input vectors are returned.
  bool inputs = false;
  /// True if all data for diagrams of the model is returned where available:
  /// the input vectors, and the numbers of the attention that its outline
  /// names.
  bool pictures = false;
  /// Maximum rows of attention weights (tokens x layers x heads); 0: no limit.
  int64_t max_rows = 0;
  /// Stops the work, which then throws Cancelled; also stops uses of
  /// Explainable.
  const Cancellation* cancellation = nullptr;
};

/// Runs the model on one text as `heed predict` does, records every attention,
/// and measures the contribution of each token. A text that is answered in
/// parts, such as lines, has one segment per part; `answer` and `contrast` then
/// apply to each of them. Thread-safe.
/// Throws: FormatError for a text that the task cannot read, or that has more
/// rows of attention weights than allowed; ConfigError for an
/// unknown attention (lists the valid ones), an unknown method, or a method
/// that needs gradients if the weights are int8; Cancelled.
Explanation Explain(const LoadedModel& loaded, const Predictor& predictor,
                    const ExplainRequest& request);

/// Structure of the model, with its name.
ModelOutline OutlineOf(const LoadedModel& loaded);
/// Explanation without a text that holds only the structure of the model.
Explanation ExplainModel(const LoadedModel& loaded);

/// An explanation and the functions that recompute its scores: for each
/// segment, one from each of its inputs. Refers to model and predictor.
struct ExplainedPrediction {
  Explanation explanation;
  std::vector<std::vector<Explainable>> scores;
};
ExplainedPrediction ExplainPrediction(const LoadedModel& loaded,
                                      const Predictor& predictor,
                                      const ExplainRequest& request);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAIN_H_
