// Seconds, and the middle of several measurements.
#ifndef HEED_BASE_TIMING_H_
#define HEED_BASE_TIMING_H_

#include <chrono>
#include <vector>

namespace heed {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin);

/// The greater middle one of an even number. Range: at least one value.
double Median(std::vector<double> values);

}  // namespace heed

#endif  // HEED_BASE_TIMING_H_
