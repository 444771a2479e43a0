// Convolutions over a frame, shared by all that is learned about frames.
#ifndef HEED_MODELS_FRAME_TRUNK_H_
#define HEED_MODELS_FRAME_TRUNK_H_

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/nn/convolution2d.h"

namespace heed {

/// The pixels that a unit sees: rows and columns [begin, begin + side), which
/// may reach beyond the frame.
struct ReceptiveField {
  int64_t top = 0;
  int64_t left = 0;
  int64_t side = 0;
};

/// relu(3 × 3) of F filters, max of 2 × 2, relu(3 × 3) of 2 F, max of 2 × 2,
/// relu(3 × 3) of 4 F, max of 2 × 2. Parameters: first, second, third.
/// Immutable but for its parameters.
class FrameTrunk {
 public:
  FrameTrunk(const Scope& scope, int64_t channels, int64_t filters);

  /// Of the units of the last layer, before they are pooled. Shapes: frames [N,
  /// H, W, C], result [N, ⌊H / 4⌋, ⌊W / 4⌋, units()]. Throws: ShapeError;
  /// Cancelled.
  Var Activations(const Context& ctx, const Var& frames) const;
  /// Their maxima of 2 × 2 as one vector. Shapes: result [N, FlatSize(H, W)].
  Var operator()(const Context& ctx, const Var& frames) const;

  int64_t units() const { return units_; }
  int64_t FlatSize(int64_t height, int64_t width) const;
  /// What the units at this row and column of Activations see.
  static ReceptiveField FieldOf(int64_t row, int64_t column);
  /// Smallest height and width of frames.
  static constexpr int64_t kLeastSide = 8;

 private:
  int64_t units_;
  Convolution2d first_;
  Convolution2d second_;
  Convolution2d third_;
};

}  // namespace heed

#endif  // HEED_MODELS_FRAME_TRUNK_H_
