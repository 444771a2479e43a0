#include "heed/base/registry.h"
#include "heed/render/axis_kind.h"

namespace heed {
namespace {

std::vector<AxisKind>& AllKinds() {
  static std::vector<AxisKind> kinds = {
      TextKind(),      //
      SeriesKind(),    //
      GraphKind(),     //
      TimelineKind(),  //
      ReviewsKind(),   //
      MemoryKind(),    //
      ImageKind(),     //
      DocumentKind(),  //
      PassageKind(),   //
      AudioKind(),     //
  };
  return kinds;
}

}  // namespace

const std::vector<AxisKind>& AxisKinds() { return AllKinds(); }

void AddAxisKind(AxisKind kind) {
  AddRow(AllKinds(), std::move(kind), "kind of axis");
}

const AxisKind& KindOf(const Axis& axis) {
  for (const AxisKind& kind : AllKinds()) {
    if (kind.name == axis.kind) return kind;
  }
  return AllKinds().front();
}

}  // namespace heed
