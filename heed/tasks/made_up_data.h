// Options of earlier versions that made examples up.
#ifndef HEED_TASKS_MADE_UP_DATA_H_
#define HEED_TASKS_MADE_UP_DATA_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "heed/base/config.h"

namespace heed {

/// Removes such options: a model that was trained with them still opens.
/// `reads`: the option that names files now; `data`: what `heed generate` calls
/// them.
void RemoveMadeUpData(FieldList& v, std::initializer_list<const char*> keys,
                      std::string_view reads, std::string_view data);

/// Throws: ConfigError unless files are named, which happens if a run on
/// made-up examples is continued.
void RequireFiles(const std::string& path, std::string_view reads,
                  std::string_view data);

}  // namespace heed

#endif  // HEED_TASKS_MADE_UP_DATA_H_
