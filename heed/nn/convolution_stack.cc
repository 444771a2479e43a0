#include "heed/nn/convolution_stack.h"

#include <array>

#include "heed/ops/convolution2d.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr Window2d kStackWindow = {.size = 3, .stride = 1, .padding = 1};
constexpr int64_t kStackPool = 2;
constexpr std::array kLayerNames = {"first", "second", "third"};

}  // namespace

ConvolutionStack::ConvolutionStack(const Scope& scope, int64_t channels,
                                   const std::vector<int64_t>& filters)
    : filters_(filters) {
  layers_.reserve(filters.size());
  for (size_t i = 0; i < filters.size(); ++i) {
    layers_.emplace_back(scope / kLayerNames.at(i), channels, filters[i],
                         kStackWindow);
    channels = filters[i];
  }
}

Var ConvolutionStack::Activations(const Context& ctx, const Var& images) const {
  Var x = images;
  for (size_t i = 0; i < layers_.size(); ++i) {
    ctx.CheckCancelled();
    if (i > 0) x = MaxPool2d(x, kStackPool);
    x = Relu(layers_[i](ctx, x));
  }
  return x;
}

Var ConvolutionStack::operator()(const Context& ctx, const Var& images) const {
  return MaxPool2d(Activations(ctx, images), kStackPool);
}

ReceptiveField ConvolutionStack::FieldOf(int64_t row, int64_t column) const {
  // Units are `apart` pixels from each other. A 3 × 3 layer widens the field by
  // one unit on each side; 2 × 2 pooling doubles it.
  const int64_t apart = scale() / kStackPool;
  int64_t side = kStackWindow.size;
  for (size_t i = 1; i < layers_.size(); ++i) {
    side = kStackPool * side + kStackWindow.size - 1;
  }
  const int64_t before = 2 * apart - 1;  // apart + … + 2 + 1
  return {apart * row - before, apart * column - before, side};
}

Var FlatImages(const Var& x) {
  return Reshape(x, {x.dim(0), x.value().numel() / x.dim(0)});
}

}  // namespace heed
