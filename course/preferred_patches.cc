#include "course/preferred_patches.h"

#include <algorithm>
#include <numeric>

#include "heed/base/at.h"

namespace heed {
namespace {

constexpr int64_t kFramesAtOnce = 100;
constexpr uint8_t kBeyond = 128;

bool Touches(const ReceptiveField& field, const SpriteBox& box) {
  return field.left < box.right && box.left < field.left + field.side &&
         field.top < box.bottom && box.top < field.top + field.side;
}

bool MiddleIsOn(const ReceptiveField& field, const SpriteBox& box) {
  const int64_t x = field.left + field.side / 2;
  const int64_t y = field.top + field.side / 2;
  return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}

/// Sums over all frames and positions.
struct PlaceCounts {
  int64_t places = 0;
  int64_t touching = 0;
  int64_t middle = 0;
  double activation = 0;
  double activation_of_middle = 0;
};

}  // namespace

Preferences FindPreferences(const ConvolutionStack& trunk, const Images& frames,
                            const std::vector<SpriteBox>& boxes,
                            const PreferenceOptions& options) {
  const int64_t count = std::ssize(boxes);
  const int64_t units = trunk.units();
  // Best patch of each unit in each frame.
  std::vector<std::vector<PreferredPatch>> best(static_cast<size_t>(units));
  Preferences found;
  PlaceCounts sums;
  std::vector<int64_t> indices;
  for (int64_t begin = 0; begin < count; begin += kFramesAtOnce) {
    indices.resize(static_cast<size_t>(std::min(kFramesAtOnce, count - begin)));
    std::iota(indices.begin(), indices.end(), begin);
    const Tensor all =
        trunk.Activations({}, ImageBatch(frames, indices)).value();
    found.columns = all.dim(2);
    for (const int64_t frame : indices) {
      const SpriteBox& box = At(boxes, frame);
      std::vector<float>& map = found.maps.emplace_back();
      for (std::vector<PreferredPatch>& own : best) {
        own.push_back({frame, trunk.FieldOf(0, 0), -1, false});
      }
      for (int64_t place = 0; place < all.dim(1) * all.dim(2); ++place) {
        const ReceptiveField field =
            trunk.FieldOf(place / all.dim(2), place % all.dim(2));
        const bool touches = Touches(field, box);
        const float* values =
            all.data<float>() +
            ((frame - begin) * all.dim(1) * all.dim(2) + place) * units;
        const float mean = std::accumulate(values, values + units, 0.0F) /
                           static_cast<float>(units);
        map.push_back(mean);
        ++sums.places;
        sums.touching += touches ? 1 : 0;
        sums.activation += mean;
        if (MiddleIsOn(field, box)) {
          ++sums.middle;
          sums.activation_of_middle += mean;
        }
        for (int64_t u = 0; u < units; ++u) {
          PreferredPatch& own = At(best, u).back();
          if (values[u] > own.activation) {
            own = {frame, field, values[u], touches};
          }
        }
      }
    }
  }
  for (int64_t u = 0; u < units; ++u) {
    std::vector<PreferredPatch>& own = At(best, u);
    PreferringUnit unit;
    unit.unit = u;
    for (const PreferredPatch& patch : own) {
      unit.strength += double{patch.activation} / static_cast<double>(count);
    }
    std::ranges::stable_sort(own, std::ranges::greater(),
                             &PreferredPatch::activation);
    own.resize(static_cast<size_t>(std::min(options.patches, count)));
    unit.patches = std::move(own);
    found.units.push_back(std::move(unit));
  }
  std::ranges::stable_sort(found.units, std::ranges::greater(),
                           &PreferringUnit::strength);
  found.units.resize(static_cast<size_t>(std::min(options.units, units)));
  int64_t shown = 0, touching = 0;
  for (const PreferringUnit& unit : found.units) {
    shown += std::ssize(unit.patches);
    touching += std::ranges::count_if(unit.patches, &PreferredPatch::touches);
  }
  const auto share = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  found.touching = share(touching, shown);
  found.chance = share(sums.touching, sums.places);
  if (sums.middle > 0 && sums.activation > 0) {
    found.focus = sums.activation_of_middle / static_cast<double>(sums.middle) /
                  (sums.activation / static_cast<double>(sums.places));
  }
  return found;
}

Image PatchOf(const Image& frame, const ReceptiveField& field) {
  Image patch = {field.side, field.side, frame.channels, {}};
  for (int64_t y = field.top; y < field.top + field.side; ++y) {
    for (int64_t x = field.left; x < field.left + field.side; ++x) {
      const bool inside =
          y >= 0 && y < frame.height && x >= 0 && x < frame.width;
      for (int64_t c = 0; c < frame.channels; ++c) {
        patch.pixels.push_back(inside ? At(frame.At(y, x), c) : kBeyond);
      }
    }
  }
  return patch;
}

}  // namespace heed
