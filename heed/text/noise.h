// Random changes of training text.
#ifndef HEED_TEXT_NOISE_H_
#define HEED_TEXT_NOISE_H_

#include <string>
#include <string_view>

#include "heed/base/config.h"
#include "heed/base/rng.h"

namespace heed {

/// Probabilities of changes to a line, so that a model also learns to read text
/// in capitals and with typing errors.
struct NoiseOptions {
  double noise_case = 0;   // of a line
  double noise_typos = 0;  // of a word

  void Visit(FieldList& v);
  bool any() const { return noise_case > 0 || noise_typos > 0; }
};

/// Changes each word with probability `noise_typos`: swaps two adjacent letters
/// or drops or doubles a letter. Then, with probability `noise_case`, writes
/// the whole line in upper case or each word with a capital. Keeps the number
/// of words.
std::string AddNoise(std::string_view line, const NoiseOptions& options,
                     Rng& rng);

}  // namespace heed

#endif  // HEED_TEXT_NOISE_H_
