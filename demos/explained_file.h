// How a demonstration shows what a model answers, and why.
#ifndef HEED_DEMOS_EXPLAINED_FILE_H_
#define HEED_DEMOS_EXPLAINED_FILE_H_

#include <string>

#include "heed/render/explanation_file.h"
#include "heed/tasks/run.h"

namespace heed {

/// Explains the answer to an input, prints that and writes the picture `name`
/// into `folder`. Returns the picture's path. Throws: IoError; FormatError.
std::string ShowExplained(const LoadedModel& loaded, Input given,
                          const std::string& folder, const std::string& name);
/// The same, and writes a page of this name too, where the build has pages.
/// Returns both paths, with a comma between.
std::string ShowExplainedWithPage(const LoadedModel& loaded, Input given,
                                  const std::string& folder,
                                  const std::string& name,
                                  const PictureChoice& choice = {});
/// As ShowExplained, of a file that a model reads; where a model neither
/// attends to it nor looks at parts of it, by saliency.
std::string ShowExplained(const LoadedModel& loaded, NamedBytes file,
                          const std::string& folder, const std::string& name);

}  // namespace heed

#endif  // HEED_DEMOS_EXPLAINED_FILE_H_
