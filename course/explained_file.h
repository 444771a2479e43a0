// How a demonstration shows what a model answers, and why.
#ifndef HEED_COURSE_EXPLAINED_FILE_H_
#define HEED_COURSE_EXPLAINED_FILE_H_

#include <string>

#include "heed/render/explanation_file.h"
#include "heed/tasks/run.h"

namespace heed {

/// Explains the answer to an input and prints that; a file that a model does
/// not attend to by saliency. Writes the picture `name` into `folder`, and a
/// page where the build has pages. Returns the paths with a comma between.
/// Throws: IoError; FormatError.
std::string ShowExplained(const LoadedModel& loaded, const Input& given,
                          const std::string& folder, const std::string& name,
                          const PictureChoice& choice = {});

}  // namespace heed

#endif  // HEED_COURSE_EXPLAINED_FILE_H_
