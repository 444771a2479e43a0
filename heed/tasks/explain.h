// What a model of any task attended to while it answered.
#ifndef HEED_TASKS_EXPLAIN_H_
#define HEED_TASKS_EXPLAIN_H_

#include <string>
#include <vector>

#include "heed/explain/attribution.h"
#include "heed/explain/explanation.h"
#include "heed/tasks/run.h"

namespace heed {

/// What is to be explained, and how.
struct ExplainRequest {
  ExplainInput input;
  /// Of the prediction; null: those of the predictor.
  const OptionSet* options = nullptr;
  /// Implicit attention, by these methods; none: attention alone.
  AttributionOptions attribution = {};
  /// Whether the saliency of a model without attention is measured where no
  /// method is chosen: by occlusion if its weights are int8.
  bool saliency_without_attention = false;
  /// The attention whose queries, keys, scores, values and contexts are given
  /// in numbers: a name as in AttentionMap; none: no numbers.
  std::string panels_of = {};
  /// Whether the vectors that the model begins with are given.
  bool inputs = false;
  /// Whether all is given that pictures of the model are made of, as far as
  /// there is any: these vectors, and the numbers of a decoder's attention.
  bool pictures = false;
  /// Ends the work, which then throws Cancelled; also for Explainable.
  const Cancellation* cancellation = nullptr;
};

/// Runs the model on one text as `heed predict` does, watches every attention,
/// and measures what each token contributes. A text that is answered in parts,
/// as its lines, has a segment for each; `answer` and `contrast` are then for
/// every one of them. Thread-safe.
/// Throws: FormatError for a text that the task cannot read; ConfigError for an
/// attention that is not there (lists those that are), an unknown method, or a
/// method that needs gradients and int8 weights; Cancelled.
Explanation Explain(const LoadedModel& loaded, const Predictor& predictor,
                    const ExplainRequest& request);

/// What the model is made of, with its name.
ModelOutline OutlineOf(const LoadedModel& loaded);
/// The same as an explanation of no text, for views of the model itself.
Explanation ExplainModel(const LoadedModel& loaded);

/// The same beside what it was made of: the answer to be computed again, of
/// each segment from each of its inputs. Refers to model and predictor.
struct ExplainedPrediction {
  Explanation explanation;
  std::vector<std::vector<Explainable>> scores;
};
ExplainedPrediction ExplainPrediction(const LoadedModel& loaded,
                                      const Predictor& predictor,
                                      const ExplainRequest& request);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAIN_H_
