// What a request costs, before it is computed.
#ifndef HEED_SERVE_COST_H_
#define HEED_SERVE_COST_H_

#include "heed/explain/attribution.h"

namespace heed {

/// How often an explanation of so many tokens and targets runs the model, a
/// backward pass counted as two forward ones.
double ExplanationPasses(double tokens, double targets,
                         const AttributionOptions& attribution);

/// The least time that a processor of today takes for so many multiply-adds, on
/// all threads of parallel loops. Units: seconds
double LeastSeconds(double multiply_adds);

/// Rows whose product with a matrix of so many weights takes at least so long.
double RowsWithin(double seconds, double weights);

/// The text of so many tokens. Units: bytes
double BytesOfTokens(double tokens);

}  // namespace heed

#endif  // HEED_SERVE_COST_H_
