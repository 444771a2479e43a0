#include "heed/models/image/looks.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

Rng RngOfRow(uint64_t key, int64_t row) {
  return Rng(Rng(key, static_cast<uint64_t>(row)).Next());
}

}  // namespace

Tensor DrawRows(const Shape& shape, DType dtype, uint64_t key,
                const std::function<double(Rng&)>& draw) {
  Tensor x(shape, DType::kF64);
  for (int64_t b = 0; b < shape[0]; ++b) {
    Rng rng = RngOfRow(key, b);
    for (int64_t i = 0; i < shape[1]; ++i) x.row<double>(b)[i] = draw(rng);
  }
  return x.To(dtype);
}

int64_t DrawnColumn(std::span<const double> log_p, double chance) {
  int64_t column = 0;
  for (size_t i = 0; i < log_p.size(); ++i) {
    const double p = std::exp(log_p[i]);
    if (p == 0) continue;
    column = static_cast<int64_t>(i);
    chance -= p;
    if (chance < 0) break;
  }
  return column;
}

Tensor DrawColumns(const Tensor& log_p, uint64_t key) {
  const Tensor all = log_p.To(DType::kF64);
  Tensor chosen({all.dim(0)}, DType::kI32);
  for (int64_t b = 0; b < all.dim(0); ++b) {
    const std::span<const double> row(all.row<double>(b),
                                      static_cast<size_t>(all.dim(1)));
    chosen.data<int32_t>()[b] =
        static_cast<int32_t>(DrawnColumn(row, RngOfRow(key, b).Uniform()));
  }
  return chosen;
}

Tensor LargestColumns(const Tensor& x) {
  const Tensor all = x.To(DType::kF64);
  Tensor chosen({all.dim(0)}, DType::kI32);
  for (int64_t b = 0; b < all.dim(0); ++b) {
    const double* row = all.row<double>(b);
    chosen.data<int32_t>()[b] =
        static_cast<int32_t>(std::max_element(row, row + all.dim(1)) - row);
  }
  return chosen;
}

std::vector<ImageWindow> WindowsAt(const Var& images, const Tensor& place,
                                   const GlimpseShape& shape) {
  const int64_t height = images.dim(1), width = images.dim(2);
  const int64_t channels = images.dim(3);
  const Tensor seen = Glimpses(images, place, shape).value();
  const Tensor one = place.To(DType::kF64);
  const int64_t all = shape.features(channels);
  const int64_t features = all / shape.scales;
  std::vector<ImageWindow> windows;
  for (int64_t scale = 0; scale < shape.scales; ++scale) {
    const int64_t side = shape.side(scale);
    windows.push_back(
        {kernels::GlimpseBegin(one.row<double>(0)[0], side, width),
         kernels::GlimpseBegin(one.row<double>(0)[1], side, height), side,
         seen.Slice(0, 1)
             .Reshape({all})
             .Slice(scale * features, (scale + 1) * features)
             .Reshape({shape.size, shape.size, channels})});
  }
  return windows;
}

}  // namespace heed
