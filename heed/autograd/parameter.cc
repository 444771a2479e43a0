#include "heed/autograd/parameter.h"

namespace heed {

void Parameter::Changed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Cache& cache : packed_) cache.valid = false;
}

const kernels::PackedMatrix& Parameter::Packed(bool transpose) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Cache& cache = packed_[transpose ? 1 : 0];
  if (!cache.valid) {
    kernels::Pack(value_, transpose, precision_, cache.matrix);
    cache.valid = true;
  }
  return cache.matrix;
}

}  // namespace heed
