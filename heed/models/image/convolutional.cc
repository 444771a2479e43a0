#include "heed/models/image/convolutional.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

constexpr int64_t kConvolutions = 2;

/// Number of outputs of both layers.
int64_t FlatSize(const ConvolutionalConfig& config, const ImageUse& use) {
  return ConvolutionStack::FlatSize(use.height, use.width, kConvolutions,
                                    int64_t{2} * config.filters);
}

}  // namespace

void ConvolutionalConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("filters", filters, Range(1, 4096),
    "filters of the first layer; the second has twice as many");
  v("units", units, Range(1, 65536), "units of the hidden layer");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop a unit of the hidden layer and its inputs");
  v("cell", cell, Range(0, 1024),
    "side in pixels of the squares in explanations; 0: about seven along the "
    "image");
  VisitPrecision(v, precision);
}

void ConvolutionalConfig::Fill(const ImageUse& use) {
  if (cell == 0) cell = static_cast<int>(UsualCell(use));
  CheckCell("cell", cell, use);
  if (FlatSize(*this, use) == 0) {
    throw ConfigError(
        "images of {0} × {1} pixels are too small for two poolings: at least "
        "{2} × {2}",
        use.width, use.height, ConvolutionStack::ScaleOf(kConvolutions));
  }
}

ConvolutionalClassifier::ConvolutionalClassifier(
    const Scope& scope, const ConvolutionalConfig& config, const ImageUse& use)
    : use_(use),
      cell_(config.cell),
      dropout_(config.dropout),
      layers_(scope, use.channels,
              {config.filters, int64_t{2} * config.filters}),
      hidden_(scope / "hidden", FlatSize(config, use), config.units, Init()),
      output_(scope / "output", config.units, use.classes, Init()) {}

Var ConvolutionalClassifier::Scores(const Context& ctx,
                                    const Var& images) const {
  CheckImages("convolutional", images, use_);
  Var x = layers_(ctx, ObservedImages(ctx, images, cell_));
  ctx.CheckCancelled();
  x = Relu(hidden_(ctx, Dropout(ctx, FlatImages(x), dropout_)));
  return output_(ctx, Dropout(ctx, x, dropout_));
}

ModelOutline ConvolutionalClassifier::Outline() const {
  std::vector<OutlineBlock> blocks = ConvolutionOutline(layers_);
  const Shape& hidden = hidden_.weight().value().shape();
  blocks.push_back({{{OutlinePart::Kind::kPool, "hidden layer", hidden[1],
                      fmt::format("relu, of all {} numbers", hidden[0])}},
                    1});
  blocks.push_back(OutputOutline("softmax", use_.classes));
  return {{},
          {{.name = "image", .axis = "source", .blocks = std::move(blocks)}}};
}

}  // namespace heed
