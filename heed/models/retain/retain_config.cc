#include "heed/models/retain/retain_config.h"

namespace heed {

void VisitNetworkConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384),
    "features of a code, and of a visit, which is the sum of its codes");
  v("units", units, Range(1, 16384),
    "features of a state of the GRU (of visit weights)");
  v("times", times,
    "add the time of each visit before the last one as a feature, log(1 + "
    "time); needs \"times\" in the input");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop an input of the output layer");
  v("embedding_dropout", embedding_dropout, UpToBelow(0, 1),
    "probability to drop a feature of a visit");
  VisitInit(v);
  VisitPrecision(v, precision);
}

ResolvedRetain VisitNetworkConfig::Resolve() const {
  ResolvedRetain r;
  r.embedding = embedding;
  r.units = units;
  r.dropout = dropout;
  r.embedding_dropout = embedding_dropout;
  r.times = times == YesNo::kYes;
  r.embedding_init = kEmbeddingInit;
  r.matrix_init = Inits().Matrix();
  r.recurrent_init = Inits().Recurrent();
  return r;
}

void RetainConfig::Visit(FieldList& v) {
  VisitNetworkConfig::Visit(v);
  v("beta_units", beta_units, Range(0, 16384),
    "features of a state of the GRU of feature weights; 0: as units");
  v("state_factor", state_factor, Range(0.01, 1),
    "factor of the states of both GRUs; 0.5 as in the authors' code, 1 as in "
    "the paper");
}

void RetainConfig::Fill() {
  if (beta_units == 0) beta_units = units;
}

ResolvedRetain RetainConfig::Resolve() const {
  ResolvedRetain r = VisitNetworkConfig::Resolve();
  r.beta_units = beta_units == 0 ? units : beta_units;
  r.state_factor = state_factor;
  return r;
}

}  // namespace heed
