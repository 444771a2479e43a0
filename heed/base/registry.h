// Helper of registries of named rows.
#ifndef HEED_BASE_REGISTRY_H_
#define HEED_BASE_REGISTRY_H_

#include <algorithm>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"

namespace heed {

/// Appends a row; `what` names the kind of row in messages. Throws: ConfigError
/// if the name is taken.
template <typename Rows>
void AddRow(Rows& rows, typename Rows::value_type row, std::string_view what) {
  const auto has_its_name = [&row](const auto& other) {
    return other.name == row.name;
  };
  if (std::any_of(rows.begin(), rows.end(), has_its_name)) {
    throw ConfigError("there is a {} '{}' already", what, row.name);
  }
  rows.push_back(std::move(row));
}

}  // namespace heed

#endif  // HEED_BASE_REGISTRY_H_
