#include "heed/attention/normalizers/biased.h"

#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class BiasedNormalizer : public Normalizer {
 public:
  /// `bias`: null, or one number for each head [H].
  BiasedNormalizer(Parameter* bias, ScoresOp op, ScoresOp shift)
      : bias_(bias), op_(op), shift_(shift) {}

  Normalized operator()(const Context& ctx, const Var& scores) const override {
    if (bias_ == nullptr) return {op_(scores), {}, {}};
    return {op_(Biased(ctx, shift_ ? shift_(scores) : scores)), {}, {}};
  }

 private:
  Var Biased(const Context& ctx, const Var& scores) const {
    const int64_t heads = bias_->value().numel();
    const int64_t keys = scores.dim(2);
    if (keys == 0) return scores;
    const Var rows = MatMul(Reshape(ctx.Use(*bias_), {heads, 1}),
                            Tensor::Full({1, keys}, 1, scores.value().dtype()));
    return AddBias(scores, Reshape(rows, {1, heads, 1, keys}), heads);
  }

  Parameter* bias_;
  ScoresOp op_;
  ScoresOp shift_;
};

}  // namespace

std::function<std::unique_ptr<Normalizer>(const Scope& scope,
                                          const AttentionSizes& sizes,
                                          std::span<const double> arguments)>
MakeBiasedNormalizer(ScoresOp op, ScoresOp shift) {
  return [op, shift](
             const Scope& scope, const AttentionSizes& sizes,
             std::span<const double> arguments) -> std::unique_ptr<Normalizer> {
    Parameter* bias =
        arguments[0] == 0
            ? nullptr
            : &(scope / "normalizer").Add("bias", {sizes.heads}, kZeroInit);
    return std::make_unique<BiasedNormalizer>(bias, op, shift);
  };
}

}  // namespace heed
