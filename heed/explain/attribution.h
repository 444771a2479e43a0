// Attribution: the contribution of each input token to an answer, measured by
// gradients or by occlusion. Works for every model, with or without attention.
#ifndef HEED_EXPLAIN_ATTRIBUTION_H_
#define HEED_EXPLAIN_ATTRIBUTION_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/config.h"
#include "heed/explain/explanation.h"

namespace heed {

/// An answer that can be recomputed from changed inputs: y_n(x) for each of N
/// targets, with x [S, M] the vectors of S tokens.
struct Explainable {
  int64_t tokens = 0;   ///< S
  int64_t targets = 0;  ///< N
  /// Name of the model input that the tokens enter through, as given to
  /// Observer; only its first use counts.
  std::string input = "source";
  /// Axis of the explanation that contains the tokens, and the indices of the N
  /// targets in the explanation.
  std::string axis = "source";
  std::vector<size_t> of_targets = {};
  /// Batch rows of one copy of the input, and the row of each copy to explain.
  int64_t rows_of_copy = 1;
  int64_t row = 0;
  /// Vector x0 [M] that replaces a removed token; empty: zeros.
  std::vector<double> absent = {};
  /// True if y is a log-probability; otherwise y has a scale of its own.
  bool log_probability = true;
  /// Computes y for `copies` equal inputs, which an observer changes
  /// individually. Shapes: result [copies, N].
  std::function<Var(const Context& ctx, int64_t copies)> scores;
  /// Tokens that the model processes for one copy; 0: S.
  int64_t tokens_of_copy = 0;
  /// Cancels the computation, which then throws Cancelled.
  const Cancellation* cancellation = nullptr;
};

/// Names of the attribution methods. Score of token s for target n:
///   saliency              ‖∂y_n/∂x_s‖₂
///   gradient_x_input      Σ_m x_sm ∂y_n/∂x_sm
///   integrated_gradients  Σ_m (x − x0)_sm ∫₀¹ ∂y_n/∂x_sm(x0 + α (x − x0)) dα,
///                         x0 = answer.absent; they sum to y_n(x) − y_n(x0)
///   smooth_grad           ‖mean over noisy x of ∂y_n/∂x_s‖₂
///   occlusion             y_n(x) − y_n(x with x_s replaced by x0)
/// Papers: Simonyan et al. 2013, arXiv:1312.6034 (saliency); Shrikumar et al.
/// 2016, arXiv:1605.01713 (gradient × input); Sundararajan et al. 2017,
/// arXiv:1703.01365; Smilkov et al. 2017, arXiv:1706.03825; Zeiler and Fergus
/// 2013, arXiv:1311.2901 (occlusion).
std::vector<std::string> AttributionMethods();
/// AttributionMethods() and rollout, which reads attention weights alone (see
/// Rollout).
std::vector<std::string> ExplanationMethods();

struct AttributionOptions {
  std::vector<std::string> methods;
  int steps = 64;      // of integrated gradients
  int samples = 32;    // of smooth_grad
  double noise = 0.1;  // of smooth_grad: σ / (max x − min x)
  uint64_t seed = 1;

  void Visit(FieldList& v);
};

/// Computes one attribution per method, in their order. Throws: ConfigError for
/// an unknown method, or a gradient method on a model with int8 weights;
/// NumericError if the model returns NaN; Cancelled.
std::vector<Attribution> Attribute(const Explainable& answer,
                                   const AttributionOptions& options);

/// Jacobian ∂y/∂x. Shapes: result f64 [N, S, M]. Throws: as Attribute.
Tensor Jacobian(const Explainable& answer);

/// A changed input, and the target to score on it.
struct ChangedInput {
  int64_t target = 0;  ///< n of the score y_n
  /// Changes x [S, M], row-major; empty: leaves x unchanged.
  std::function<void(std::span<double> x)> change;
};

/// Replaces whole tokens by answer.absent. Throws: ShapeError for another
/// number of features.
void TakeAway(const Explainable& answer, std::span<double> tokens);

/// y_n of each changed input, computed in batches. Throws: as Attribute.
std::vector<double> ScoresOf(const Explainable& answer,
                             std::span<const ChangedInput> inputs);

/// Scores y_n and gradients ∂y_n/∂x of changed inputs. Shapes: gradients
/// [inputs, S, M].
struct ScoredGradients {
  std::vector<double> scores;
  std::vector<double> gradients;
  int64_t features = 0;  // M
};
ScoredGradients GradientsOf(const Explainable& answer,
                            std::span<const ChangedInput> inputs);

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTRIBUTION_H_
