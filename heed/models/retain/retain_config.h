// Configuration of classifiers of visits.
#ifndef HEED_MODELS_RETAIN_RETAIN_CONFIG_H_
#define HEED_MODELS_RETAIN_RETAIN_CONFIG_H_

#include "heed/models/settings.h"

namespace heed {

/// What a Retain or a VisitGru is made of.
struct ResolvedRetain {
  int64_t embedding = 0;   // M
  int64_t units = 0;       // of the GRU of α, or of a plain one
  int64_t beta_units = 0;  // of the GRU of β
  double state_factor = 1;
  double dropout = 0;
  double embedding_dropout = 0;
  bool times = false;
  Init embedding_init, matrix_init, recurrent_init;
};

/// Numbers that both kinds of networks have.
struct VisitNetworkConfig : RecurrentNumbers {
  VisitNetworkConfig() { dropout = 0.2; }

  int embedding = 128;
  int units = 128;
  double embedding_dropout = 0;
  Named<YesNo> times = YesNo::kNo;

  void Visit(FieldList& v);
  ResolvedRetain Resolve() const;
};

/// RETAIN as the user writes it.
struct RetainConfig : VisitNetworkConfig {
  int beta_units = 0;
  double state_factor = 1;

  void Visit(FieldList& v);
  void Fill();
  ResolvedRetain Resolve() const;
};

/// A sum over codes has nothing to choose.
struct LogisticConfig {
  void Visit(FieldList& /*v*/) {}
};

}  // namespace heed

#endif  // HEED_MODELS_RETAIN_RETAIN_CONFIG_H_
