#include "heed/kernels/tsne.h"

#include <numeric>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/tsne.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Forces on point i; returns the sum of its w, excluding itself.
template <typename T>
T PointForces(int64_t n, int64_t i, const T* p, const T* y0, const T* y1,
              T* attraction, T* repulsion) {
  const hn::ScalableTag<T> tag;
  WideVector<T> pull0, pull1, push0, push1, sum;
  const auto one = hn::Set(tag, T(1));
  const auto i0 = hn::Set(tag, y0[i]);
  const auto i1 = hn::Set(tag, y1[i]);
  ForParts<T>(n, [&](auto lanes, int64_t j) HEED_LANES {
    constexpr int64_t kPart = lanes.kPart;
    const auto d0 = hn::Sub(i0, lanes.Load(y0 + j));
    const auto d1 = hn::Sub(i1, lanes.Load(y1 + j));
    // Padding lanes exert no force.
    const auto w =
        lanes.Only(hn::Div(one, hn::MulAdd(d0, d0, hn::MulAdd(d1, d1, one))));
    const auto pull = hn::Mul(lanes.Load(p + j), w);
    const auto push = hn::Mul(w, w);
    pull0[kPart] = hn::MulAdd(pull, d0, pull0[kPart]);
    pull1[kPart] = hn::MulAdd(pull, d1, pull1[kPart]);
    push0[kPart] = hn::MulAdd(push, d0, push0[kPart]);
    push1[kPart] = hn::MulAdd(push, d1, push1[kPart]);
    sum[kPart] = hn::Add(sum[kPart], w);
  });
  attraction[i] = pull0.Sum();
  attraction[n + i] = pull1.Sum();
  repulsion[i] = push0.Sum();
  repulsion[n + i] = push1.Sum();
  return sum.Sum() - T(1);
}

double Forces(const Tensor& p, const Tensor& y, Tensor& attraction,
              Tensor& repulsion) {
  const int64_t n = y.dim(1);
  assert(p.numel() == n * n && p.contiguous() && y.contiguous());
  std::vector<double> sums(static_cast<size_t>(n));
  WithFloat(y, [&]<typename T>(T) {
    ParallelForEach(n, RowGrain(n), [&](int64_t i) HWY_ATTR {
      At(sums, i) = static_cast<double>(
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
