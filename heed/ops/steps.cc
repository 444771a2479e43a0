#include "heed/ops/steps.h"

#include "heed/ops/check.h"

namespace heed {
namespace {

/// y = max over s; at = where it stands, −1 for a sequence of none.
template <typename T>
void MaxOf(const Tensor& x, const Tensor& lengths, Tensor& y, Tensor& at) {
  const int64_t M = x.dim(2);
  for (int64_t b = 0; b < x.dim(0); ++b) {
    T* largest = y.row<T>(b);
    int32_t* place = at.row<int32_t>(b);
    const int32_t length = lengths.data<int32_t>()[b];
    for (int32_t s = 0; s < length; ++s) {
      const T* row = x.row<T>(b * x.dim(1) + s);
      for (int64_t m = 0; m < M; ++m) {
        // NaN is kept: it must show, and not be passed over.
        if (s > 0 && row[m] <= largest[m]) continue;
        if (s > 0 && largest[m] != largest[m]) continue;
        largest[m] = row[m];
        place[m] = s;
      }
    }
  }
}

template <typename T>
void ScatterMax(const Tensor& dy, const Tensor& at, Tensor& dx) {
  for (int64_t b = 0; b < dy.dim(0); ++b) {
    const int32_t* place = at.row<int32_t>(b);
    for (int64_t m = 0; m < dy.dim(1); ++m) {
      if (place[m] < 0) continue;
      dx.row<T>(b * dx.dim(1) + place[m])[m] += dy.row<T>(b)[m];
    }
  }
}

}  // namespace

Var MaxOverSteps(const Var& x, const Tensor& lengths) {
  CheckShapes(x.shape().rank() == 3 && lengths.defined(), "max over steps",
              "not [B, S, M] with lengths", {x.shape()});
  CheckLengths("max over steps", lengths, x.dim(0), x.dim(1));
  const Shape shape = {x.dim(0), x.dim(2)};
  Tensor y = Tensor::Zeros(shape, x.value().dtype());
  const Tensor at = [&] {
    Tensor places = Tensor::Full(shape, -1, DType::kI32);
    if (y.dtype() == DType::kF64) {
      MaxOf<double>(x.value(), lengths, y, places);
    } else {
      MaxOf<float>(x.value(), lengths, y, places);
    }
    return places;
  }();
  return Record("max over steps", std::move(y), {x},
                [at](const Tensor& dy, Grads& g) {
                  Tensor& dx = g.Accumulate(0);
                  if (dy.dtype() == DType::kF64) {
                    ScatterMax<double>(dy, at, dx);
                  } else {
                    ScatterMax<float>(dy, at, dx);
                  }
                });
}

}  // namespace heed
