#include "course/data/drawn_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

struct StrokePoint {
  double x, y;
};

/// Corners of each digit in the unit square, from (0, 0) at the top left to (1,
/// 1).
const std::array<std::vector<StrokePoint>, 10>& StrokesOfDigits() {
  static const std::array<std::vector<StrokePoint>, 10> strokes = {{
      {{.5, .08},
       {.28, .2},
       {.22, .5},
       {.28, .8},
       {.5, .92},
       {.72, .8},
       {.78, .5},
       {.72, .2},
       {.5, .08}},
      {{.35, .28}, {.55, .1}, {.55, .9}},
      {{.2, .3},
       {.3, .13},
       {.55, .08},
       {.75, .2},
       {.72, .42},
       {.2, .9},
       {.8, .9}},
      {{.22, .15},
       {.5, .08},
       {.75, .22},
       {.68, .42},
       {.45, .48},
       {.72, .58},
       {.78, .75},
       {.55, .92},
       {.2, .85}},
      {{.6, .9}, {.6, .1}, {.2, .65}, {.82, .65}},
      {{.75, .1},
       {.3, .1},
       {.26, .45},
       {.55, .42},
       {.76, .6},
       {.7, .82},
       {.45, .92},
       {.2, .82}},
      {{.65, .08},
       {.36, .35},
       {.24, .65},
       {.35, .88},
       {.6, .9},
       {.74, .72},
       {.6, .55},
       {.36, .58},
       {.25, .7}},
      {{.2, .12}, {.78, .12}, {.42, .9}},
      {{.5, .48},
       {.28, .3},
       {.4, .1},
       {.62, .1},
       {.72, .3},
       {.5, .48},
       {.24, .7},
       {.38, .91},
       {.64, .91},
       {.76, .7},
       {.5, .48}},
      {{.74, .35},
       {.55, .48},
       {.3, .42},
       {.25, .22},
       {.45, .08},
       {.7, .15},
       {.74, .35},
       {.68, .65},
       {.5, .92}},
  }};
  return strokes;
}

double SquaredDistance(StrokePoint p, StrokePoint a, StrokePoint b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double t =
      length > 0
          ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0)
          : 0;
  const double x = p.x - a.x - t * dx, y = p.y - a.y - t * dy;
  return x * x + y * y;
}

/// Returns the jittered and transformed corners of a digit. Units: pixels.
std::vector<StrokePoint> MovedStroke(size_t digit, double side, Rng& rng) {
  const double angle = rng.Uniform(-0.25, 0.25);
  const double shear = rng.Uniform(-0.2, 0.2);
  const double wide = side * rng.Uniform(0.5, 0.72);
  const double high = side * rng.Uniform(0.55, 0.75);
  const double x0 = side * rng.Uniform(0.46, 0.54);
  const double y0 = side * rng.Uniform(0.46, 0.54);
  std::vector<StrokePoint> points;
  for (const StrokePoint& corner : StrokesOfDigits()[digit]) {
    const double y = corner.y - 0.5 + 0.025 * rng.Normal();
    const double x = corner.x - 0.5 + 0.025 * rng.Normal() - shear * y;
    points.push_back({x0 + wide * (x * std::cos(angle) - y * std::sin(angle)),
                      y0 + high * (x * std::sin(angle) + y * std::cos(angle))});
  }
  return points;
}

void DrawDigit(size_t digit, const DrawnDigitsConfig& config, Rng& rng,
               uint8_t* out) {
  const auto side = static_cast<double>(config.side);
  const std::vector<StrokePoint> points = MovedStroke(digit, side, rng);
  const double half = side / 28 * rng.Uniform(0.8, 1.6);
  const double light = rng.Uniform(0.75, 1);
  for (int64_t y = 0; y < config.side; ++y) {
    for (int64_t x = 0; x < config.side; ++x) {
      const StrokePoint pixel = {static_cast<double>(x) + 0.5,
                                 static_cast<double>(y) + 0.5};
      double nearest = side * side * 4;
      for (size_t i = 0; i + 1 < points.size(); ++i) {
        nearest =
            std::min(nearest, SquaredDistance(pixel, points[i], points[i + 1]));
      }
      const double ink = std::clamp(half + 0.5 - std::sqrt(nearest), 0.0, 1.0);
      const double grey = light * ink + config.noise * rng.Normal();
      out[y * config.side + x] =
          static_cast<uint8_t>(std::lround(255 * std::clamp(grey, 0.0, 1.0)));
    }
  }
}

}  // namespace

ImageSet DrawDigits(const DrawnDigitsConfig& config) {
  if (config.images < 1 || config.side < 8) {
    throw ConfigError("digits: {} images of {} pixels; 1 of 8 at least",
                      config.images, config.side);
  }
  ImageSet set;
  set.format = {config.side, config.side, 1};
  for (int digit = 0; digit < 10; ++digit) {
    set.classes.push_back(std::to_string(digit));
  }
  set.pixels.resize(static_cast<size_t>(config.images * set.format.size()));
  for (int64_t i = 0; i < config.images; ++i) {
    Rng rng(Rng(config.seed, static_cast<uint64_t>(i)).Next());
    const auto digit = static_cast<size_t>(rng.Below(10));
    set.labels.push_back(static_cast<int32_t>(digit));
    DrawDigit(digit, config, rng, set.pixels.data() + i * set.format.size());
  }
  return set;
}

}  // namespace heed
