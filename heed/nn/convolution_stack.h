// Stack of convolutional layers with max pooling, which halve the sides of an
// image.
#ifndef HEED_NN_CONVOLUTION_STACK_H_
#define HEED_NN_CONVOLUTION_STACK_H_

#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/nn/convolution2d.h"

namespace heed {

/// Receptive field of a unit: rows and columns [begin, begin + side), which may
/// extend beyond the image.
struct ReceptiveField {
  int64_t top = 0;
  int64_t left = 0;
  int64_t side = 0;
};

/// Layers of relu(3 × 3 convolution), then 2 × 2 max pooling. Parameters:
/// first, second, third, each with those of a Convolution2d. Immutable except
/// for parameters.
class ConvolutionStack {
 public:
  /// `filters`: number of filters of each layer; three layers at most.
  ConvolutionStack(const Scope& scope, int64_t channels,
                   const std::vector<int64_t>& filters);

  /// Activations of the last layer before max pooling. Shapes: images [B, H, W,
  /// C], result [B, ⌊2 H / scale⌋, ⌊2 W / scale⌋, units()]. Throws: ShapeError;
  /// Cancelled.
  Var Activations(const Context& ctx, const Var& images) const;
  /// Output of all layers. Shapes: result [B, ⌊H / scale⌋, ⌊W / scale⌋,
  /// units()].
  Var operator()(const Context& ctx, const Var& images) const;

  /// Number of filters of each layer, and of the last one.
  const std::vector<int64_t>& filters() const { return filters_; }
  int64_t units() const { return filters_.back(); }
  /// Downsampling factor: image pixels per output element along each axis; also
  /// the minimum height and width of images.
  int64_t scale() const { return ScaleOf(std::ssize(layers_)); }
  static constexpr int64_t ScaleOf(int64_t layers) {
    return int64_t{1} << layers;
  }
  /// Number of output elements of all layers.
  static constexpr int64_t FlatSize(int64_t height, int64_t width,
                                    int64_t layers, int64_t units) {
    return height / ScaleOf(layers) * (width / ScaleOf(layers)) * units;
  }
  /// Receptive field of the units at this row and column of Activations.
  ReceptiveField FieldOf(int64_t row, int64_t column) const;

 private:
  std::vector<int64_t> filters_;
  std::vector<Convolution2d> layers_;
};

/// Flattens each image to a vector. Shapes: x [B, H, W, C], result [B, HWC].
Var FlatImages(const Var& x);

}  // namespace heed

#endif  // HEED_NN_CONVOLUTION_STACK_H_
