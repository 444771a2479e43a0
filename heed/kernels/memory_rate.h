// Measurement of the memory bandwidth of this machine.
#ifndef HEED_KERNELS_MEMORY_RATE_H_
#define HEED_KERNELS_MEMORY_RATE_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Rate at which all threads together read `large` (f32), which must be much
/// larger than the caches. Units: bytes per second.
double MeasureReadRate(const Tensor& large);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MEMORY_RATE_H_
