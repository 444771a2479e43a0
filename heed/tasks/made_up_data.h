// Removed options of earlier versions that generated synthetic examples.
#ifndef HEED_TASKS_MADE_UP_DATA_H_
#define HEED_TASKS_MADE_UP_DATA_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "heed/base/config.h"

namespace heed {

/// Removes these options; a model that was trained with them can still be read.
/// `reads`: the option that replaces them and names files; `data`: the name of
/// the data set in `heed generate`.
void RemoveMadeUpData(FieldList& v, std::initializer_list<const char*> keys,
                      std::string_view reads, std::string_view data);

/// Throws: ConfigError if no file is named, as when a run on synthetic examples
/// is resumed.
void RequireFiles(const std::string& path, std::string_view reads,
                  std::string_view data);

}  // namespace heed

#endif  // HEED_TASKS_MADE_UP_DATA_H_
