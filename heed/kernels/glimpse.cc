#include "heed/kernels/glimpse.h"

#include <algorithm>
#include <cmath>

#include "heed/base/threads.h"

namespace heed::kernels {
namespace {

/// Rows or columns [first, end) of an image that a block of a window covers.
struct Extent {
  int64_t first, end;
  int64_t size() const { return std::max<int64_t>(0, end - first); }
};

Extent Inside(int64_t begin, int64_t size, int64_t extent) {
  return {std::clamp<int64_t>(begin, 0, extent),
          std::clamp<int64_t>(begin + size, 0, extent)};
}

/// Calls body(output offset, rows, columns, scale factor) for each output pixel
/// of the windows of image b.
template <typename T, class Body>
void ForBlocks(const Tensor& centres, int64_t b, const Shape& images,
               const GlimpseShape& shape, const Body& body) {
  const T* centre = centres.row<T>(b);
  int64_t at = 0;
  for (int64_t scale = 0; scale < shape.scales; ++scale) {
    const int64_t side = shape.side(scale);
    const int64_t block = side / shape.size;
    const int64_t left =
        GlimpseBegin(static_cast<double>(centre[0]), side, images[2]);
    const int64_t top =
        GlimpseBegin(static_cast<double>(centre[1]), side, images[1]);
    const T factor = T(1) / static_cast<T>(block * block);
    for (int64_t u = 0; u < shape.size; ++u) {
      const Extent rows = Inside(top + u * block, block, images[1]);
      for (int64_t v = 0; v < shape.size; ++v, at += images[3]) {
        body(at, rows, Inside(left + v * block, block, images[2]), factor);
      }
    }
  }
}

/// dx += the gradient of ReadGlimpse.
template <typename T>
void AddGlimpseGrad(const Tensor& dy, const Tensor& centres, int64_t b,
                    const GlimpseShape& shape, Tensor& dx) {
  const int64_t channels = dx.dim(3);
  const T* from = dy.row<T>(b);
  ForBlocks<T>(
      centres, b, dx.shape(), shape,
      [&](int64_t at, const Extent& rows, const Extent& cols, T factor) {
        for (int64_t y = rows.first; y < rows.end; ++y) {
          for (int64_t x = cols.first; x < cols.end; ++x) {
            T* to = dx.row<T>((b * dx.dim(1) + y) * dx.dim(2) + x);
            for (int64_t c = 0; c < channels; ++c) {
              to[c] += factor * from[at + c];
            }
          }
        }
      });
}

template <typename T>
void ReadGlimpse(const Tensor& images, const Tensor& centres, int64_t b,
                 const GlimpseShape& shape, Tensor& y) {
  const int64_t channels = images.dim(3);
  T* to = y.row<T>(b);
  ForBlocks<T>(
      centres, b, images.shape(), shape,
      [&](int64_t at, const Extent& rows, const Extent& cols, T factor) {
        std::fill_n(to + at, channels, T(0));
        for (int64_t r = rows.first; r < rows.end; ++r) {
          for (int64_t x = cols.first; x < cols.end; ++x) {
            const T* from =
                images.row<T>((b * images.dim(1) + r) * images.dim(2) + x);
            for (int64_t c = 0; c < channels; ++c) {
              to[at + c] += factor * from[c];
            }
          }
        }
      });
}

}  // namespace

int64_t GlimpseBegin(double centre, int64_t side, int64_t extent) {
  const double pixel = (centre + 1) / 2 * static_cast<double>(extent - 1);
  return static_cast<int64_t>(
      std::floor(pixel - static_cast<double>(side - 1) / 2 + 0.5));
}

Tensor Glimpses(const Tensor& images, const Tensor& centres,
                const GlimpseShape& shape) {
  Tensor y({images.dim(0), shape.features(images.dim(3))}, images.dtype());
  ParallelForEach(images.dim(0), 4, [&](int64_t b) {
    if (images.dtype() == DType::kF32) {
      ReadGlimpse<float>(images, centres, b, shape, y);
    } else {
      ReadGlimpse<double>(images, centres, b, shape, y);
    }
  });
  return y;
}

Tensor GlimpsesGrad(const Tensor& dy, const Tensor& centres,
                    const Shape& images, const GlimpseShape& shape) {
  Tensor dx = Tensor::Zeros(images, dy.dtype());
  ParallelForEach(images[0], 4, [&](int64_t b) {
    if (dy.dtype() == DType::kF32) {
      AddGlimpseGrad<float>(dy, centres, b, shape, dx);
    } else {
      AddGlimpseGrad<double>(dy, centres, b, shape, dx);
    }
  });
  return dx;
}

}  // namespace heed::kernels
