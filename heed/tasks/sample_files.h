// Sample files that web pages offer as example inputs: heed/tasks/samples.
#ifndef HEED_TASKS_SAMPLE_FILES_H_
#define HEED_TASKS_SAMPLE_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tasks/task.h"

namespace heed {

/// A sample file, embedded in the program.
struct SampleFile {
  const char* name;
  std::span<const unsigned char> bytes;
};

/// All sample files, sorted by name. CMakeLists.txt generates the definition.
std::span<const SampleFile> SampleFiles();

/// Example inputs from the sample files whose names start with `begin`.
std::vector<InputExample> SampleInputs(std::string_view begin,
                                       const std::string& media_type);

}  // namespace heed

#endif  // HEED_TASKS_SAMPLE_FILES_H_
