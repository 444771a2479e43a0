// Measures of small attention layers during and after training.
#ifndef HEED_COURSE_TOKEN_MEASURES_H_
#define HEED_COURSE_TOKEN_MEASURES_H_

#include <cstdint>
#include <optional>

#include "course/token_tasks.h"

namespace heed {

/// Result of training a layer until it reached a goal.
struct LearningRun {
  /// Updates until the accuracy on held-out sequences reached the goal; none if
  /// it did not.
  std::optional<int64_t> steps;
  double accuracy = 0;        // at the end of training
  double first_gradient = 0;  // norm, mean of the first ten updates
  double last_gradient = 0;   // mean of the last ten
};

/// Trains until the accuracy reaches `goal`, measured every five updates, or
/// until the last update.
LearningRun LearnUntil(const TokenTask& task,
                       const TokenAttentionOptions& layer,
                       const TokenTraining& training, double goal);

/// Concentration of a layer's weights over a batch.
struct Sharpness {
  double entropy = 0;  // mean of −Σ a log2 a. Units: bits
  double words = 0;    // mean of 2 to the entropy of a row
  double largest = 0;  // mean of the largest weight of a row
  double accuracy = 0;
};

/// Measures with scores divided by `temperature`. Rows of padding do not count.
Sharpness SharpnessOf(const TokenAttention& model, const TokenBatch& batch,
                      double temperature);

/// Similarity of the heads of a layer: mean cosine over all pairs of heads and
/// all positions; 1 for identical heads.
/// Paper: Li et al. 2018, arXiv:1810.10183, section 3.2 (disagreement of
/// outputs and of positions).
struct HeadSimilarities {
  double weights = 0;  // of rows of weights, 0 to 1
  double outputs = 0;  // of contributions to the logits, −1 to 1
};

/// Computes the similarity. Range: at least two heads.
HeadSimilarities MeasureHeadSimilarity(const TokenAttention& model,
                                       const TokenBatch& batch);

}  // namespace heed

#endif  // HEED_COURSE_TOKEN_MEASURES_H_
