// The recurrent models of the registry.
#ifndef HEED_MODELS_RECURRENT_ROLES_H_
#define HEED_MODELS_RECURRENT_ROLES_H_

#include <vector>

#include "heed/models/registry.h"

namespace heed {

/// Encoder-decoders.
std::vector<ModelRow> RecurrentModels();
/// Networks that read or continue, with attention over their own states.
std::vector<ModelRow> RnnModels();

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_ROLES_H_
