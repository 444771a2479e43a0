// Configuration of hierarchical attention networks.
#ifndef HEED_MODELS_HAN_HAN_CONFIG_H_
#define HEED_MODELS_HAN_HAN_CONFIG_H_

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Resolved configuration of a HierarchicalReader.
struct ResolvedHan {
  int64_t embedding = 0;
  EncoderOptions words;      // without its inputs
  EncoderOptions sentences;  // without its inputs
  int64_t attention_units = 0;
  double dropout = 0;
  bool variational = false;
  Init matrix_init;
};

/// User-facing configuration; 0 selects a size that suits the other settings.
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
