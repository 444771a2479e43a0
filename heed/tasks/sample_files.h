// Files that pages offer as inputs to begin with: heed/tasks/samples.
#ifndef HEED_TASKS_SAMPLE_FILES_H_
#define HEED_TASKS_SAMPLE_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tasks/task.h"

namespace heed {

/// A file by its name, with its bytes in the program.
struct SampleFile {
  const char* name;
  std::span<const unsigned char> bytes;
};

/// All of them, by name. Its source is written by CMakeLists.txt.
std::span<const SampleFile> SampleFiles();

/// Those whose names begin so, as examples of inputs with this media type.
std::vector<InputExample> SampleInputs(std::string_view begin,
                                       const std::string& media_type);

}  // namespace heed

#endif  // HEED_TASKS_SAMPLE_FILES_H_
