// Files of weights in a folder of Hugging Face.
#ifndef HEED_CONVERT_WEIGHT_FILES_H_
#define HEED_CONVERT_WEIGHT_FILES_H_

#include <string>

#include "heed/convert/source_weights.h"

namespace heed {

/// Opens the weights in model.safetensors or else in the files that
/// model.safetensors.index.json names. A tensor is read when it is taken.
/// `storage`: how the model that is filled stores them. Throws: IoError;
/// FormatError with file, tensor and reason; ConfigError if the files hold f16,
/// whose numbers bf16 cannot hold.
SourceWeights OpenSourceWeights(const std::string& folder,
                                const WeightStorage& storage = {});

/// Throws: FormatError with a remedy if the name is that of a file that Heed
/// never imports: a pickle, weights of another framework, an adapter.
void RefuseForeignFile(const std::string& path);
/// Throws: FormatError with a remedy if the folder holds an adapter, or weights
/// that Heed does not read and no safetensors.
void RefuseForeignWeights(const std::string& folder);

}  // namespace heed

#endif  // HEED_CONVERT_WEIGHT_FILES_H_
