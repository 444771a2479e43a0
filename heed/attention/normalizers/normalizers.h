// The makers of all normalisers, for the registry.
#ifndef HEED_ATTENTION_NORMALIZERS_NORMALIZERS_H_
#define HEED_ATTENTION_NORMALIZERS_NORMALIZERS_H_

#include "heed/attention/normalizer.h"

namespace heed {

NormalizerInfo Entmax15Info();
NormalizerInfo GumbelInfo();
NormalizerInfo HardInfo();
NormalizerInfo SigmoidInfo();
NormalizerInfo SmoothedSigmoidInfo();
NormalizerInfo SoftmaxInfo();
NormalizerInfo SparsemaxInfo();
NormalizerInfo TopKInfo();

/// Normaliser given as one op of scores and arguments.
using NormalizerOp = Normalized (*)(const Context& ctx, const Var& scores,
                                    const std::vector<double>& arguments);

/// PartInfo::make of a normaliser given as one op; `fused`: see Normalizer.
inline auto MakeNormalizer(NormalizerOp op, bool fused = false) {
  class OpNormalizer : public Normalizer {
   public:
    OpNormalizer(NormalizerOp op, bool fused, std::span<const double> arguments)
        : op_(op),
          fused_(fused),
          arguments_(arguments.begin(), arguments.end()) {}
    Normalized operator()(const Context& ctx,
                          const Var& scores) const override {
      return op_(ctx, scores, arguments_);
    }
    bool fused() const override { return fused_; }

   private:
    NormalizerOp op_;
    bool fused_;
    std::vector<double> arguments_;
  };
  return [op, fused](
             const Scope& /*scope*/, const AttentionSizes& /*sizes*/,
             std::span<const double> arguments) -> std::unique_ptr<Normalizer> {
    return std::make_unique<OpNormalizer>(op, fused, arguments);
  };
}

/// PartInfo::make of a normaliser given as one op of scores alone.
template <Var (*op)(const Var& scores)>
auto MakeNormalizer(bool fused = false) {
  return MakeNormalizer(
      [](const Context& /*ctx*/, const Var& scores,
         const std::vector<double>& /*arguments*/) {
        return Normalized{op(scores), {}, {}};
      },
      fused);
}

}  // namespace heed

#endif  // HEED_ATTENTION_NORMALIZERS_NORMALIZERS_H_
