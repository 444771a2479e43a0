// What reads the visits of patients and gives the odds of an outcome.
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

/// B patients side by side, in the order of time, padded at the end to S
/// visits.
struct VisitBatch {
  /// Row b·S + s has the codes of visit s of patient b; none behind the last.
  std::shared_ptr<const kernels::SparsePattern> codes;
  Tensor lengths;  ///< i32 [B], each at least 1
  /// How long before the last visit each was, as a feature [B, S, 1];
  /// undefined: not known.
  Tensor ages;
  int64_t B = 0;
  int64_t S = 0;
};

/// How a logit is made up, exactly: Σ contributions + bias. Of one patient.
struct VisitParts {
  std::vector<double> contributions;  ///< [E], by entries of VisitBatch::codes
  double bias = 0;
  /// Attention of each visit [S], and of its features [S][M], the latter in
  /// the order of their weights in the output; empty where there is none.
  std::vector<double> alpha;
  std::vector<std::vector<double>> beta;
};

/// An observer knows the vectors of visits [B, S, M] as "source". Immutable but
/// for its parameters.
class VisitClassifier {
 public:
  virtual ~VisitClassifier() = default;
  /// Log-odds of the outcome after the last visit. Shapes: result [B].
  /// Throws: ShapeError.
  virtual Var Logits(const Context& ctx, const VisitBatch& batch) const = 0;
  /// Of a batch of one patient, without dropout; nothing if a model's logit is
  /// no sum over codes. Throws: ShapeError.
  virtual std::optional<VisitParts> Parts(const VisitBatch& /*batch*/) const {
    return std::nullopt;
  }
  virtual bool reads_ages() const { return false; }
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

/// Reads visits of codes.
class VisitSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of visits";

  /// As TranslatorSettings::Fill.
  virtual void Fill() = 0;
  /// Of settings that are filled, for so many codes. Throws: ConfigError.
  virtual std::unique_ptr<VisitClassifier> Make(const Scope& scope,
                                                int64_t codes) const = 0;
};

/// Throws: ShapeError, naming `where`, unless the pattern has B·S rows and
/// `codes` columns, and the lengths fit.
void CheckVisitBatch(const char* where, const VisitBatch& batch, int64_t codes,
                     bool needs_ages);

}  // namespace heed

#endif  // HEED_MODELS_VISIT_CLASSIFIER_H_
