#include "heed/serve/cost.h"

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/explain/attention_flow.h"

namespace heed {
namespace {

constexpr double kBytesOfToken = 4;
constexpr double kForwardAndBackward = 3;
// Two 16-wide fused multiply-adds per cycle at 3 GHz; twice as many in 16-bit
// formats.
constexpr double kPerSecondAndThread = 200e9;

}  // namespace

double ExplanationPasses(double tokens, double targets,
                         const AttributionOptions& attribution) {
  double passes = 1;
  for (const std::string& method : attribution.methods) {
    if (method == kRollout) continue;
    if (method == "occlusion") {
      passes += targets * tokens;
      continue;
    }
    const int inputs = method == "integrated_gradients" ? attribution.steps
                       : method == "smooth_grad"        ? attribution.samples
                                                        : 1;
    passes += kForwardAndBackward * targets * inputs;
  }
  return passes;
}

double MinSeconds(double multiply_adds) {
  return multiply_adds / (kPerSecondAndThread * ThreadCount());
}

double RowsWithin(double seconds, double weights) {
  return seconds / MinSeconds(std::max(weights, 1.0));
}

double BytesOfTokens(double tokens) { return kBytesOfToken * tokens; }

}  // namespace heed
