#include "heed/kernels/rotary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/rotary.cc"
#include <hwy/foreach_target.h>

#include <cassert>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/cpu/rows.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Rotates one head. `to` may be `from`.
template <typename T>
HWY_INLINE void RotateHead(int64_t half, const T* turns, bool back,
                           const T* from, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, back ? T(-1) : T(1));
  int64_t i = 0;
  for (; i + lanes <= half; i += lanes) {
    const auto cosine = hn::LoadU(d, turns + i);
    const auto sine = hn::Mul(sign, hn::LoadU(d, turns + half + i));
    const auto low = hn::LoadU(d, from + i);
    const auto high = hn::LoadU(d, from + half + i);
    hn::StoreU(hn::NegMulAdd(high, sine, hn::Mul(low, cosine)), d, to + i);
    hn::StoreU(hn::MulAdd(low, sine, hn::Mul(high, cosine)), d, to + half + i);
  }
  for (; i < half; ++i) {
    const T sine = back ? -turns[half + i] : turns[half + i];
    const T low = from[i];
    const T high = from[half + i];
    to[i] = low * turns[i] - high * sine;
    to[half + i] = high * turns[i] + low * sine;
  }
}

/// Rotates all heads of x into y; y may be x.
void RotateInto(const Tensor& x, const Tensor& turns, bool back, Tensor& y) {
  const int64_t steps = turns.rows();
  const int64_t cols = turns.cols();
  ForEachRow(x, x.rows(), x.cols(), [&]<typename T>(T, int64_t r) HEED_LANES {
    for (int64_t head = 0; head < x.cols(); head += cols) {
      RotateHead<T>(cols / 2, turns.row<T>(r % steps), back, x.row<T>(r) + head,
                    y.row<T>(r) + head);
    }
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(RotateInto);

Tensor RotaryTurns(int64_t steps, int64_t cols, int64_t offset, double base,
                   DType dtype) {
  assert(cols % 2 == 0);
  Tensor turns({steps, cols}, dtype);
  WithElement(turns, [&](auto zero) {
    using T = decltype(zero);
    const int64_t half = cols / 2;
    for (int64_t i = 0; i < half; ++i) {
      const double frequency = std::pow(
          base, static_cast<double>(-2 * i) / static_cast<double>(cols));
      for (int64_t t = 0; t < steps; ++t) {
        const double angle = static_cast<double>(t + offset) * frequency;
        turns.row<T>(t)[i] = static_cast<T>(std::cos(angle));
        turns.row<T>(t)[i + half] = static_cast<T>(std::sin(angle));
      }
    }
  });
  return turns;
}

Tensor Rotate(const Tensor& x, const Tensor& turns, bool back) {
  assert(x.rank() == 3 && turns.dim(0) == x.dim(1));
  Tensor y(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(RotateInto)(x, turns, back, y);
  return y;
}

void RotateRows(const Tensor& turns, Tensor& x) {
  assert(x.cols() % turns.cols() == 0);
  HWY_DYNAMIC_DISPATCH(RotateInto)(x, turns, false, x);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
