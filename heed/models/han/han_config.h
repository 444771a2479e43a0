// Configuration of hierarchical attention networks.
#ifndef HEED_MODELS_HAN_HAN_CONFIG_H_
#define HEED_MODELS_HAN_HAN_CONFIG_H_

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// What a HierarchicalReader is made of.
struct ResolvedHan {
  int64_t embedding = 0;
  EncoderOptions words;      // but for its inputs
  EncoderOptions sentences;  // but for its inputs
  int64_t attention_units = 0;
  double dropout = 0;
  bool variational = false;
  Init matrix_init;
};

/// As the user writes it; 0 is what suits the rest.
struct HanConfig : RecurrentNumbers {
  HanConfig() { dropout = 0.3; }

  int embedding = 200;
  Named<Cell> cell = Cell::kGru;
  int units = 50;
  int sentence_units = 0;
  int attention_units = 0;

  void Visit(FieldList& v);
  void Fill();
  ResolvedHan Resolve() const;
};

}  // namespace heed

#endif  // HEED_MODELS_HAN_HAN_CONFIG_H_
