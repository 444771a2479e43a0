// View of one query and its keys, feature by feature.
#ifndef HEED_RENDER_NEURONS_VIEW_H_
#define HEED_RENDER_NEURONS_VIEW_H_

#include <cstdint>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// The score of a query for each of its keys, as the sum of products of
/// features. Rows are keys that are not masked, in order of position.
struct NeuronRows {
  int64_t query = 0;
  std::vector<float> features;  ///< q [A]
  std::vector<int64_t> keys;
  std::vector<std::vector<float>> key_features;  ///< k
  std::vector<std::vector<float>> products;      ///< q ∘ k
  std::vector<float> scores;
  std::vector<float> weights;
  std::vector<float> norms;  ///< empty: unknown
  int64_t left_out = 0;      ///< number of further keys, with smaller weights
};

/// Rows of the query of target options.step, or of the last query. The 48 keys
/// with the largest weights are kept. Requires that the view does not refuse.
NeuronRows NeuronsOf(const ExplanationSegment& segment,
                     const AttentionPanels& panels, const ViewOptions& options);

/// Paper: Vig 2019, arXiv:1906.05714, section 3.3 (neuron view).
ExplanationView NeuronsView();

}  // namespace heed

#endif  // HEED_RENDER_NEURONS_VIEW_H_
