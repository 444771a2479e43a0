// Import of Marian's recurrent models.
#ifndef HEED_CONVERT_MARIAN_RECURRENT_H_
#define HEED_CONVERT_MARIAN_RECURRENT_H_

#include <string>

#include "heed/convert/import_options.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/models/recurrent/recurrent_config.h"

namespace heed {

/// Model of type s2s or amun with a conditional GRU.
struct MarianRecurrent {
  RecurrentConfig config;
  bool amun = false;  // parameter names of Nematus
  bool output_bias = true;
  bool shared_tables = false;  // Wemb of source and target; Heed has two copies

  /// Name of the format in the model registry.
  const char* format() const { return amun ? "marian/amun" : "marian/s2s"; }
};

/// Reads the options. Throws: FormatError with an unsupported option.
MarianRecurrent ReadMarianRecurrent(ImportOptions& options, Notes& notes);

/// Fills all parameters except embedding tables and output biases.
void FillMarianRecurrent(const MarianRecurrent& marian, WeightReader& reader);
/// Marian's name in this model for a parameter of s2s.
std::string MarianName(const MarianRecurrent& marian, const std::string& name);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_RECURRENT_H_
