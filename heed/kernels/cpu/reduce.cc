#include "heed/kernels/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/reduce.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// sums[c] += sum_r x[r * stride + c] for c in [0, n).
template <typename T>
void ColumnSumSpan(int64_t rows, int64_t n, const T* x, int64_t stride,
                   T* sums) {
  // Eight rows at a time: fewer accesses to `sums`, and pairwise rounding.
  for (; rows >= 8; rows -= 8, x += 8 * stride) {
    ForLanes<T>(n, [&](auto lanes, int64_t c) HEED_LANES {
      const auto pair = [&](int64_t r) HEED_LANES {
        return hn::Add(lanes.Load(x + r * stride + c),
                       lanes.Load(x + (r + 1) * stride + c));
      };
      const auto sum =
          hn::Add(hn::Add(pair(0), pair(2)), hn::Add(pair(4), pair(6)));
      lanes.Store(hn::Add(lanes.Load(sums + c), sum), sums + c);
    });
  }
  const auto add = [](auto, auto u, auto v)
                       HEED_LANES { return hn::Add(u, v); };
  for (; rows > 0; --rows, x += stride) MapSpan<T>(n, add, sums, sums, x);
}

void ColumnSumInto(Tensor& sums, const Tensor& x) {
  assert(sums.numel() == x.cols() && sums.dtype() == x.dtype());
  // Narrow strips give enough chunks; wide ones read more of a row at once.
  const int64_t strip = x.cols() < 2048 ? 64 : 256;
  const int64_t rows = x.rows();
  const int64_t strips = RowGrain(rows * strip);
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.cols(), strips * strip,
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  ColumnSumSpan<T>(rows, end - begin, x.data<T>() + begin,
                                   x.row_stride(), sums.data<T>() + begin);
                });
  });
}

/// sum of map(v) over n elements, in double.
template <typename T, class Map>
HWY_INLINE double SumWide(int64_t n, const T* x, const Map& map) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<T, decltype(d)> dt;
  const auto load = [&](const T* p) HEED_LANES {
    if constexpr (sizeof(T) == sizeof(double)) {
      return hn::LoadU(d, p);
    } else {
      return hn::PromoteTo(d, hn::LoadU(dt, p));
    }
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kChains = 4;
  const int64_t block = kParts<double> * lanes;
  WideVector<double> a[kChains];
  int64_t i = 0;
  for (; i + kChains * block <= n; i += kChains * block) {
    for (int64_t c = 0; c < kChains; ++c) {
      for (int64_t p = 0; p < kParts<double>; ++p) {
        a[c][p] = map(d, load(x + i + c * block + p * lanes), a[c][p]);
      }
    }
  }
  for (int64_t p = 0; p < kParts<double>; ++p) {
    a[0][p] = hn::Add(hn::Add(a[0][p], a[1][p]), hn::Add(a[2][p], a[3][p]));
  }
  double total = a[0].Sum();
  const hn::CappedTag<double, 1> one;
  for (; i < n; ++i) {
    total = hn::GetLane(
        map(one, hn::Set(one, static_cast<double>(x[i])), hn::Set(one, total)));
  }
  return total;
}

/// Combines sums of chunks in order. map(d, v, a) adds the contribution of v to
/// a.
template <class Map>
double SumChunks(const Tensor& x, const Map& map) {
  assert(x.contiguous());
  const int64_t chunks = (x.numel() + kChunk - 1) / kChunk;
  Tensor sums = Tensor::Zeros({chunks}, DType::kF64);
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      sums.data<double>()[begin / kChunk] =
          SumWide<T>(end - begin, x.data<T>() + begin, map);
    });
  });
  double total = 0;
  for (int64_t c = 0; c < chunks; ++c) total += sums.data<double>()[c];
  return total;
}

double SumAll(const Tensor& x) {
  return SumChunks(
      x, [](auto, auto v, auto a) HEED_LANES { return hn::Add(v, a); });
}
double SumAllSquares(const Tensor& x) {
  return SumChunks(
      x, [](auto, auto v, auto a) HEED_LANES { return hn::MulAdd(v, v, a); });
}
/// 0 if all elements are finite, else NaN.
double SumAllTimesZero(const Tensor& x) {
  return SumChunks(x, [](auto d, auto v, auto a)
                          HEED_LANES { return hn::MulAdd(v, hn::Zero(d), a); });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(ColumnSumInto);
HWY_EXPORT(SumAll);
HWY_EXPORT(SumAllSquares);
HWY_EXPORT(SumAllTimesZero);

void ColumnSumTo(Tensor& sums, const Tensor& x) {
  HWY_DYNAMIC_DISPATCH(ColumnSumInto)(sums, x);
}
double Sum(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(SumAll)(x); }
double SumSquares(const Tensor& x) {
  return HWY_DYNAMIC_DISPATCH(SumAllSquares)(x);
}
bool AllFinite(const Tensor& x) {
  if (x.dtype() == DType::kBF16) {
    // An exponent of ones; the loop without an early exit is vectorised.
    constexpr uint16_t kExponent = 0x7f80;
    bool finite = true;
    for (int64_t r = 0; r < x.rows(); ++r) {
      const bfloat16* row = x.row<bfloat16>(r);
      for (int64_t c = 0; c < x.cols(); ++c) {
        finite &= (row[c].bits & kExponent) != kExponent;
      }
    }
    return finite;
  }
  return HWY_DYNAMIC_DISPATCH(SumAllTimesZero)(x) == 0;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
