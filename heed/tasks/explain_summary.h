// Statistics of attention and attributions over many texts.
#ifndef HEED_TASKS_EXPLAIN_SUMMARY_H_
#define HEED_TASKS_EXPLAIN_SUMMARY_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "heed/explain/faithfulness.h"
#include "heed/explain/head_importance.h"
#include "heed/explain/head_statistics.h"
#include "heed/tasks/explain.h"

namespace heed {

/// Means over texts.
struct ExplainSummary {
  int64_t texts = 0;
  std::vector<LayerStatistics> layers;  ///< means over the queries of all texts
  std::vector<Agreement> agreements;    ///< over all targets
  std::vector<FaithfulnessCurve> faithfulness;
  /// Importance of heads per layer, normalised to norm 1; empty unless
  /// requested.
  std::vector<LayerImportance> importance;
};

struct SummaryOptions {
  AttributionOptions attribution;
  /// Measures deletion and insertion curves by attention, each method and a
  /// random order.
  bool faithfulness = false;
  bool importance = false;
  uint64_t seed = 1;  // of the random order
};

/// Explains texts one by one and averages the results.
class ExplainSummarizer {
 public:
  /// The model and the predictor must outlive it.
  ExplainSummarizer(const LoadedModel& loaded, const Predictor& predictor,
                    const SummaryOptions& options)
      : loaded_(loaded), predictor_(predictor), options_(options) {}

  /// Throws: as Explain.
  void Add(const Input& input);
  ExplainSummary Result() const;

 private:
  void AddStatistics(const ExplanationSegment& segment);
  void AddAgreements(const ExplanationSegment& segment);

  const LoadedModel& loaded_;
  const Predictor& predictor_;
  SummaryOptions options_;
  ExplainSummary sums_;
  std::vector<int64_t> texts_of_layer_;
  std::vector<int64_t> steps_of_layer_;  // texts with more than one query
};

/// Deletion and insertion curves of one answer's tokens, ordered by attention
/// if there is an alignment, by each attribution, and at random.
std::vector<FaithfulnessCurve> FaithfulnessOf(const ExplainedPrediction& answer,
                                              uint64_t seed);

/// The summary as JSON: texts, layers (layer, entropy, words, distance, step,
/// likeness, context_likeness, importance), agreements, faithfulness (method,
/// share, deletion, insertion, and their areas).
nlohmann::ordered_json SummaryJson(const ExplainSummary& summary);

/// The summary as tables of text.
std::string SummaryText(const ExplainSummary& summary);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAIN_SUMMARY_H_
