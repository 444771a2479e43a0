#include "heed/kernels/memory_addressing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/memory_addressing.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

template <typename T>
T ScalarSoftplus(T x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
template <typename T>
T ScalarSigmoid(T x) {
  const T e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// Sizes of an addressing.
struct AddressSizes {
  AddressSizes(const Tensor& numbers, const Tensor& memory, int64_t heads)
      : features(memory.dim(1)),
        slots(memory.dim(2)),
        shifts(numbers.cols() / heads - features - 3) {}

  int64_t reach() const { return (shifts - 1) / 2; }
  /// Size of a trace: cosines, inverse lengths, contents, moved; then mixed
  /// with a margin.
  int64_t trace() const { return 4 * slots + margined(); }
  int64_t margined() const { return slots + shifts - 1; }

  int64_t features, slots, shifts;
};

/// Named pointers into the numbers of a head.
template <typename T>
struct HeadNumbers {
  HeadNumbers(const AddressSizes& n, const T* numbers)
      : strength(numbers + n.features),
        gate(strength + 1),
        shift(strength + 2),
        sharpening(shift + n.shifts) {}
  HeadNumbers(const AddressSizes& n, T* numbers)
      : HeadNumbers(n, static_cast<const T*>(numbers)) {}

  const T* strength;
  const T* gate;
  const T* shift;
  const T* sharpening;
};

/// Named pointers into the trace of a head.
template <typename T>
struct HeadTrace {
  HeadTrace(const AddressSizes& n, T* trace)
      : cosines(trace),
        inverse(trace + n.slots),
        content(trace + 2 * n.slots),
        moved(trace + 3 * n.slots),
        mixed(trace + 4 * n.slots) {}

  T* cosines;
  T* inverse;  // inverse lengths of slots
  T* content;
  T* moved;
  T* mixed;  // from slot -R to N + R - 1, circular
};

/// Fills the margins of a circular array: x holds elements -margin to n +
/// margin - 1.
template <typename T>
void CloseCircle(int64_t n, int64_t margin, T* x) {
  T* own = x + margin;
  for (int64_t i = 1; i <= margin; ++i) own[-i] = own[n - 1 - (i - 1) % n];
  for (int64_t i = 0; i < margin; ++i) own[n + i] = own[i % n];
}

/// Key k = tanh(p) of F features, and 1 / |k|.
template <typename T>
T KeyOf(int64_t features, const T* numbers, T* key) {
  MapSpan(
      features, [](auto d, auto v) HEED_LANES { return Tanh(d, v); }, key,
      numbers);
  const T squares = SumSpan<T>(
      features, [](auto, auto v) HEED_LANES { return hn::Mul(v, v); }, key);
  return 1 / std::sqrt(squares + static_cast<T>(kCosineEpsilon));
}

/// Cosines of slots with a key k / |k|, and inverse lengths of slots.
template <typename T>
void CosinesOf(const AddressSizes& n, const T* memory, const T* key,
               T inverse_key, HeadTrace<T>& trace) {
  ForLanes<T>(n.slots, [&](auto lanes, int64_t i) HEED_LANES {
    auto dot = hn::Zero(lanes.d);
    auto squares = hn::Set(lanes.d, static_cast<T>(kCosineEpsilon));
    for (int64_t f = 0; f < n.features; ++f) {
      const auto m = lanes.Load(memory + f * n.slots + i);
      dot = hn::MulAdd(hn::Set(lanes.d, key[f]), m, dot);
      squares = hn::MulAdd(m, m, squares);
    }
    const auto inverse = hn::Div(hn::Set(lanes.d, T(1)), hn::Sqrt(squares));
    lanes.Store(inverse, trace.inverse + i);
    lanes.Store(hn::Mul(dot, hn::Mul(inverse, hn::Set(lanes.d, inverse_key))),
                trace.cosines + i);
  });
}

template <typename T>
void AddressHead(const AddressSizes& n, const T* numbers, const T* previous,
                 const T* memory, T* key, T* shift, T* trace_row, T* weights) {
  const HeadNumbers<T> head(n, numbers);
  HeadTrace<T> trace(n, trace_row);
  const T inverse_key = KeyOf(n.features, numbers, key);
  CosinesOf(n, memory, key, inverse_key, trace);
  const T strength = ScalarSoftplus(*head.strength);
  MapSpan(
      n.slots,
      [=](auto d, auto v)
          HEED_LANES { return hn::Mul(v, hn::Set(d, strength)); },
      trace.content, trace.cosines);
  SoftmaxSpan(n.slots, trace.content, trace.content);

  const T gate = ScalarSigmoid(*head.gate);
  T* mixed = trace.mixed + n.reach();
  MapSpan(
      n.slots,
      [=](auto d, auto c, auto p)
          HEED_LANES { return hn::MulAdd(hn::Set(d, gate), hn::Sub(c, p), p); },
      mixed, trace.content, previous);
  CloseCircle(n.slots, n.reach(), trace.mixed);
  SoftmaxSpan(n.shifts, head.shift, shift);

  // t(i) = sum_o s(o) m(i - o), beginning with o = R. Powers are relative to
  // the largest, so that they neither all underflow nor overflow.
  const T sharpening = 1 + ScalarSoftplus(*head.sharpening);
  ForLanes<T>(n.slots, [&](auto lanes, int64_t i) HEED_LANES {
    auto sum = hn::Zero(lanes.d);
    for (int64_t o = 0; o < n.shifts; ++o) {
      sum = hn::MulAdd(hn::Set(lanes.d, shift[n.shifts - 1 - o]),
                       lanes.Load(trace.mixed + i + o), sum);
    }
    sum = hn::Max(sum, hn::Zero(lanes.d));
    lanes.Store(sum, trace.moved + i);
    lanes.Store(hn::Mul(Log(lanes.d, sum), hn::Set(lanes.d, sharpening)),
                weights + i);
  });
  SoftmaxSpan(n.slots, weights, weights);
}

void AddressRows(const Tensor& numbers, const Tensor& previous,
                 const Tensor& memory, MemoryAddress& address,
                 Tensor& scratch) {
  const int64_t heads = previous.dim(1);
  const AddressSizes n(numbers, memory, heads);
  const int64_t size = numbers.cols() / heads;
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(memory.dim(0), RowGrain(n.features * n.slots * heads * 3),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t b = begin; b < end; ++b) {
                    T* key = scratch.row<T>(b);
                    for (int64_t h = 0; h < heads; ++h) {
                      const int64_t r = b * heads + h;
                      AddressHead(n, numbers.data<T>() + r * size,
                                  previous.data<T>() + r * n.slots,
                                  memory.data<T>() + b * n.features * n.slots,
                                  key, key + n.features,
                                  address.trace.data<T>() + r * n.trace(),
                                  address.weights.data<T>() + r * n.slots);
                    }
                  }
                });
  });
}

/// Intermediate values of a head's gradient, in one row of scratch.
template <typename T>
struct AddressScratch {
  AddressScratch(const AddressSizes& n, T* p)
      : key(p),
        dkey(key + n.features),
        shift(dkey + n.features),
        dshift(shift + n.shifts),
        dmixed(dshift + n.shifts),
        slope(dmixed + n.slots),
        pull(slope + n.slots),
        dmoved(pull + n.slots) {}
  static int64_t Size(const AddressSizes& n) {
    return 2 * n.features + 2 * n.shifts + 3 * n.slots + n.margined();
  }

  T *key, *dkey, *shift, *dshift, *dmixed, *slope, *pull;
  T* dmoved;  // with a margin
};

/// Gradient of sharpening: sets dmoved, returns the gradient of the exponent.
template <typename T>
T SharpenBack(int64_t slots, T sharpening, const T* dw, const T* w,
              const T* moved, T* dmoved) {
  const T mean = SumSpan<T>(
      slots, [](auto, auto x, auto y) HEED_LANES { return hn::Mul(x, y); }, dw,
      w);
  MapSpan(
      slots,
      [=](auto d, auto dwi, auto wi, auto mi) HEED_LANES {
        const auto away = hn::Sub(dwi, hn::Set(d, mean));
        const auto ratio =
            hn::IfThenElseZero(hn::Gt(mi, hn::Zero(d)), hn::Div(wi, mi));
        return hn::Mul(hn::Mul(ratio, away), hn::Set(d, sharpening));
      },
      dmoved, dw, w, moved);
  return SumSpan<T>(
      slots,
      [=](auto d, auto dwi, auto wi, auto mi) HEED_LANES {
        const auto away = hn::Mul(wi, hn::Sub(dwi, hn::Set(d, mean)));
        return hn::IfThenElseZero(hn::Gt(mi, hn::Zero(d)),
                                  hn::Mul(away, Log(d, mi)));
      },
      dw, w, moved);
}

/// Gradient of cosines: dkey of the unit key, and the memory's part.
template <typename T>
void CosinesBack(const AddressSizes& n, const T* memory, T inverse_key,
                 const HeadTrace<T>& trace, AddressScratch<T>& s, T* dmemory) {
  // slope(i) = dcos(i) / |M(i)|, pull(i) = slope(i) cos(i) / |M(i)|.
  MapSpan(
      n.slots, [](auto, auto dc, auto r) HEED_LANES { return hn::Mul(dc, r); },
      s.slope, s.slope, trace.inverse);
  MapSpan(
      n.slots,
      [](auto, auto u, auto c, auto r)
          HEED_LANES { return hn::Mul(u, hn::Mul(c, r)); },
      s.pull, s.slope, trace.cosines, trace.inverse);
  for (int64_t f = 0; f < n.features; ++f) {
    const T* m = memory + f * n.slots;
    s.dkey[f] = SumSpan<T>(
        n.slots, [](auto, auto x, auto y) HEED_LANES { return hn::Mul(x, y); },
        s.slope, m);
    if (dmemory == nullptr) continue;
    T* dm = dmemory + f * n.slots;
    const T unit = s.key[f] * inverse_key;
    MapSpan(
        n.slots,
        [=](auto d, auto sum, auto u, auto v, auto mi) HEED_LANES {
          return hn::NegMulAdd(v, mi, hn::MulAdd(u, hn::Set(d, unit), sum));
        },
        dm, dm, s.slope, s.pull, m);
  }
}

template <typename T>
void AddressHeadGrad(const AddressSizes& n, const T* dw, const T* w,
                     const T* numbers, const T* previous, const T* memory,
                     const HeadTrace<T>& trace, T* scratch, T* dnumbers,
                     T* dprevious, T* dmemory) {
  const HeadNumbers<T> head(n, numbers);
  AddressScratch<T> s(n, scratch);
  const int64_t reach = n.reach();
  const T inverse_key = KeyOf(n.features, numbers, s.key);
  SoftmaxSpan(n.shifts, head.shift, s.shift);
  const T gate = ScalarSigmoid(*head.gate);
  const T strength = ScalarSoftplus(*head.strength);
  const T dsharpening =
      SharpenBack(n.slots, 1 + ScalarSoftplus(*head.sharpening), dw, w,
                  trace.moved, s.dmoved + reach);

  CloseCircle(n.slots, reach, s.dmoved);
  for (int64_t o = 0; o < n.shifts; ++o) {
    // Shift o - R read m(i - o + R), which is at index i + 2R - o.
    s.dshift[o] = SumSpan<T>(
        n.slots, [](auto, auto x, auto y) HEED_LANES { return hn::Mul(x, y); },
        s.dmoved + reach, trace.mixed + (n.shifts - 1 - o));
  }
  ForLanes<T>(n.slots, [&](auto lanes, int64_t i) HEED_LANES {
    auto sum = hn::Zero(lanes.d);
    for (int64_t o = 0; o < n.shifts; ++o) {
      sum = hn::MulAdd(hn::Set(lanes.d, s.shift[o]),
                       lanes.Load(s.dmoved + i + o), sum);
    }
    lanes.Store(sum, s.dmixed + i);
  });

  const T dgate = SumSpan<T>(
      n.slots,
      [](auto, auto x, auto c, auto p)
          HEED_LANES { return hn::Mul(x, hn::Sub(c, p)); },
      s.dmixed, trace.content, previous);
  MapSpan(
      n.slots,
      [=](auto d, auto x)
          HEED_LANES { return hn::Mul(x, hn::Set(d, 1 - gate)); },
      dprevious, s.dmixed);
  const T mean = SumSpan<T>(
      n.slots, [](auto, auto x, auto c) HEED_LANES { return hn::Mul(x, c); },
      s.dmixed, trace.content);
  // Gradients of scores, then of cosines.
  MapSpan(
      n.slots,
      [=](auto d, auto x, auto c) HEED_LANES {
        return hn::Mul(hn::Mul(c, hn::Set(d, gate)),
                       hn::Sub(x, hn::Set(d, mean)));
      },
      s.slope, s.dmixed, trace.content);
  const T dstrength = SumSpan<T>(
      n.slots, [](auto, auto x, auto c) HEED_LANES { return hn::Mul(x, c); },
      s.slope, trace.cosines);
  MapSpan(
      n.slots,
      [=](auto d, auto x)
          HEED_LANES { return hn::Mul(x, hn::Set(d, strength)); },
      s.slope, s.slope);
  CosinesBack(n, memory, inverse_key, trace, s, dmemory);

  T along = 0;
  for (int64_t f = 0; f < n.features; ++f) {
    along += s.dkey[f] * s.key[f] * inverse_key;
  }
  for (int64_t f = 0; f < n.features; ++f) {
    const T dk = inverse_key * (s.dkey[f] - s.key[f] * inverse_key * along);
    dnumbers[f] = dk * (1 - s.key[f] * s.key[f]);
  }
  T* rest = dnumbers + n.features;
  rest[0] = dstrength * ScalarSigmoid(*head.strength);
  rest[1] = dgate * gate * (1 - gate);
  T expected = 0;
  for (int64_t o = 0; o < n.shifts; ++o) expected += s.shift[o] * s.dshift[o];
  for (int64_t o = 0; o < n.shifts; ++o) {
    rest[2 + o] = s.shift[o] * (s.dshift[o] - expected);
  }
  rest[2 + n.shifts] = dsharpening * ScalarSigmoid(*head.sharpening);
}

void AddressRowsGrad(const Tensor& dw, const MemoryAddress& address,
                     const Tensor& numbers, const Tensor& previous,
                     const Tensor& memory, MemoryAddressGrads& grads,
                     Tensor& dmemory) {
  const int64_t heads = previous.dim(1);
  const AddressSizes n(numbers, memory, heads);
  const int64_t size = numbers.cols() / heads;
  Tensor scratch({memory.dim(0), AddressScratch<float>::Size(n)},
                 memory.dtype());
  WithFloat(memory, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(
        memory.dim(0), RowGrain(n.features * n.slots * heads * 6),
        [&](int64_t begin, int64_t end) HWY_ATTR {
          for (int64_t b = begin; b < end; ++b) {
            const int64_t at = b * n.features * n.slots;
            for (int64_t h = 0; h < heads; ++h) {
              const int64_t r = b * heads + h;
              const HeadTrace<T> trace(
                  n, const_cast<T*>(address.trace.data<T>()) + r * n.trace());
              AddressHeadGrad(
                  n, dw.data<T>() + r * n.slots,
                  address.weights.data<T>() + r * n.slots,
                  numbers.data<T>() + r * size,
                  previous.data<T>() + r * n.slots, memory.data<T>() + at,
                  trace, scratch.row<T>(b), grads.numbers.data<T>() + r * size,
                  grads.previous.data<T>() + r * n.slots,
                  dmemory.defined() ? dmemory.data<T>() + at : nullptr);
            }
          }
        });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(AddressRows);
HWY_EXPORT(AddressRowsGrad);

MemoryAddress AddressMemory(const Tensor& numbers, const Tensor& previous,
                            const Tensor& memory) {
  assert(numbers.contiguous() && previous.contiguous() && memory.contiguous());
  const int64_t heads = previous.dim(1);
  const int64_t features = memory.dim(1);
  const int64_t slots = memory.dim(2);
  const int64_t shifts = numbers.cols() / heads - features - 3;
  assert(shifts >= 1 && shifts % 2 == 1);
  MemoryAddress address{
      Tensor(previous.shape(), memory.dtype()),
      Tensor({previous.dim(0), heads, 5 * slots + shifts - 1}, memory.dtype())};
  Tensor scratch({memory.dim(0), features + shifts}, memory.dtype());
  HWY_DYNAMIC_DISPATCH(AddressRows)
  (numbers, previous, memory, address, scratch);
  return address;
}

MemoryAddressGrads AddressMemoryGrad(const Tensor& dweights,
                                     const MemoryAddress& address,
                                     const Tensor& numbers,
                                     const Tensor& previous,
                                     const Tensor& memory, Tensor& dmemory) {
  assert(dweights.contiguous() && numbers.contiguous());
  MemoryAddressGrads grads{Tensor(numbers.shape(), memory.dtype()),
                           Tensor(previous.shape(), memory.dtype())};
  HWY_DYNAMIC_DISPATCH(AddressRowsGrad)
  (dweights, address, numbers, previous, memory, grads, dmemory);
  return grads;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
