#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/softmax.cc"
#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/rowwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

template <typename T>
HWY_INLINE T Sum(int64_t n, const T* x) {
  return SumSpan<T>(
      n, [](auto, auto v) HEED_LANES { return v; }, x);
}

/// sum exp(x[i] - shift).
template <typename T>
HWY_INLINE T SumExp(int64_t n, const T* x, T shift) {
  const auto map = [&](auto d, auto v) HEED_LANES {
    return Exp(d, hn::Sub(v, hn::Set(d, shift)));
  };
  return SumSpan<T>(n, map, x);
}

Tensor LogSoftmaxRows(const Tensor& x) {
  assert(x.contiguous());
  Tensor y(x.shape(), x.dtype());
  const int64_t n = x.cols();
  ForEachRow(x, x.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    const T* row = x.row<T>(r);
    const T max = MaxSpan(n, row);
    const T log_sum = std::log(SumExp(n, row, max));
    // Two steps, because max + log_sum would lose the precision of log_sum.
    const auto shift = [&](auto d, auto v) HEED_LANES {
      return hn::Sub(hn::Sub(v, hn::Set(d, max)), hn::Set(d, log_sum));
    };
    MapSpan<T>(n, shift, y.row<T>(r), row);
  });
  return y;
}

Tensor LogSoftmaxRowsGrad(const Tensor& dy, const Tensor& y) {
  assert(dy.contiguous() && y.contiguous() && dy.shape() == y.shape());
  Tensor dx(y.shape(), y.dtype());
  const int64_t n = y.cols();
  ForEachRow(y, y.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    const T sum = Sum(n, dy.row<T>(r));
    const auto map = [&](auto d, auto g, auto v) HEED_LANES {
      return hn::NegMulAdd(Exp(d, v), hn::Set(d, sum), g);
    };
    MapSpan<T>(n, map, dx.row<T>(r), dy.row<T>(r), y.row<T>(r));
  });
  return dx;
}

/// Options shared by the rows of CrossEntropy.
struct LossOptions {
  double smoothing;
  double grad_scale;
};

/// Adds the loss of one row and writes its gradient unless dx is null.
template <typename T>
void CrossEntropyRow(int64_t n, const T* x, int32_t target,
                     const LossOptions& options, T* dx,
                     CrossEntropyResult& result) {
  assert(target >= 0 && target < n);
  const T max = MaxSpan(n, x);
  const T x_target = x[target];
  const bool correct =
      x_target == max && std::find(x, x + target, max) == x + target;
  const double smoothing = options.smoothing;
  const double mean = smoothing == 0 ? 0 : double{Sum(n, x)} / double(n);

  T sum;
  if (dx == nullptr) {
    sum = SumExp(n, x, max);
  } else {
    const auto exp = [&](auto d, auto v) HEED_LANES {
      return Exp(d, hn::Sub(v, hn::Set(d, max)));
    };
    MapSpan<T>(n, exp, dx, x);
    sum = Sum(n, dx);
    const T factor = static_cast<T>(options.grad_scale) / sum;
    const auto even =
        static_cast<T>(options.grad_scale * smoothing / double(n));
    const auto grad = [&](auto d, auto e) HEED_LANES {
      return hn::MulSub(e, hn::Set(d, factor), hn::Set(d, even));
    };
    MapSpan<T>(n, grad, dx, dx);
    dx[target] -= static_cast<T>(options.grad_scale * (1 - smoothing));
  }

  const double log_sum = double{max} + std::log(double{sum});
  const double nll = log_sum - double{x_target};
  result.nll += nll;
  result.loss += smoothing == 0
                     ? nll
                     : (1 - smoothing) * nll + smoothing * (log_sum - mean);
  result.tokens += 1;
  result.correct += correct ? 1 : 0;
}

/// Results of CrossEntropy for rows [begin, end).
template <typename T>
CrossEntropyResult CrossEntropyRows(int64_t begin, int64_t end,
                                    const Tensor& logits, const Tensor& targets,
                                    int32_t ignore_id,
                                    const LossOptions& options,
                                    Tensor* dlogits) {
  const int64_t n = logits.cols();
  CrossEntropyResult result;
  for (int64_t r = begin; r < end; ++r) {
    T* dx = dlogits == nullptr ? nullptr : dlogits->row<T>(r);
    const int32_t target = targets.data<int32_t>()[r];
    if (target != ignore_id) {
      CrossEntropyRow(n, logits.row<T>(r), target, options, dx, result);
    } else if (dx != nullptr) {
      std::fill_n(dx, n, T(0));
    }
  }
  return result;
}

CrossEntropyResult CrossEntropyTensor(const Tensor& logits,
                                      const Tensor& targets, int32_t ignore_id,
                                      double smoothing, double grad_scale,
                                      Tensor* dlogits) {
  const LossOptions options{smoothing, grad_scale};
  const int64_t grain = RowGrain(logits.cols());
  const int64_t chunks = (logits.rows() + grain - 1) / grain;
  // Results of the chunks: loss, nll, tokens, correct.
  Tensor parts({chunks, 4}, DType::kF64);
  WithFloat(logits, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(logits.rows(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      const CrossEntropyResult part = CrossEntropyRows<T>(
          begin, end, logits, targets, ignore_id, options, dlogits);
      double* to = parts.row<double>(begin / grain);
      to[0] = part.loss;
      to[1] = part.nll;
      to[2] = static_cast<double>(part.tokens);
      to[3] = static_cast<double>(part.correct);
    });
  });
  CrossEntropyResult total;
  for (int64_t c = 0; c < chunks; ++c) {
    const double* part = parts.row<double>(c);
    total.loss += part[0];
    total.nll += part[1];
    total.tokens += static_cast<int64_t>(part[2]);
    total.correct += static_cast<int64_t>(part[3]);
  }
  return total;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(LogSoftmaxRows);
HWY_EXPORT(LogSoftmaxRowsGrad);
HWY_EXPORT(CrossEntropyTensor);

Tensor LogSoftmax(const Tensor& x) {
  return HWY_DYNAMIC_DISPATCH(LogSoftmaxRows)(x);
}
Tensor LogSoftmaxGrad(const Tensor& dy, const Tensor& y) {
  return HWY_DYNAMIC_DISPATCH(LogSoftmaxRowsGrad)(dy, y);
}

CrossEntropyResult CrossEntropy(const Tensor& logits, const Tensor& targets,
                                int32_t ignore_id, double smoothing,
                                double grad_scale, Tensor* dlogits) {
  assert(logits.contiguous() && targets.numel() == logits.rows());
  assert(dlogits == nullptr || dlogits->shape() == logits.shape());
  return HWY_DYNAMIC_DISPATCH(CrossEntropyTensor)(
      logits, targets, ignore_id, smoothing, grad_scale, dlogits);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
