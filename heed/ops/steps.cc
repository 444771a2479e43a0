#include "heed/ops/steps.h"

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

/// y = max over s; at = index of the maximum, −1 for an empty sequence.
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
        // Propagates NaN instead of skipping it.
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

constexpr int64_t kNumbersPerChunk = 1 << 14;

/// Calls body(b, s, begin, count) for each window: `count` of its steps, from
/// step `begin` on, lie inside the sequence.
template <typename Body>
void ForWindows(int64_t S, int64_t width, int64_t before, int64_t b,
                const Body& body) {
  for (int64_t s = 0; s < S; ++s) {
    const int64_t first = std::max<int64_t>(0, before - s);
    const int64_t end = std::min(width, S - s + before);
    body(b * S + s, first, std::max<int64_t>(0, end - first));
  }
}

template <typename T>
void Unfold(const Tensor& x, int64_t width, int64_t before, Tensor& y) {
  const int64_t S = x.dim(1), M = x.dim(2);
  const int64_t rows = std::max<int64_t>(1, kNumbersPerChunk / (S * width * M));
  ParallelFor(x.dim(0), rows, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      ForWindows(S, width, before, b,
                 [&](int64_t row, int64_t first, int64_t count) {
                   T* to = y.data<T>() + row * width * M;
                   const T* from = x.data<T>() + (row + first - before) * M;
                   std::fill_n(to, first * M, T{0});
                   std::copy_n(from, count * M, to + first * M);
                   std::fill_n(to + (first + count) * M,
                               (width - first - count) * M, T{0});
                 });
    }
  });
}

/// Gradient of UnfoldSteps: adds each copy to its original position.
template <typename T>
void Fold(const Tensor& dy, int64_t width, int64_t before, Tensor& dx) {
  const int64_t S = dx.dim(1), M = dx.dim(2);
  const int64_t rows = std::max<int64_t>(1, kNumbersPerChunk / (S * width * M));
  ParallelFor(dx.dim(0), rows, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      ForWindows(S, width, before, b,
                 [&](int64_t row, int64_t first, int64_t count) {
                   const T* from = dy.data<T>() + row * width * M + first * M;
                   T* to = dx.data<T>() + (row + first - before) * M;
                   for (int64_t i = 0; i < count * M; ++i) to[i] += from[i];
                 });
    }
  });
}

}  // namespace

Var UnfoldSteps(const Var& x, int64_t width, int64_t before) {
  CheckShapes(x.shape().rank() == 3, "unfold steps", "not [B, S, M]",
              {x.shape()});
  if (width < 1 || before < 0 || before >= width) {
    throw ShapeError("unfold steps: {} of {} steps before", before, width);
  }
  const Tensor values = x.value().Contiguous();
  Tensor y({values.dim(0), values.dim(1), width * values.dim(2)},
           values.dtype());
  if (y.dtype() == DType::kF64) {
    Unfold<double>(values, width, before, y);
  } else {
    Unfold<float>(values, width, before, y);
  }
  return Record("unfold steps", std::move(y), {x},
                [width, before](const Tensor& dy, Grads& g) {
                  const Tensor from = dy.Contiguous();
                  Tensor& dx = g.Accumulate(0);
                  if (from.dtype() == DType::kF64) {
                    Fold<double>(from, width, before, dx);
                  } else {
                    Fold<float>(from, width, before, dx);
                  }
                });
}

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
