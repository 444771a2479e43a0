// Marian's recurrent models in Heed's terms.
#ifndef HEED_CONVERT_MARIAN_RECURRENT_H_
#define HEED_CONVERT_MARIAN_RECURRENT_H_

#include <string>

#include "heed/convert/import_options.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/models/recurrent/recurrent_config.h"

namespace heed {

/// Types s2s and amun with a conditional GRU.
struct MarianRecurrent {
  RecurrentConfig config;
  bool amun = false;  // names as Nematus gave them
  bool output_bias = true;
  bool shared_tables = false;  // Wemb of source and target, in Heed two copies

  /// What the registry of models calls it.
  const char* format() const { return amun ? "marian/amun" : "marian/s2s"; }
};

/// Throws: FormatError that names an option that Heed cannot do.
MarianRecurrent ReadMarianRecurrent(ImportOptions& options, Notes& notes);

/// All but tables of tokens and the biases of their scores.
void FillMarianRecurrent(const MarianRecurrent& marian, WeightReader& reader);
/// What Marian calls a parameter of s2s in this model.
std::string MarianName(const MarianRecurrent& marian, const std::string& name);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_RECURRENT_H_
