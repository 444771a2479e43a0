// Elapsed seconds and medians.
#ifndef HEED_BASE_TIMING_H_
#define HEED_BASE_TIMING_H_

#include <chrono>
#include <vector>

namespace heed {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin);

/// Median; the upper one for an even number of values. Range: at least one
/// value.
double Median(std::vector<double> values);

}  // namespace heed

#endif  // HEED_BASE_TIMING_H_
