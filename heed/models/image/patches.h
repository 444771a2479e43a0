// Transformer over the patches of an image (ViT).
#ifndef HEED_MODELS_IMAGE_PATCHES_H_
#define HEED_MODELS_IMAGE_PATCHES_H_

#include <string>

#include "heed/models/image_classifier.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/models/transformer/transformer_encoder.h"
#include "heed/nn/pooling.h"

namespace heed {

/// User-facing configuration of a PatchClassifier.
struct PatchesConfig : TransformerConfig {
  int patch = 0;
  Named<PoolingKind> pooling = PoolingKind::kAttention;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const std::string& model, const ImageUse& use);
};

/// Patches are projected to the model width, given positions, encoded by a
/// Transformer, pooled to one vector and mapped to scores. Parameters: input,
/// encoder (positions.weight, layers), pooling, output. Paper: Dosovitskiy et
/// al. 2020, arXiv:2010.11929; here attention pooling with one query replaces
/// the class token.
class PatchClassifier : public ImageClassifier {
 public:
  /// Throws: ConfigError.
  PatchClassifier(const Scope& scope, const std::string& model,
                  const PatchesConfig& config, const ImageUse& use);

  Var Scores(const Context& ctx, const Var& images) const override;
  int64_t cell() const override { return patch_; }
  ModelOutline Outline() const override;

 private:
  ImageUse use_;
  int64_t patch_;
  Linear input_;
  TransformerEncoder encoder_;
  Pooling pooling_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_PATCHES_H_
