#include "heed/tasks/sample_files.h"

namespace heed {

std::vector<InputExample> SampleInputs(std::string_view begin,
                                       const std::string& media_type) {
  std::vector<InputExample> inputs;
  for (const SampleFile& file : SampleFiles()) {
    const std::string name = file.name;
    if (!name.starts_with(begin)) continue;
    inputs.push_back({name, "", [&file, name, media_type] {
                        return NamedBytes{
                            name, media_type,
                            std::string(file.bytes.begin(), file.bytes.end())};
                      }});
  }
  return inputs;
}

}  // namespace heed
