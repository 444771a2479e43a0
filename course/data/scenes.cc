#include "course/data/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

constexpr int64_t kSlots = 4;  // along each side
constexpr int64_t kPlaceSide = kSceneSide / kSlots;
constexpr int kMaxShapes = 3;
constexpr std::array kShapeNames = {"circle", "square", "triangle", "cross"};
constexpr std::array kSizeNames = {"small", "large"};
constexpr std::array<double, 2> kHalfSides = {2.8, 5.6};  // pixels

struct SceneColour {
  const char* name;
  std::array<double, 3> rgb;
};
constexpr std::array<SceneColour, 4> kSceneColours = {{
    {"red", {0.83, 0.15, 0.15}},
    {"blue", {0.1, 0.35, 0.85}},
    {"yellow", {0.92, 0.78, 0.1}},
    {"black", {0.08, 0.08, 0.08}},
}};

struct SceneShape {
  size_t shape = 0;
  size_t colour = 0;
  size_t size = 0;
  int64_t place = 0;  // row · 4 + column
  double x = 0;       // of the centre
  double y = 0;

  double half() const { return kHalfSides[size]; }
  int64_t row() const { return place / kSlots; }
};

/// Returns the signed distance of a point from a shape's outline; negative
/// inside.
double Outside(const SceneShape& s, double x, double y) {
  const double dx = std::abs(x - s.x), dy = std::abs(y - s.y);
  const double half = s.half();
  switch (s.shape) {
    case 0:
      return std::hypot(dx, dy) - half;
    case 1:
      return std::max(dx, dy) - half * 0.9;
    case 2: {
      // The triangle has one corner at the top and two at the bottom.
      const double below = y - s.y - half * 0.85;
      const double side = (dx * 2 - (y - s.y) - half) / std::sqrt(5.0);
      return std::max(below, side);
    }
    default: {
      const double bar = half * 0.32;
      return std::min(std::max(dx - half, dy - bar),
                      std::max(dx - bar, dy - half));
    }
  }
}

/// Draws shapes at distinct places, row by row.
std::vector<SceneShape> ArrangeShapes(Rng& rng) {
  std::vector<int64_t> places(kSlots * kSlots);
  std::iota(places.begin(), places.end(), int64_t{0});
  Shuffle(places, rng);
  const auto count = 1 + static_cast<size_t>(rng.Below(kMaxShapes));
  std::sort(places.begin(), places.begin() + static_cast<long>(count));
  std::vector<SceneShape> shapes;
  for (size_t i = 0; i < count; ++i) {
    SceneShape s;
    s.shape = static_cast<size_t>(rng.Below(kShapeNames.size()));
    s.colour = static_cast<size_t>(rng.Below(kSceneColours.size()));
    s.size = static_cast<size_t>(rng.Below(kSizeNames.size()));
    s.place = places[i];
    const auto centre = [&rng, &s](int64_t index) {
      const double room = static_cast<double>(kPlaceSide) / 2 - s.half() - 0.5;
      return static_cast<double>(index * kPlaceSide) +
             static_cast<double>(kPlaceSide) / 2 + rng.Uniform(-room, room);
    };
    s.x = centre(s.place % kSlots);
    s.y = centre(s.row());
    shapes.push_back(s);
  }
  return shapes;
}

void PaintScene(const std::vector<SceneShape>& shapes, Rng& rng, uint8_t* out) {
  const double light = rng.Uniform(0.72, 0.97);
  for (int64_t y = 0; y < kSceneSide; ++y) {
    for (int64_t x = 0; x < kSceneSide; ++x) {
      const double ground = light + 0.02 * rng.Normal();
      std::array<double, 3> colour = {ground, ground, ground};
      for (const SceneShape& s : shapes) {
        const double ink =
            std::clamp(0.5 - Outside(s, static_cast<double>(x) + 0.5,
                                     static_cast<double>(y) + 0.5),
                       0.0, 1.0);
        for (size_t c = 0; c < 3; ++c) {
          colour[c] += ink * (kSceneColours[s.colour].rgb[c] - colour[c]);
        }
      }
      for (const double value : colour) {
        *out++ = static_cast<uint8_t>(
            std::lround(255 * std::clamp(value, 0.0, 1.0)));
      }
    }
  }
}

void DescribeScene(const std::vector<SceneShape>& shapes, std::string& caption,
                   std::vector<WordBox>& boxes) {
  int64_t words = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const SceneShape& s = shapes[i];
    if (i > 0) {
      const bool beside = s.row() == shapes[i - 1].row();
      caption += beside ? " left of " : " above ";
      words += beside ? 2 : 1;
    }
    caption += std::string("a ") + kSizeNames[s.size] + ' ' +
               kSceneColours[s.colour].name + ' ' + kShapeNames[s.shape];
    words += 4;
    const auto first = [&s](double centre) {
      return static_cast<int64_t>(std::floor(centre - s.half()));
    };
    const auto beyond = [&s](double centre) {
      return static_cast<int64_t>(std::ceil(centre + s.half()));
    };
    boxes.push_back(
        {words - 1, first(s.x), first(s.y), beyond(s.x), beyond(s.y)});
  }
}

}  // namespace

CaptionedImages DrawScenes(const ScenesConfig& config) {
  CaptionedImages set;
  set.format = {kSceneSide, kSceneSide, 3};
  if (config.scenes < 1 || config.scenes > kMaxSetBytes / set.format.size()) {
    throw ConfigError("scenes: {} of them; from 1 to {}", config.scenes,
                      kMaxSetBytes / set.format.size());
  }
  const auto count = static_cast<size_t>(config.scenes);
  set.pixels.resize(count * static_cast<size_t>(set.format.size()));
  set.captions.resize(count);
  set.boxes.resize(count);
  set.image_of.resize(count);
  std::iota(set.image_of.begin(), set.image_of.end(), int64_t{0});
  ParallelForEach(config.scenes, 64, [&](int64_t i) {
    Rng rng(Rng(config.seed, static_cast<uint64_t>(i)).Next());
    const auto at = static_cast<size_t>(i);
    const std::vector<SceneShape> shapes = ArrangeShapes(rng);
    PaintScene(shapes, rng, set.pixels.data() + i * set.format.size());
    DescribeScene(shapes, set.captions[at], set.boxes[at]);
  });
  return set;
}

}  // namespace heed
