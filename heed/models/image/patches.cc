#include "heed/models/image/patches.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/patches.h"

namespace heed {

void PatchesConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("patch", patch, Range(0, 1024),
    "side of a patch in pixels, a divisor of the image's side; 0: about seven "
    "patches a side")
      .Main();
  v("pooling", pooling, "pooling of the vectors of patches");
  VisitEncoder(v);
}

void PatchesConfig::Fill(const std::string& model, const ImageUse& use) {
  if (patch == 0) patch = static_cast<int>(UsualCell(use));
  CheckCell("patch", patch, use);
  if (max_positions == 0) {
    max_positions = static_cast<int>(use.height / patch * (use.width / patch));
  }
  TransformerConfig::Fill(model);
  (void)Resolve(model);
}

PatchClassifier::PatchClassifier(const Scope& scope, const std::string& model,
                                 const PatchesConfig& config,
                                 const ImageUse& use)
    : use_(use),
      patch_(config.patch),
      input_(scope / "input", patch_ * patch_ * use.channels, config.width,
             config.Resolve(model).stack.init),
      encoder_(scope / "encoder", config.Resolve(model), config.width),
      pooling_(scope / "pooling", {.kind = config.pooling,
                                   .features = encoder_.output_size(),
                                   .init = {}}),
      output_(scope / "output", encoder_.output_size(), use.classes, Init()) {}

Var PatchClassifier::Scores(const Context& ctx, const Var& images) const {
  CheckImages("patches", images, use_);
  const Var patches = ctx.Input("source", ImagePatches(images, patch_));
  const Tensor lengths = Tensor::Full(
      {images.dim(0)}, static_cast<double>(patches.dim(1)), DType::kI32);
  return output_(
      ctx,
      pooling_(ctx, encoder_(ctx, input_(ctx, patches), lengths), lengths));
}

ModelOutline PatchClassifier::Outline() const {
  std::vector<OutlineBlock> blocks =
      OnBlock({{{.name = "linear, of patches",
                 .features = encoder_.output_size(),
                 .detail = fmt::format("of {0} × {0} pixels", patch_)}},
               1},
              encoder_.Outline());
  blocks.push_back(PoolingOutline(pooling_.options()));
  blocks.push_back(OutputOutline("softmax", use_.classes));
  return {{},
          {{.name = "image", .axis = "source", .blocks = std::move(blocks)}}};
}

}  // namespace heed
