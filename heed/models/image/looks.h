// What models share that look at parts of images.
#ifndef HEED_MODELS_IMAGE_LOOKS_H_
#define HEED_MODELS_IMAGE_LOOKS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/base/rng.h"
#include "heed/models/image_classifier.h"
#include "heed/ops/glimpse.h"

namespace heed {

/// Numbers for each row of a batch, drawn by (key, row): the same whatever the
/// threads. Shapes: shape [B, N].
Tensor DrawRows(const Shape& shape, DType dtype, uint64_t key,
                const std::function<double(Rng&)>& draw);

/// The place of one of these numbers, as likely as exp of it, by a chance from
/// 0 to 1.
int64_t DrawnColumn(std::span<const double> log_p, double chance);

/// One of the numbers of each row, by (key, row), as likely as exp of it.
/// Shapes: log_p [B, N], result i32 [B].
Tensor DrawColumns(const Tensor& log_p, uint64_t key);

/// The largest number of each row, the first of equal ones: i32 [B].
Tensor LargestColumns(const Tensor& x);

/// What is seen of the first image at (x, y) = place [B, 2] through each scale.
std::vector<ImageWindow> WindowsAt(const Var& images, const Tensor& place,
                                   const GlimpseShape& shape);

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_LOOKS_H_
