// Recommenders, which predict the next item of a history.
#ifndef HEED_MODELS_RECOMMENDER_H_
#define HEED_MODELS_RECOMMENDER_H_

#include <cmath>
#include <memory>

#include "heed/models/roles.h"
#include "heed/nn/output_layer.h"
#include "heed/nn/pooling.h"

namespace heed {

/// Role: encodes a history of items, so that the state after each item predicts
/// the next one.
class RecommenderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "recommender";

  /// Replaces "auto" and 0 by the model's defaults for histories of up to
  /// `length` items. Throws: ConfigError.
  virtual void Fill(int length) = 0;
  /// Features of an item, and of a state.
  virtual int64_t features() const = 0;
  /// Makes a causal encoder that looks items up in `items`. Throws:
  /// ConfigError.
  virtual std::unique_ptr<TextEncoder> Make(const Scope& scope,
                                            const Embedding& items) const = 0;
};

/// The score of item i after step t is h_t · e_i, with one table e for
/// histories and scores. Parameters: items.weight [V, M], encoder.
struct Recommender {
  Recommender(const Scope& scope, const RecommenderSettings& settings,
              int64_t count)
      : items(scope / "items", count, settings.features(),
              {Init::Kind::kNormal,
               1 / std::sqrt(static_cast<double>(settings.features()))}),
        output(scope / "output", items, /*bias=*/false),
        last(scope / "last", {.kind = PoolingKind::kLast, .init = {}}),
        encoder(settings.Make(scope / "encoder", items)) {}

  const Embedding items;
  const OutputProjection output;
  const Pooling last;
  const std::unique_ptr<TextEncoder> encoder;
};

}  // namespace heed

#endif  // HEED_MODELS_RECOMMENDER_H_
