// Layers that convolve images and halve their sides, one after the other.
#ifndef HEED_NN_CONVOLUTION_STACK_H_
#define HEED_NN_CONVOLUTION_STACK_H_

#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/nn/convolution2d.h"

namespace heed {

/// The pixels that a unit sees: rows and columns [begin, begin + side), which
/// may reach beyond the image.
struct ReceptiveField {
  int64_t top = 0;
  int64_t left = 0;
  int64_t side = 0;
};

/// relu(3 × 3), then the maximum of 2 × 2, for each layer. Parameters: first,
/// second, third, with those of a Convolution2d. Immutable but for these.
class ConvolutionStack {
 public:
  /// `filters`: of each layer, three at most.
  ConvolutionStack(const Scope& scope, int64_t channels,
                   const std::vector<int64_t>& filters);

  /// Of the units of the last layer, before their maxima are taken. Shapes:
  /// images [B, H, W, C], result [B, ⌊2 H / scale⌋, ⌊2 W / scale⌋, units()].
  /// Throws: ShapeError; Cancelled.
  Var Activations(const Context& ctx, const Var& images) const;
  /// Shapes: result [B, ⌊H / scale⌋, ⌊W / scale⌋, units()].
  Var operator()(const Context& ctx, const Var& images) const;

  /// Of each layer, and of the last one.
  const std::vector<int64_t>& filters() const { return filters_; }
  int64_t units() const { return filters_.back(); }
  /// Pixels along an image for each number along the result, and the least
  /// height and width of images.
  int64_t scale() const { return ScaleOf(std::ssize(layers_)); }
  static constexpr int64_t ScaleOf(int64_t layers) {
    return int64_t{1} << layers;
  }
  /// Numbers behind all layers.
  static constexpr int64_t FlatSize(int64_t height, int64_t width,
                                    int64_t layers, int64_t units) {
    return height / ScaleOf(layers) * (width / ScaleOf(layers)) * units;
  }
  /// What the units at this row and column of Activations see.
  ReceptiveField FieldOf(int64_t row, int64_t column) const;

 private:
  std::vector<int64_t> filters_;
  std::vector<Convolution2d> layers_;
};

/// Numbers of each image as one vector. Shapes: x [B, H, W, C], result [B,
/// HWC].
Var FlatImages(const Var& x);

}  // namespace heed

#endif  // HEED_NN_CONVOLUTION_STACK_H_
