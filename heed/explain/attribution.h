// Implicit attention: what each input token contributes to an answer, measured
// by gradients or by leaving it out. Works for every model, also for those that
// have no attention.
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

/// An answer that can be computed again from changed inputs: y_n(x) for each of
/// N targets, of the vectors x [S, M] that stand for S tokens.
struct Explainable {
  int64_t tokens = 0;   ///< S
  int64_t targets = 0;  ///< N
  /// The input of the model that the tokens are, as an Observer knows it; the
  /// first time that it enters counts.
  std::string input = "source";
  /// The axis of the explanation that they are, and the places of the targets
  /// there.
  std::string axis = "source";
  std::vector<size_t> of_targets = {};
  /// Batch rows of the input that each copy has, and which of them is the one
  /// to explain.
  int64_t rows_of_copy = 1;
  int64_t row = 0;
  /// What a token is that is away, x0 of M numbers; none: zeros.
  std::vector<double> absent = {};
  /// Whether y is a log-probability; else it is a value on a scale of its own.
  bool log_probability = true;
  /// y of `copies` equal inputs, which only an observer makes differ. Shapes:
  /// result [copies, N].
  std::function<Var(const Context& ctx, int64_t copies)> scores;
  /// Tokens that the model reads and writes for one copy; 0: S.
  int64_t tokens_of_copy = 0;
  /// Ends whatever computes it again, which then throws Cancelled.
  const Cancellation* cancellation = nullptr;
};

/// The names of the methods, and what they compute of target n and token s:
///   saliency              ‖∂y_n/∂x_s‖₂
///   gradient_x_input      Σ_m x_sm ∂y_n/∂x_sm
///   integrated_gradients  Σ_m (x − x0)_sm ∫₀¹ ∂y_n/∂x_sm(x0 + α (x − x0)) dα,
///                         x0 = answer.absent; they add up to y_n(x) − y_n(x0)
///   smooth_grad           ‖mean over noisy x of ∂y_n/∂x_s‖₂
///   occlusion             y_n(x) − y_n(x with x0 in the place of x_s)
/// Papers: Simonyan et al. 2013, arXiv:1312.6034 (saliency); Shrikumar et al.
/// 2016, arXiv:1605.01713 (gradient × input); Sundararajan et al. 2017,
/// arXiv:1703.01365; Smilkov et al. 2017, arXiv:1706.03825; Zeiler and Fergus
/// 2013, arXiv:1311.2901 (occlusion).
std::vector<std::string> AttributionMethods();

struct AttributionOptions {
  std::vector<std::string> methods;
  int steps = 64;      // of integrated gradients
  int samples = 32;    // of smooth_grad
  double noise = 0.1;  // of smooth_grad: σ / (max x − min x)
  uint64_t seed = 1;

  void Visit(FieldList& v);
};

/// One for each method, in their order. Throws: ConfigError for an unknown
/// method, or a model of int8 weights and a method that needs gradients;
/// NumericError if the model gives NaN; Cancelled.
std::vector<Attribution> Attribute(const Explainable& answer,
                                   const AttributionOptions& options);

/// ∂y/∂x. Shapes: result f64 [N, S, M]. Throws: as Attribute.
Tensor Jacobian(const Explainable& answer);

/// One changed input.
struct ChangedInput {
  int64_t target = 0;  ///< n of the score that is asked for
  /// Changes x [S, M], row-major; none: as it is.
  std::function<void(std::span<double> x)> change;
};

/// Puts into the place of whole tokens what is there when they are away.
/// Throws: ShapeError for another number of features.
void TakeAway(const Explainable& answer, std::span<double> tokens);

/// y_n of each changed input, several computed at once. Throws: as Attribute.
std::vector<double> ScoresOf(const Explainable& answer,
                             std::span<const ChangedInput> inputs);

/// The same, and ∂y_n/∂x of each changed input [inputs, S, M].
struct ScoredGradients {
  std::vector<double> scores;
  std::vector<double> gradients;
  int64_t features = 0;  // M
};
ScoredGradients GradientsOf(const Explainable& answer,
                            std::span<const ChangedInput> inputs);

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTRIBUTION_H_
