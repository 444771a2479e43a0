// What a list of models says of each.
#ifndef HEED_MODELS_MODEL_INFO_H_
#define HEED_MODELS_MODEL_INFO_H_

#include <string>

namespace heed {

/// A named model of the literature: what Resolve fills in where a config says
/// "auto". A line of `heed list models`.
struct ModelInfo {
  std::string model;
  std::string variant;
  std::string description;
  std::string source;
};

}  // namespace heed

#endif  // HEED_MODELS_MODEL_INFO_H_
