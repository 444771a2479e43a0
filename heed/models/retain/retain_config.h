// Configuration of visit classifiers.
#ifndef HEED_MODELS_RETAIN_RETAIN_CONFIG_H_
#define HEED_MODELS_RETAIN_RETAIN_CONFIG_H_

#include "heed/models/settings.h"

namespace heed {

/// Resolved configuration of a Retain or a VisitGru.
struct ResolvedRetain {
  int64_t embedding = 0;   // M
  int64_t units = 0;       // of the α GRU, or of a VisitGru
  int64_t beta_units = 0;  // of the β GRU
  double state_factor = 1;
  double dropout = 0;
  double embedding_dropout = 0;
  bool times = false;
  Init embedding_init, matrix_init, recurrent_init;
};

/// Settings shared by Retain and VisitGru.
struct VisitNetworkConfig : RecurrentNumbers {
  VisitNetworkConfig() { dropout = 0.2; }

  int embedding = 128;
  int units = 128;
  double embedding_dropout = 0;
  Named<YesNo> times = YesNo::kNo;

  void Visit(FieldList& v);
  ResolvedRetain Resolve() const;
};

/// User-facing configuration of RETAIN.
struct RetainConfig : VisitNetworkConfig {
  int beta_units = 0;
  double state_factor = 1;

  void Visit(FieldList& v);
  void Fill();
  ResolvedRetain Resolve() const;
};

/// Empty configuration of logistic regression.
struct LogisticConfig {
  void Visit(FieldList& /*v*/) {}
};

}  // namespace heed

#endif  // HEED_MODELS_RETAIN_RETAIN_CONFIG_H_
