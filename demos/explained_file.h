// How a demonstration shows what a model answers, and why.
#ifndef HEED_DEMOS_EXPLAINED_FILE_H_
#define HEED_DEMOS_EXPLAINED_FILE_H_

#include <string>

#include "heed/tasks/run.h"

namespace heed {

/// Explains the answer to an input, prints that and writes the picture `name`
/// into `folder`. Returns the picture's path. Throws: IoError; FormatError.
std::string ShowExplained(const LoadedModel& loaded, Input given,
                          const std::string& folder, const std::string& name);
/// The same of a file that a model reads.
std::string ShowExplained(const LoadedModel& loaded, NamedBytes file,
                          const std::string& folder, const std::string& name);

}  // namespace heed

#endif  // HEED_DEMOS_EXPLAINED_FILE_H_
