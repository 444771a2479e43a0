#include "heed/models/frame_order/frame_order.h"

#include <fmt/format.h>

#include <vector>

#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int64_t kTrunkLayers = 3;

/// Size of one frame. Throws: ConfigError.
ImageUse FrameOf(const ImageUse& strips) {
  if (strips.width % kStripFrames != 0) {
    throw ConfigError("a strip of {} × {} pixels is no {} frames side by side",
                      strips.width, strips.height, kStripFrames);
  }
  ImageUse frame = strips;
  frame.width /= kStripFrames;
  return frame;
}

}  // namespace

void TripletConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("filters", filters, Range(1, 1024),
    "filters of the first layer; the second has twice, the third four times as "
    "many");
  v("features", features, Range(1, 65536), "features of a frame");
  v("units", units, Range(1, 65536),
    "units of the hidden layer over the features of all three frames");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop a feature or a unit of the hidden layer");
  v("cell", cell, Range(0, 1024),
    "side in pixels of the squares in explanations; 0: about seven along a "
    "frame");
  VisitPrecision(v, precision);
}

void TripletConfig::Fill(const ImageUse& strips) {
  const ImageUse frame = FrameOf(strips);
  const int64_t min = ConvolutionStack::ScaleOf(kTrunkLayers);
  if (frame.height < min || frame.width < min) {
    throw ConfigError(
        "frames of {0} × {1} pixels are too small for three poolings: at least "
        "{2} × {2}",
        frame.width, frame.height, min);
  }
  if (cell == 0) cell = static_cast<int>(UsualCell(frame));
  CheckCell("cell", cell, frame);
}

std::vector<int64_t> TripletConfig::TrunkFilters() const {
  return {filters, int64_t{2} * filters, int64_t{4} * filters};
}

TripletClassifier::TripletClassifier(const Scope& scope,
                                     const TripletConfig& config,
                                     const ImageUse& strips)
    : use_(strips),
      cell_(config.cell),
      dropout_(config.dropout),
      trunk_(scope / "trunk", strips.channels, config.TrunkFilters()),
      features_(scope / "features",
                ConvolutionStack::FlatSize(strips.height, FrameOf(strips).width,
                                           kTrunkLayers, trunk_.units()),
                config.features, Init()),
      hidden_(scope / "hidden", kStripFrames * config.features, config.units,
              Init()),
      output_(scope / "output", config.units, strips.classes, Init()) {}

Var TripletClassifier::Scores(const Context& ctx, const Var& strips) const {
  CheckImages("triplet", strips, use_);
  const Var frames = FramesOfStrips(ObservedImages(ctx, strips, cell_));
  Var x = Relu(features_(ctx, FlatImages(trunk_(ctx, frames))));
  ctx.CheckCancelled();
  const int64_t batch = strips.dim(0);
  std::vector<Var> parts;
  for (int64_t i = 0; i < kStripFrames; ++i) {
    parts.push_back(Slice(x, i * batch, (i + 1) * batch));
  }
  x = Relu(hidden_(ctx, Dropout(ctx, ConcatColumns(parts), dropout_)));
  return output_(ctx, Dropout(ctx, x, dropout_));
}

ModelOutline TripletClassifier::Outline() const {
  const Shape& hidden = hidden_.weight().value().shape();
  OutlineSequence frames = {.name = "frames", .axis = {}};
  frames.items = {"first", "second", "third"};
  for (OutlineBlock& block : ConvolutionOutline(trunk_)) {
    // Layers act within a frame, not between frames.
    block.parts[0].kind = OutlinePart::Kind::kEach;
    frames.blocks.push_back(std::move(block));
  }
  frames.blocks.push_back({{{.name = "features",
                             .features = hidden[0] / kStripFrames,
                             .detail = "relu"}},
                           1});
  frames.blocks.push_back({{{OutlinePart::Kind::kPool, "hidden layer",
                             hidden[1], "relu, of all frames"}},
                           1});
  frames.blocks.push_back(OutputOutline("softmax", use_.classes));
  return {{}, {std::move(frames)}};
}

Var FramesOfStrips(const Var& strips) {
  const Shape& shape = strips.shape();
  CheckShapes(shape.rank() == 4 && shape[2] % kStripFrames == 0, "frames",
              "strips are no three frames side by side", {shape});
  const int64_t batch = shape[0], height = shape[1], channels = shape[3];
  const int64_t width = shape[2] / kStripFrames;
  const Var rows =
      Reshape(strips, {batch * height, kStripFrames, width * channels});
  return Reshape(TransposeLeading(rows),
                 {kStripFrames * batch, height, width, channels});
}

}  // namespace heed
