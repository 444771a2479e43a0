#include "heed/models/attention_sum/attention_sum_config.h"

namespace heed {

void AttentionSumConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384),
    "features of a word, of passages and of questions");
  v("cell", cell, "recurrent cell");
  v("units", units, Range(1, 16384),
    "features of a state of words, per direction")
      .Alias("hidden")
      .Alias("hidden_size");
  v("hops", hops, Range(1, 16),
    "number of times that the passage is attended to; use more than 1 if an "
    "answer needs several sentences")
      .Main();
  v("reread", reread,
    "with several hops: read the passage again before each, with states "
    "multiplied by the previous query");
  v("query", query,
    "query of the first hop: the question, or one learnt vector for all "
    "questions (blind), to measure what can be guessed without the question");
  RecurrentNumbers::VisitDropout(v, "features of words and of their states");
  VisitInit(v);
  VisitPrecision(v, precision);
}

ResolvedAttentionSum AttentionSumConfig::Resolve() const {
  ResolvedAttentionSum r;
  r.embedding = embedding;
  r.reader.cell = cell;
  r.reader.units = units;
  r.reader.input_init = r.matrix_init = Inits().Matrix();
  r.reader.recurrent_init = Inits().Recurrent();
  r.hops = hops;
  r.rereads = reread == YesNo::kYes;
  r.query = query;
  r.dropout = dropout;
  r.variational = variational;
  return r;
}

}  // namespace heed
