#include "heed/models/frame_trunk.h"

#include "heed/ops/convolution2d.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr Window2d kTrunkWindow = {.size = 3, .stride = 1, .padding = 1};
constexpr int64_t kTrunkPool = 2;

}  // namespace

FrameTrunk::FrameTrunk(const Scope& scope, int64_t channels, int64_t filters)
    : units_(4 * filters),
      first_(scope / "first", channels, filters, kTrunkWindow),
      second_(scope / "second", filters, 2 * filters, kTrunkWindow),
      third_(scope / "third", 2 * filters, units_, kTrunkWindow) {}

Var FrameTrunk::Activations(const Context& ctx, const Var& frames) const {
  ctx.CheckCancelled();
  Var x = MaxPool2d(Relu(first_(ctx, frames)), kTrunkPool);
  ctx.CheckCancelled();
  x = MaxPool2d(Relu(second_(ctx, x)), kTrunkPool);
  return Relu(third_(ctx, x));
}

Var FrameTrunk::operator()(const Context& ctx, const Var& frames) const {
  const Var x = MaxPool2d(Activations(ctx, frames), kTrunkPool);
  return Reshape(x, {x.dim(0), x.dim(1) * x.dim(2) * x.dim(3)});
}

int64_t FrameTrunk::FlatSize(int64_t height, int64_t width) const {
  return height / kLeastSide * (width / kLeastSide) * units_;
}

ReceptiveField FrameTrunk::FieldOf(int64_t row, int64_t column) {
  // From 3 × 3 over maxima of 2 × 2, twice: 3, 2 · 3 + 2, 2 · 8 + 2 pixels; the
  // places of the last layer are 4 apart, the first one sees from −7 on.
  return {4 * row - 7, 4 * column - 7, 18};
}

}  // namespace heed
