// Helpers of the steps of recurrent cells.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_RNN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_RNN_INL_H_
#undef HEED_KERNELS_CPU_RNN_INL_H_
#else
#define HEED_KERNELS_CPU_RNN_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/rnn.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Units per chunk of work, over all rows; one unit costs one to five tanh.
constexpr int64_t kChunkUnits = 8192;

/// Calls active(zero, b) for the active rows b of `like`, passive(zero, b) for
/// the others, with a zero of its element type.
template <typename Active, typename Passive>
void ForRows(const Tensor& like, int64_t units, StepMask mask,
             const Active& active, const Passive& passive) {
  const int32_t* lengths = mask.lengths != nullptr && mask.lengths->defined()
                               ? mask.lengths->data<int32_t>()
                               : nullptr;
  const int64_t grain = std::max<int64_t>(1, kChunkUnits / (units + 1));
  WithFloat(like, [&](auto zero) HWY_ATTR {
    ParallelFor(like.rows(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t b = begin; b < end; ++b) {
        if (lengths == nullptr || mask.t < lengths[b]) {
          active(zero, b);
        } else {
          passive(zero, b);
        }
      }
    });
  });
}

/// dy (1 - y^2), the gradient through y = tanh(x).
template <typename V>
HWY_INLINE V ThroughTanh(V dy, V y) {
  return hn::NegMulAdd(hn::Mul(dy, y), y, dy);
}

/// dy y (1 - y), the gradient through y = sig(x).
template <typename V>
HWY_INLINE V ThroughSigmoid(V dy, V y) {
  const V t = hn::Mul(dy, y);
  return hn::NegMulAdd(t, y, t);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_RNN_INL_H_
