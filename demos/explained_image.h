// How a demonstration shows what a model answers to an image, and why.
#ifndef HEED_DEMOS_EXPLAINED_IMAGE_H_
#define HEED_DEMOS_EXPLAINED_IMAGE_H_

#include <string>

#include "heed/tasks/run.h"

namespace heed {

/// Explains the answer to a PNG file's bytes, prints that and writes the
/// picture `name` into `folder`. Returns the picture's path. Throws: IoError;
/// FormatError.
std::string ShowExplainedImage(const LoadedModel& loaded,
                               const std::string& png,
                               const std::string& folder,
                               const std::string& name);

}  // namespace heed

#endif  // HEED_DEMOS_EXPLAINED_IMAGE_H_
