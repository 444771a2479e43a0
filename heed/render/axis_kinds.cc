#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"
#include "heed/base/registry.h"
#include "heed/render/axis_kind.h"

namespace heed {
namespace {

std::vector<AxisKind>& AllKinds() {
  static std::vector<AxisKind> kinds = {TextKind(), SeriesKind()};
  return kinds;
}

}  // namespace

const std::vector<AxisKind>& AxisKinds() { return AllKinds(); }

void AddAxisKind(AxisKind kind) {
  AddRow(AllKinds(), std::move(kind), "kind of axis");
}

const AxisKind& KindOf(const Axis& axis) {
  std::vector<std::string> names;
  for (const AxisKind& kind : AllKinds()) {
    if (kind.name == axis.kind) return kind;
    names.push_back(kind.name);
  }
  throw ShapeError("axis '{}': unknown kind '{}' (valid: {})", axis.id,
                   axis.kind, fmt::join(names, ", "));
}

}  // namespace heed
