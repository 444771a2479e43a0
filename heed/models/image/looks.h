// Sampling and windows of models with glimpses.
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

/// Random numbers for each row of a batch, seeded by (key, row) and thus
/// independent of threads. Shapes: shape [B, N].
Tensor DrawRows(const Shape& shape, DType dtype, uint64_t key,
                const std::function<double(Rng&)>& draw);

/// Samples an index with probabilities exp(log_p), from a uniform number
/// `chance` in [0, 1).
int64_t DrawnColumn(std::span<const double> log_p, double chance);

/// Samples an index for each row with probabilities exp(log_p), seeded by (key,
/// row). Shapes: log_p [B, N], result i32 [B].
Tensor DrawColumns(const Tensor& log_p, uint64_t key);

/// Index of the maximum of each row, the first if several are equal: i32 [B].
Tensor LargestColumns(const Tensor& x);

/// Windows of the first image at (x, y) = place [B, 2], one for each scale.
std::vector<ImageWindow> WindowsAt(const Var& images, const Tensor& place,
                                   const GlimpseShape& shape);

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_LOOKS_H_
