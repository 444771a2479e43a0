// Classifiers that predict an outcome from the visits of a patient.
#ifndef HEED_MODELS_VISIT_CLASSIFIER_H_
#define HEED_MODELS_VISIT_CLASSIFIER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"
#include "heed/kernels/sparse.h"
#include "heed/models/roles.h"

namespace heed {

/// Batch of B patients with their visits in order of time, padded to S.
struct VisitBatch {
  /// Row b·S + s has the codes of visit s of patient b; empty for padding.
  std::shared_ptr<const kernels::SparsePattern> codes;
  Tensor lengths;  ///< i32 [B], each at least 1
  /// Time before the last visit, as a feature [B, S, 1]; undefined if unknown.
  Tensor ages;
  int64_t B = 0;
  int64_t S = 0;
};

/// Exact decomposition of one patient's logit: Σ contributions + bias.
struct VisitParts {
  std::vector<double>
      contributions;  ///< [E], indexed by entries of VisitBatch::codes
  double bias = 0;
  /// Attention of each visit [S], and of its features [S][M] in the order of
  /// the output weights; empty without attention.
  std::vector<double> alpha;
  std::vector<std::vector<double>> beta;
};

/// Visit classifier. Observers receive the visit vectors [B, S, M] as "source".
/// Immutable except for its parameters.
class VisitClassifier {
 public:
  virtual ~VisitClassifier() = default;
  /// Log-odds of the outcome after the last visit. Shapes: result [B].
  /// Throws: ShapeError.
  virtual Var Logits(const Context& ctx, const VisitBatch& batch) const = 0;
  /// Decomposition for a batch of one patient, without dropout; nullopt if the
  /// logit is not a sum over codes. Throws: ShapeError.
  virtual std::optional<VisitParts> Parts(const VisitBatch& /*batch*/) const {
    return std::nullopt;
  }
  virtual bool reads_ages() const { return false; }
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

/// Role: classifies sequences of visits.
class VisitSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of visits";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Makes a classifier for `codes` codes; settings must be filled. Throws:
  /// ConfigError.
  virtual std::unique_ptr<VisitClassifier> Make(const Scope& scope,
                                                int64_t codes) const = 0;
};

/// Throws: ShapeError, naming `where`, unless the pattern has B·S rows and
/// `codes` columns, and the lengths are valid.
void CheckVisitBatch(const char* where, const VisitBatch& batch, int64_t codes,
                     bool needs_ages);

}  // namespace heed

#endif  // HEED_MODELS_VISIT_CLASSIFIER_H_
