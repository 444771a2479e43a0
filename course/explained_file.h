// Explanation of one prediction, for demonstrations.
#ifndef HEED_COURSE_EXPLAINED_FILE_H_
#define HEED_COURSE_EXPLAINED_FILE_H_

#include <string>

#include "heed/render/explanation_file.h"
#include "heed/tasks/run.h"

namespace heed {

/// Explains the prediction for an input and prints the explanation. A file is
/// explained by saliency if the model has no attention over it. Writes the
/// picture `name` into `folder`, and an HTML page if the build supports it.
/// Returns the paths, separated by a comma. Throws: IoError; FormatError.
std::string ShowExplained(const LoadedModel& loaded, const Input& given,
                          const std::string& folder, const std::string& name,
                          const PictureChoice& choice = {});

}  // namespace heed

#endif  // HEED_COURSE_EXPLAINED_FILE_H_
