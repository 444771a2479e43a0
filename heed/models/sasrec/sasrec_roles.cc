// SASRec.
#include "heed/models/recommender.h"
#include "heed/models/registry.h"
#include "heed/models/transformer/transformer_encoder.h"

namespace heed {
namespace {

/// Item and position embeddings, pre-norm blocks of causal self-attention and
/// point-wise feed-forward layers, and a final norm. Differs from the paper in
/// an output matrix behind the heads, and in biases of queries, keys and
/// values. Paper: Kang and McAuley 2018, arXiv:1808.09781.
class Sasrec
    : public SettingsOf<Sasrec, RecommenderSettings, TransformerConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Visit(FieldList& v) override { config_.VisitEncoder(v); }
  void Fill(int length) override {
    if (config_.max_positions == 0) config_.max_positions = length;
    config_.Fill(model_);
    (void)config_.Resolve(model_);
  }
  int64_t features() const override { return config_.width; }
  std::unique_ptr<TextEncoder> Make(const Scope& scope,
                                    const Embedding& items) const override {
    ResolvedTransformer config = config_.Resolve(model_);
    config.stack.causal = true;
    return std::make_unique<TransformerTextEncoder>(scope, config, items);
  }
};

}  // namespace

std::vector<ModelRow> RecommenderModels() {
  return {{.name = "sasrec",
           .variants = {{"", "causal self-attention over a history of items",
                         "Kang and McAuley 2018, arXiv:1808.09781",
                         "layers=2 width=50 ff=50 heads=1 norm=pre "
                         "activation=relu position=learned tie=output "
                         "embedding_scale=yes embedding_norm=no segments=0 "
                         "dropout=0.2 attention_dropout=0.2 "
                         "activation_dropout=0.2 norm_epsilon=1e-8 "
                         "init=glorot"}},
           .roles = {MakeRole<Sasrec>}}};
}

}  // namespace heed
