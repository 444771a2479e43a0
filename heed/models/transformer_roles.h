// The Transformers of the registry.
#ifndef HEED_MODELS_TRANSFORMER_ROLES_H_
#define HEED_MODELS_TRANSFORMER_ROLES_H_

#include <vector>

#include "heed/models/registry.h"

namespace heed {

/// Encoder-decoders, of which each half also stands alone.
std::vector<ModelRow> TransformerModels();
/// Encoders that are pre-trained.
std::vector<ModelRow> BertModels();
/// Encoders of patches of a series.
std::vector<ModelRow> PatchModels();

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_ROLES_H_
