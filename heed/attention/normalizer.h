// Normalisers: from scores to weights. Each is one small file in normalizers/
// and one line in registry.cc.
#ifndef HEED_ATTENTION_NORMALIZER_H_
#define HEED_ATTENTION_NORMALIZER_H_

#include <string>
#include <vector>

#include "heed/attention/part.h"
#include "heed/autograd/context.h"

namespace heed {

/// Weights [N, T, S]; for a hard sample also its log-probability and the
/// entropy of its distribution [N, T], which REINFORCE needs.
struct Normalized {
  Var weights;
  Var log_probability;
  Var entropy;
};

/// Immutable; thread-safe.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// A score of −∞ gets weight 0; a row of −∞ gets zeros. Shapes: scores [N, T,
  /// S].
  virtual Normalized operator()(const Context& ctx,
                                const Var& scores) const = 0;
  /// True for the softmax that the fused kernel computes.
  virtual bool fused() const { return false; }
};

using NormalizerInfo = PartInfo<Normalizer>;

const std::vector<NormalizerInfo>& Normalizers();
/// Registers a normaliser; call before any other use of the registry and before
/// threads start. Throws: ConfigError if the name is taken.
void AddNormalizer(NormalizerInfo row);
/// Throws: ConfigError that lists the names.
Choice<Normalizer> ChooseNormalizer(const std::string& text);

}  // namespace heed

#endif  // HEED_ATTENTION_NORMALIZER_H_
