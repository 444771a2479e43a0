#include "heed/kernels/tsne.h"

#include <numeric>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/tsne.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// The forces on point i; returns the sum of its w, without that of itself.
template <typename T>
T PointForces(int64_t n, int64_t i, const T* p, const T* y0, const T* y1,
              T* attraction, T* repulsion) {
  const hn::ScalableTag<T> tag;
  using V = hn::Vec<hn::ScalableTag<T>>;
  V pull0 = hn::Zero(tag);
  V pull1 = pull0;
  V push0 = pull0;
  V push1 = pull0;
  V sum = pull0;
  const V one = hn::Set(tag, T(1));
  const V i0 = hn::Set(tag, y0[i]);
  const V i1 = hn::Set(tag, y1[i]);
  const auto add = [&](V p_j, V j0, V j1) HEED_LANES {
    const V d0 = hn::Sub(i0, j0);
    const V d1 = hn::Sub(i1, j1);
    const V w = hn::Div(one, hn::MulAdd(d0, d0, hn::MulAdd(d1, d1, one)));
    const V pull = hn::Mul(p_j, w);
    const V push = hn::Mul(w, w);
    pull0 = hn::MulAdd(pull, d0, pull0);
    pull1 = hn::MulAdd(pull, d1, pull1);
    push0 = hn::MulAdd(push, d0, push0);
    push1 = hn::MulAdd(push, d1, push1);
    return w;
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(tag));
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    sum = hn::Add(sum, add(hn::LoadU(tag, p + j), hn::LoadU(tag, y0 + j),
                           hn::LoadU(tag, y1 + j)));
  }
  if (j < n) {
    // Where there is no point, one at i itself: it neither pulls nor pushes.
    const auto rest = static_cast<size_t>(n - j);
    const auto there = hn::FirstN(tag, rest);
    const V w = add(LoadPart(tag, p + j, rest),
                    hn::IfThenElse(there, LoadPart(tag, y0 + j, rest), i0),
                    hn::IfThenElse(there, LoadPart(tag, y1 + j, rest), i1));
    sum = hn::Add(sum, hn::IfThenElseZero(there, w));
  }
  const auto total = [&](V v) HEED_LANES {
    return hn::GetLane(hn::SumOfLanes(tag, v));
  };
  attraction[i] = total(pull0);
  attraction[n + i] = total(pull1);
  repulsion[i] = total(push0);
  repulsion[n + i] = total(push1);
  return total(sum) - T(1);
}

double Forces(const Tensor& p, const Tensor& y, Tensor& attraction,
              Tensor& repulsion) {
  const int64_t n = y.dim(1);
  assert(p.numel() == n * n && p.contiguous() && y.contiguous());
  std::vector<double> sums(static_cast<size_t>(n));
  WithFloat(y, [&]<typename T>(T) {
    ParallelForEach(n, RowGrain(n), [&](int64_t i) HWY_ATTR {
      sums[static_cast<size_t>(i)] = static_cast<double>(
          PointForces<T>(n, i, p.row<T>(i), y.row<T>(0), y.row<T>(1),
                         attraction.data<T>(), repulsion.data<T>()));
    });
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

Tensor Distances(const Tensor& x) {
  const int64_t n = x.dim(0);
  Tensor d({n, n}, x.dtype());
  WithFloat(x, [&]<typename T>(T) {
    ParallelForEach(n, RowGrain(n * x.dim(1)), [&](int64_t i) HWY_ATTR {
      for (int64_t j = 0; j < n; ++j) {
        d.row<T>(i)[j] = SumSpan<T>(
            x.dim(1),
            [](auto tag, auto a, auto b) HEED_LANES {
              static_cast<void>(tag);
              const auto away = hn::Sub(a, b);
              return hn::Mul(away, away);
            },
            x.row<T>(i), x.row<T>(j));
      }
    });
  });
  return d;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(Forces);
HWY_EXPORT(Distances);

double TsneForces(const Tensor& p, const Tensor& y, Tensor& attraction,
                  Tensor& repulsion) {
  return HWY_DYNAMIC_DISPATCH(Forces)(p, y, attraction, repulsion);
}

Tensor SquaredDistances(const Tensor& x) {
  return HWY_DYNAMIC_DISPATCH(Distances)(x);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
