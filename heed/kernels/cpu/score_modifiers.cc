#include "heed/kernels/score_modifiers.h"

#include <cmath>
#include <limits>

#include "heed/kernels/cpu/rows.h"

namespace heed::kernels {
namespace {

/// y[r, c] = f(x[r, c]...).
template <class F, class... More>
Tensor MapElements(const F& f, const Tensor& x, const More&... more) {
  Tensor y(x.shape(), x.dtype());
  const int64_t cols = x.cols();
  WithElement(x, [&](auto zero) {
    using T = decltype(zero);
    const auto map_row = [&](T* to, const auto*... from) {
      for (int64_t c = 0; c < cols; ++c) to[c] = f(from[c]...);
    };
    ForRows(x.rows(), cols, [&](int64_t r) {
      map_row(y.row<T>(r), x.row<T>(r), more.template row<T>(r)...);
    });
  });
  return y;
}

/// Slope of the leaky ReLU at v, without a branch, as signs are unpredictable.
template <typename T>
T SlopeAt(T v, double slope) {
  const T slopes[] = {static_cast<T>(slope), T(1)};
  return slopes[static_cast<int>(v > 0)];
}

template <typename T>
constexpr bool IsMasked(T score) {
  return score == -std::numeric_limits<T>::infinity();
}

double Gaussian(int64_t s, double centre, double sigma) {
  const double u = (static_cast<double>(s) - centre) / sigma;
  return std::exp(-0.5 * u * u);
}

/// Offsets of the rows of (n, t) in bias [B or 1, H or 1, T or 1, S].
class BiasRows {
 public:
  BiasRows(const Tensor& bias, int64_t heads)
      : heads_(heads),
        batch_(bias.dim(0)),
        bias_heads_(bias.dim(1)),
        steps_(bias.dim(2)),
        stride_(bias.row_stride()) {}
  int64_t bias_heads() const { return bias_heads_; }
  int64_t operator()(int64_t n, int64_t t) const {
    const int64_t b = batch_ == 1 ? 0 : n / heads_;
    const int64_t h = bias_heads_ == 1 ? 0 : n % heads_;
    const int64_t step = steps_ == 1 ? 0 : t;
    return ((b * bias_heads_ + h) * steps_ + step) * stride_;
  }

 private:
  int64_t heads_, batch_, bias_heads_, steps_, stride_;
};

/// Offsets of the rows of (n, t) in bias [H or 1, T + S - 1].
class DistanceRows {
 public:
  DistanceRows(const Tensor& bias, int64_t heads, int64_t steps)
      : heads_(heads),
        bias_heads_(bias.dim(0)),
        steps_(steps),
        stride_(bias.row_stride()) {}
  int64_t bias_heads() const { return bias_heads_; }
  int64_t operator()(int64_t n, int64_t t) const {
    const int64_t h = bias_heads_ == 1 ? 0 : n % heads_;
    return h * stride_ + steps_ - 1 - t;
  }

 private:
  int64_t heads_, bias_heads_, steps_, stride_;
};

/// e[n, t, s] + bias[start(n, t) + s].
template <class Start>
Tensor AddAt(const Tensor& e, const Tensor& bias, const Start& start) {
  Tensor y(e.shape(), e.dtype());
  const int64_t steps = e.dim(1);
  const int64_t cols = e.cols();
  EachRow(e, [&]<typename T>(T, int64_t r) {
    const T* from = e.row<T>(r);
    const T* add = bias.data<T>() + start(r / steps, r % steps);
    T* to = y.row<T>(r);
    for (int64_t s = 0; s < cols; ++s) to[s] = from[s] + add[s];
  });
  return y;
}

/// dbias[start(n, t) + s] += dy[n, t, s]. Each head of dbias is summed by one
/// thread, in order.
template <class Start>
void AddAtGradTo(Tensor& dbias, const Tensor& dy, int64_t heads,
                 const Start& start) {
  const int64_t steps = dy.dim(1);
  const int64_t cols = dy.cols();
  const int64_t step = start.bias_heads() == 1 ? 1 : heads;
  WithElement(dy, [&](auto zero) {
    using T = decltype(zero);
    ForRows(step, dy.numel() / step, [&](int64_t head) {
      for (int64_t n = head; n < dy.dim(0); n += step) {
        for (int64_t t = 0; t < steps; ++t) {
          const T* from = dy.row<T>(n * steps + t);
          T* to = dbias.data<T>() + start(n, t);
          for (int64_t s = 0; s < cols; ++s) to[s] += from[s];
        }
      }
    });
  });
}

/// o mod size in [0, size).
int64_t Wrap(int64_t o, int64_t size) { return (o % size + size) % size; }

/// Number of active columns of row r of x.
int64_t LengthOf(const Tensor& x, const Tensor& lengths, int64_t r) {
  if (!lengths.defined()) return x.cols();
  return lengths.data<int32_t>()[r * lengths.numel() / x.rows()];
}

}  // namespace

Tensor LeakyRelu(const Tensor& x, double slope) {
  const auto f = [slope](auto v) { return v * SlopeAt(v, slope); };
  return MapElements(f, x);
}

Tensor LeakyReluGrad(const Tensor& dy, const Tensor& x, double slope) {
  const auto f = [slope](auto d, auto v) { return d * SlopeAt(v, slope); };
  return MapElements(f, dy, x);
}

Tensor Softplus(const Tensor& x) {
  const auto f = [](auto v) {
    return std::max(v, decltype(v){0}) + std::log1p(std::exp(-std::abs(v)));
  };
  return MapElements(f, x);
}

Tensor ScaleRows(const Tensor& x, const Tensor& factor) {
  assert(factor.shape() == Leading(x.shape()) && factor.contiguous());
  Tensor y(x.shape(), x.dtype());
  const int64_t cols = x.cols();
  EachRow(x, [&]<typename T>(T, int64_t r) {
    const T* from = x.row<T>(r);
    const T f = factor.data<T>()[r];
    T* to = y.row<T>(r);
    for (int64_t s = 0; s < cols; ++s) to[s] = f * from[s];
  });
  return y;
}

Tensor RowDots(const Tensor& x, const Tensor& y) {
  assert(x.shape() == y.shape());
  Tensor dots(Leading(x.shape()), x.dtype());
  const int64_t cols = x.cols();
  EachRow(x, dots.numel(), [&]<typename T>(T, int64_t r) {
    const T* u = x.row<T>(r);
    const T* v = y.row<T>(r);
    double sum = 0;
    for (int64_t s = 0; s < cols; ++s)
      sum += u[s] == 0 ? 0.0 : static_cast<double>(u[s]) * v[s];
    dots.data<T>()[r] = static_cast<T>(sum);
  });
  return dots;
}

Tensor AddBias(const Tensor& e, const Tensor& bias, int64_t heads) {
  return AddAt(e, bias, BiasRows(bias, heads));
}

void AddBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads) {
  AddAtGradTo(dbias, dy, heads, BiasRows(dbias, heads));
}

Tensor AddDistanceBias(const Tensor& e, const Tensor& bias, int64_t heads) {
  return AddAt(e, bias, DistanceRows(bias, heads, e.dim(1)));
}

void AddDistanceBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads) {
  AddAtGradTo(dbias, dy, heads, DistanceRows(dbias, heads, dy.dim(1)));
}

Tensor GaussianFactor(const Tensor& x, const Tensor& centre, double sigma) {
  assert(centre.shape() == Leading(x.shape()) && centre.contiguous());
  Tensor y(x.shape(), x.dtype());
  const int64_t cols = x.cols();
  EachRow(x, [&]<typename T>(T, int64_t r) {
    const T* from = x.row<T>(r);
    const T c = centre.data<T>()[r];
    T* to = y.row<T>(r);
    for (int64_t s = 0; s < cols; ++s) {
      to[s] = IsMasked(from[s])
                  ? from[s]
                  : static_cast<T>(from[s] * Gaussian(s, c, sigma));
    }
  });
  return y;
}

Tensor GaussianFactorGrad(const Tensor& dy, const Tensor& x,
                          const Tensor& centre, double sigma, Tensor& dcentre) {
  Tensor dx(x.shape(), x.dtype());
  dcentre = Tensor(centre.shape(), centre.dtype());
  const int64_t cols = x.cols();
  EachRow(x, centre.numel(), [&]<typename T>(T, int64_t r) {
    const T* e = x.row<T>(r);
    const T* d = dy.row<T>(r);
    const double c = centre.data<T>()[r];
    T* to = dx.row<T>(r);
    double sum = 0;
    for (int64_t s = 0; s < cols; ++s) {
      const double factor = IsMasked(e[s]) ? 0 : Gaussian(s, c, sigma);
      to[s] = static_cast<T>(d[s] * factor);
      // A factor of 0 has slope 0, even at an infinite distance.
      if (factor != 0) {
        sum += factor * d[s] * e[s] * ((static_cast<double>(s) - c) / sigma);
      }
    }
    dcentre.data<T>()[r] = static_cast<T>(sum / sigma);
  });
  return dx;
}

Tensor MaskWindow(const Tensor& x, const Tensor& centre, double width) {
  assert(centre.shape() == Leading(x.shape()) && centre.contiguous());
  Tensor y(x.shape(), x.dtype());
  const int64_t cols = x.cols();
  EachRow(x, [&]<typename T>(T, int64_t r) {
    const T c = centre.data<T>()[r];
    for (int64_t s = 0; s < cols; ++s) {
      const bool inside =
          std::abs(static_cast<T>(s) - c) <= static_cast<T>(width);
      y.row<T>(r)[s] =
          inside ? x.row<T>(r)[s] : -std::numeric_limits<T>::infinity();
    }
  });
  return y;
}

Tensor CircularShift(const Tensor& a, const Tensor& shift,
                     const Tensor& lengths, bool back) {
  assert(Leading(a.shape()) == Leading(shift.shape()));
  assert(shift.cols() % 2 == 1);
  Tensor y = Tensor::Zeros(a.shape(), a.dtype());
  const int64_t radius = (shift.cols() - 1) / 2;
  WithElement(a, [&](auto zero) {
    using T = decltype(zero);
    ForRows(a.rows(), a.cols() * shift.cols(), [&](int64_t r) {
      const int64_t size = LengthOf(a, lengths, r);
      if (size == 0) return;
      const T* from = a.row<T>(r);
      T* to = y.row<T>(r);
      for (int64_t o = -radius; o <= radius; ++o) {
        const T w = shift.row<T>(r)[o + radius];
        const int64_t by = Wrap(back ? -o : o, size);
        for (int64_t i = by; i < size; ++i) to[i] += w * from[i - by];
        for (int64_t i = 0; i < by; ++i) to[i] += w * from[i - by + size];
      }
    });
  });
  return y;
}

Tensor CircularShiftGrad(const Tensor& dy, const Tensor& a,
                         const Tensor& lengths, const Shape& like) {
  Tensor dshift = Tensor::Zeros(like, a.dtype());
  const int64_t radius = (like[-1] - 1) / 2;
  WithElement(a, [&](auto zero) {
    using T = decltype(zero);
    ForRows(a.rows(), a.cols() * like[-1], [&](int64_t r) {
      const int64_t size = LengthOf(a, lengths, r);
      if (size == 0) return;
      const T* d = dy.row<T>(r);
      const T* from = a.row<T>(r);
      for (int64_t o = -radius; o <= radius; ++o) {
        const int64_t by = Wrap(o, size);
        double sum = 0;
        for (int64_t i = 0; i < size; ++i) {
          const int64_t j = i < by ? i - by + size : i - by;
          sum += static_cast<double>(d[i]) * from[j];
        }
        dshift.row<T>(r)[o + radius] = static_cast<T>(sum);
      }
    });
  });
  return dshift;
}

Tensor Sharpen(const Tensor& a, const Tensor& gamma) {
  assert(gamma.shape() == Leading(a.shape()) && gamma.contiguous());
  Tensor y(a.shape(), a.dtype());
  const int64_t cols = a.cols();
  EachRow(a, [&]<typename T>(T, int64_t r) {
    const T* from = a.row<T>(r);
    T* to = y.row<T>(r);
    T max = 0;
    for (int64_t s = 0; s < cols; ++s) max = std::max(max, from[s]);
    // Powers are relative to the largest, so that they neither all underflow
    // nor overflow.
    double sum = 0;
    for (int64_t s = 0; s < cols; ++s) {
      to[s] = from[s] <= 0 ? T(0) : std::pow(from[s] / max, gamma.data<T>()[r]);
      sum += to[s];
    }
    if (sum == 0) return;
    for (int64_t s = 0; s < cols; ++s) to[s] = static_cast<T>(to[s] / sum);
  });
  return y;
}

Tensor SharpenGrad(const Tensor& dy, const Tensor& y, const Tensor& a,
                   const Tensor& gamma, Tensor& dgamma) {
  Tensor da(a.shape(), a.dtype());
  dgamma = Tensor(gamma.shape(), gamma.dtype());
  const Tensor dots = RowDots(dy, y);
  const int64_t cols = a.cols();
  EachRow(a, gamma.numel(), [&]<typename T>(T, int64_t r) {
    const T* from = a.row<T>(r);
    const T* d = dy.row<T>(r);
    const double dot = dots.data<T>()[r];
    T* to = da.row<T>(r);
    double sum = 0;
    for (int64_t s = 0; s < cols; ++s) {
      to[s] = 0;
      if (from[s] <= 0) continue;
      const double a_s = from[s];
      const double slope = y.row<T>(r)[s] * (d[s] - dot);
      to[s] = static_cast<T>(gamma.data<T>()[r] * slope / a_s);
      sum += slope * std::log(a_s);
    }
    dgamma.data<T>()[r] = static_cast<T>(sum);
  });
  return da;
}

}  // namespace heed::kernels
