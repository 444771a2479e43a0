// Cost estimates of requests.
#ifndef HEED_SERVE_COST_H_
#define HEED_SERVE_COST_H_

#include "heed/explain/attribution.h"

namespace heed {

/// Number of forward passes of an explanation; a backward pass counts as two.
double ExplanationPasses(double tokens, double targets,
                         const AttributionOptions& attribution);

/// Lower bound of the time for these multiply-adds on a current processor with
/// all threads. Units: seconds
double MinSeconds(double multiply_adds);

/// Number of rows whose product with a matrix of this many weights takes at
/// least `seconds`.
double RowsWithin(double seconds, double weights);

/// Approximate size of a text with this many tokens. Units: bytes
double BytesOfTokens(double tokens);

}  // namespace heed

#endif  // HEED_SERVE_COST_H_
