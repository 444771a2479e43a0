#include "heed/tasks/made_up_data.h"

#include <fmt/format.h>

#include "heed/base/errors.h"

namespace heed {

void RemoveMadeUpData(FieldList& v, std::initializer_list<const char*> keys,
                      std::string_view reads, std::string_view data) {
  static std::string unused;
  for (const char* key : keys) {
    v(key, unused, "");
    v.Remove(key, fmt::format("made-up data are files, which {} reads; heed "
                              "generate {} writes them",
                              reads, data));
  }
}

void RequireFiles(const std::string& path, std::string_view reads,
                  std::string_view data) {
  if (!path.empty()) return;
  throw ConfigError(
      "no examples are named: {} names files, and heed generate {} writes "
      "made-up ones; a run on examples that an earlier version made up cannot "
      "be continued",
      reads, data);
}

}  // namespace heed
