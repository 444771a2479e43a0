#include "heed/models/convolutional.h"

#include "heed/base/errors.h"
#include "heed/ops/convolution2d.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr Window2d kWindow = {.size = 3, .stride = 1, .padding = 1};
constexpr int64_t kPool = 2;

/// Numbers behind both layers.
int64_t FlatSize(const ConvolutionalConfig& config, const ImageUse& use) {
  return use.height / (kPool * kPool) * (use.width / (kPool * kPool)) * 2 *
         config.filters;
}

Var Flat(const Var& x) {
  return Reshape(x, {x.dim(0), x.dim(1) * x.dim(2) * x.dim(3)});
}

}  // namespace

void ConvolutionalConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("filters", filters, Range(1, 4096),
    "filters of the first layer; the second has twice as many");
  v("units", units, Range(1, 65536), "of the hidden layer");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop a unit of the hidden layer and its inputs");
  v("cell", cell, Range(0, 1024),
    "side in pixels of the squares that explanations speak of; 0: about seven "
    "along the image");
  VisitPrecision(v, precision);
}

void ConvolutionalConfig::Fill(const ImageUse& use) {
  if (cell == 0) cell = static_cast<int>(UsualCell(use));
  CheckCell("cell", cell, use);
  if (FlatSize(*this, use) == 0) {
    throw ConfigError(
        "images of {} × {} pixels are too small for two poolings: at least "
        "{} × {}",
        use.width, use.height, kPool * kPool, kPool * kPool);
  }
}

ConvolutionalClassifier::ConvolutionalClassifier(
    const Scope& scope, const ConvolutionalConfig& config, const ImageUse& use)
    : use_(use),
      cell_(config.cell),
      dropout_(config.dropout),
      first_(scope / "first", use.channels, config.filters, kWindow),
      second_(scope / "second", config.filters, int64_t{2} * config.filters,
              kWindow),
      hidden_(scope / "hidden", FlatSize(config, use), config.units, Init()),
      output_(scope / "output", config.units, use.classes, Init()) {}

Var ConvolutionalClassifier::Scores(const Context& ctx,
                                    const Var& images) const {
  CheckImages("convolutional", images, use_);
  Var x = ObservedImages(ctx, images, cell_);
  ctx.CheckCancelled();
  x = MaxPool2d(Relu(first_(ctx, x)), kPool);
  ctx.CheckCancelled();
  x = MaxPool2d(Relu(second_(ctx, x)), kPool);
  x = Relu(hidden_(ctx, Dropout(ctx, Flat(x), dropout_)));
  return output_(ctx, Dropout(ctx, x, dropout_));
}

}  // namespace heed
