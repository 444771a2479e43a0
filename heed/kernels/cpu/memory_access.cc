#include "heed/kernels/memory_access.h"

#include <cassert>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/memory_access.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Batch rows per chunk; each element of the memory costs about `passes`
/// operations per head.
inline int64_t MemoryGrain(const Tensor& memory, int64_t heads,
                           int64_t passes) {
  return RowGrain(memory.dim(1) * memory.dim(2) * heads * passes);
}

void WriteRows(const Tensor& memory, const Tensor& weights, const Tensor& erase,
               const Tensor& add, Tensor& y) {
  const int64_t heads = weights.dim(1);
  const int64_t features = memory.dim(1);
  const int64_t slots = memory.dim(2);
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(memory.dim(0), MemoryGrain(memory, heads, 2),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t b = begin; b < end; ++b) {
                    const T* w = weights.data<T>() + b * heads * slots;
                    const T* e = erase.row<T>(b);
                    const T* a = add.row<T>(b);
                    for (int64_t f = 0; f < features; ++f) {
                      const T* from = memory.row<T>(b * features + f);
                      T* to = y.row<T>(b * features + f);
                      ForLanes<T>(slots, [&](auto lanes, int64_t i) HEED_LANES {
                        auto kept = lanes.Load(from + i);
                        auto added = hn::Zero(lanes.d);
                        for (int64_t h = 0; h < heads; ++h) {
                          const auto wi = lanes.Load(w + h * slots + i);
                          const auto eh = hn::Set(lanes.d, e[h * features + f]);
                          const auto ah = hn::Set(lanes.d, a[h * features + f]);
                          kept = hn::NegMulAdd(hn::Mul(wi, eh), kept, kept);
                          added = hn::MulAdd(wi, ah, added);
                        }
                        lanes.Store(hn::Add(kept, added), to + i);
                      });
                    }
                  }
                });
  });
}

/// Writing of one head to one feature of a batch row.
template <typename T>
struct WriteShare {
  int64_t slots, heads, head, features, feature;
  const T* w;   // [H, N]
  const T* e;   // [H, F]
  const T* dy;  // [N]
  const T* m;   // [N]

  /// Content of slot i after erasure by all other heads.
  template <class Lanes>
  HWY_INLINE auto Kept(const Lanes& lanes, int64_t i) const {
    auto kept = lanes.Load(m + i);
    for (int64_t j = 0; j < heads; ++j) {
      if (j == head) continue;
      const auto we = hn::Mul(lanes.Load(w + j * slots + i),
                              hn::Set(lanes.d, e[j * features + feature]));
      kept = hn::NegMulAdd(we, kept, kept);
    }
    return kept;
  }
};

/// Adds to dw; returns the gradients of erase and add of this feature.
template <typename T>
HWY_ATTR std::pair<T, T> WriteShareGrad(const WriteShare<T>& s, T e, T a,
                                        T* dw) {
  const T* w = s.w + s.head * s.slots;
  WideVector<T> de;
  WideVector<T> da;
  ForParts<T>(s.slots, [&](auto lanes, int64_t i) HEED_LANES {
    const auto dyi = lanes.Load(s.dy + i);
    const auto wi = lanes.Load(w + i);
    const auto kept = s.Kept(lanes, i);
    const auto slope =
        hn::NegMulAdd(hn::Set(lanes.d, e), kept, hn::Set(lanes.d, a));
    lanes.Store(hn::MulAdd(dyi, slope, lanes.Load(dw + i)), dw + i);
    const auto dyw = hn::Mul(dyi, wi);
    de[lanes.kPart] = hn::NegMulAdd(dyw, kept, de[lanes.kPart]);
    da[lanes.kPart] = hn::Add(dyw, da[lanes.kPart]);
  });
  return {de.Sum(), da.Sum()};
}

void WriteRowsGrad(const Tensor& dy, const Tensor& memory,
                   const Tensor& weights, const Tensor& erase,
                   const Tensor& add, MemoryWriteGrads& grads,
                   Tensor& dmemory) {
  const int64_t heads = weights.dim(1);
  const int64_t features = memory.dim(1);
  const int64_t slots = memory.dim(2);
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(memory.dim(0), MemoryGrain(memory, heads * heads, 4),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t b = begin; b < end; ++b) {
                    const T* w = weights.data<T>() + b * heads * slots;
                    T* dw = grads.weights.data<T>() + b * heads * slots;
                    const T* e = erase.row<T>(b);
                    const T* a = add.row<T>(b);
                    for (int64_t f = 0; f < features; ++f) {
                      const T* d = dy.row<T>(b * features + f);
                      const T* m = memory.row<T>(b * features + f);
                      for (int64_t h = 0; h < heads; ++h) {
                        const int64_t at = h * features + f;
                        const auto [de, da] = WriteShareGrad<T>(
                            {slots, heads, h, features, f, w, e, d, m}, e[at],
                            a[at], dw + h * slots);
                        grads.erase.row<T>(b)[at] = de;
                        grads.add.row<T>(b)[at] = da;
                      }
                      if (!dmemory.defined()) continue;
                      T* dm = dmemory.row<T>(b * features + f);
                      ForLanes<T>(slots, [&](auto lanes, int64_t i) HEED_LANES {
                        auto kept = lanes.Load(d + i);
                        for (int64_t h = 0; h < heads; ++h) {
                          const auto we =
                              hn::Mul(lanes.Load(w + h * slots + i),
                                      hn::Set(lanes.d, e[h * features + f]));
                          kept = hn::NegMulAdd(we, kept, kept);
                        }
                        lanes.Store(hn::Add(lanes.Load(dm + i), kept), dm + i);
                      });
                    }
                  }
                });
  });
}

void ReadRows(const Tensor& memory, const Tensor& weights, Tensor& y) {
  const int64_t heads = weights.dim(1);
  const int64_t features = memory.dim(1);
  const int64_t slots = memory.dim(2);
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(memory.dim(0), MemoryGrain(memory, heads, 1),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t b = begin; b < end; ++b) {
                    for (int64_t h = 0; h < heads; ++h) {
                      const T* w = weights.data<T>() + (b * heads + h) * slots;
                      for (int64_t f = 0; f < features; ++f) {
                        y.row<T>(b)[h * features + f] = SumSpan<T>(
                            slots,
                            [](auto, auto x, auto m)
                                HEED_LANES { return hn::Mul(x, m); },
                            w, memory.row<T>(b * features + f));
                      }
                    }
                  }
                });
  });
}

void ReadRowsGrad(const Tensor& dy, const Tensor& memory, const Tensor& weights,
                  Tensor& dweights, Tensor& dmemory) {
  const int64_t heads = weights.dim(1);
  const int64_t features = memory.dim(1);
  const int64_t slots = memory.dim(2);
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(
        memory.dim(0), MemoryGrain(memory, heads, 3),
        [&](int64_t begin, int64_t end) HWY_ATTR {
          for (int64_t b = begin; b < end; ++b) {
            const T* w = weights.data<T>() + b * heads * slots;
            const T* d = dy.row<T>(b);
            for (int64_t h = 0; h < heads; ++h) {
              ForLanes<T>(slots, [&](auto lanes, int64_t i) HEED_LANES {
                auto sum = hn::Zero(lanes.d);
                for (int64_t f = 0; f < features; ++f) {
                  sum = hn::MulAdd(
                      hn::Set(lanes.d, d[h * features + f]),
                      lanes.Load(memory.row<T>(b * features + f) + i), sum);
                }
                lanes.Store(sum,
                            dweights.data<T>() + (b * heads + h) * slots + i);
              });
            }
            if (!dmemory.defined()) continue;
            for (int64_t f = 0; f < features; ++f) {
              T* dm = dmemory.row<T>(b * features + f);
              ForLanes<T>(slots, [&](auto lanes, int64_t i) HEED_LANES {
                auto sum = lanes.Load(dm + i);
                for (int64_t h = 0; h < heads; ++h) {
                  sum = hn::MulAdd(hn::Set(lanes.d, d[h * features + f]),
                                   lanes.Load(w + h * slots + i), sum);
                }
                lanes.Store(sum, dm + i);
              });
            }
          }
        });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(WriteRows);
HWY_EXPORT(WriteRowsGrad);
HWY_EXPORT(ReadRows);
HWY_EXPORT(ReadRowsGrad);

Tensor WriteMemory(const Tensor& memory, const Tensor& weights,
                   const Tensor& erase, const Tensor& add) {
  assert(memory.contiguous() && weights.contiguous());
  Tensor y(memory.shape(), memory.dtype());
  HWY_DYNAMIC_DISPATCH(WriteRows)(memory, weights, erase, add, y);
  return y;
}

MemoryWriteGrads WriteMemoryGrad(const Tensor& dy, const Tensor& memory,
                                 const Tensor& weights, const Tensor& erase,
                                 const Tensor& add, Tensor& dmemory) {
  assert(dy.contiguous() && memory.contiguous() && weights.contiguous());
  MemoryWriteGrads grads{Tensor::Zeros(weights.shape(), memory.dtype()),
                         Tensor(erase.shape(), memory.dtype()),
                         Tensor(add.shape(), memory.dtype())};
  HWY_DYNAMIC_DISPATCH(WriteRowsGrad)
  (dy, memory, weights, erase, add, grads, dmemory);
  return grads;
}

Tensor ReadMemory(const Tensor& memory, const Tensor& weights) {
  assert(memory.contiguous() && weights.contiguous());
  Tensor y({memory.dim(0), weights.dim(1) * memory.dim(1)}, memory.dtype());
  HWY_DYNAMIC_DISPATCH(ReadRows)(memory, weights, y);
  return y;
}

Tensor ReadMemoryGrad(const Tensor& dy, const Tensor& memory,
                      const Tensor& weights, Tensor& dmemory) {
  assert(memory.contiguous() && weights.contiguous());
  Tensor dweights(weights.shape(), memory.dtype());
  HWY_DYNAMIC_DISPATCH(ReadRowsGrad)(dy, memory, weights, dweights, dmemory);
  return dweights;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
