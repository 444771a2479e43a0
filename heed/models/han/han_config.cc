#include "heed/models/han/han_config.h"

namespace heed {

void HanConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384), "features of a token");
  v("cell", cell, "recurrent cell, of words and of sentences");
  v("units", units, Range(1, 16384),
    "features of a state of words, per direction")
      .Alias("hidden")
      .Alias("hidden_size");
  v("sentence_units", sentence_units, Range(0, 16384),
    "features of a state of sentences, per direction; 0: as units");
  v("attention_units", attention_units, Range(0, 16384),
    "features of the hidden layer of pooling attention; 0: as a state in both "
    "directions");
  RecurrentNumbers::VisitDropout(
      v, "features of tokens, of states of words and of states of sentences");
  VisitInit(v);
  VisitPrecision(v, precision);
}

void HanConfig::Fill() {
  if (sentence_units == 0) sentence_units = units;
  if (attention_units == 0) attention_units = 2 * units;
}

ResolvedHan HanConfig::Resolve() const {
  HanConfig c = *this;
  c.Fill();
  ResolvedHan r;
  r.embedding = embedding;
  r.words.cell = cell;
  r.words.units = units;
  r.words.input_init = r.matrix_init = Inits().Matrix();
  r.words.recurrent_init = Inits().Recurrent();
  r.sentences = r.words;
  r.sentences.units = c.sentence_units;
  r.attention_units = c.attention_units;
  r.dropout = dropout;
  r.variational = variational;
  return r;
}

}  // namespace heed
