// e = 0: all visible keys get equal weight. With the mask Adjacency it is the
// mean over a node and its neighbours; elsewhere a baseline without attention.
// (A graph convolution divides by the roots of both degrees instead:
// models/graph/graph_convolution.h.) Paper: Hamilton et al. 2017,
// arXiv:1706.02216, eq. 2.
#include "heed/attention/scores/scores.h"

namespace heed {
namespace {

class UniformScore : public ProductScore {
 public:
  UniformScore(const Scope& /*scope*/, const AttentionSizes& n,
               std::span<const double> /*arguments*/)
      : heads_(n.heads), key_heads_(n.key_heads) {}

  Var PrepareKeys(const Context& /*ctx*/, const Var& keys) const override {
    return Zeros(keys, key_heads_);
  }
  Var PrepareQuery(const Context& /*ctx*/, const Var& query,
                   int64_t /*batch*/) const override {
    return Zeros(query, heads_);
  }
  bool turns() const override { return false; }

 private:
  /// Placeholder with one number for each head; x gives only its sizes.
  static Var Zeros(const Var& x, int64_t heads) {
    return Tensor::Zeros({x.dim(0), x.dim(1), heads}, x.value().dtype());
  }

  int64_t heads_;
  int64_t key_heads_;
};

}  // namespace

ScoreInfo UniformInfo() {
  return {.name = "uniform",
          .formula = "0",
          .source = "Hamilton et al. 2017, arXiv:1706.02216",
          .arguments = {},
          .make = MakeScore<UniformScore>};
}

}  // namespace heed
