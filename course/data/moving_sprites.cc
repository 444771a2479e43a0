#include "course/data/moving_sprites.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr int64_t kMinSpriteSide = 24;
// Frame side in pixels at which the sizes of sprites are defined; they scale
// with the frame.
constexpr double kUsualSpriteSide = 48;
/// Contrast of the background. It contains black and white, which sprites do
/// not.
constexpr double kContrast = 2.5;

/// A star with `corners` points at radius 1 and notches at radius `notch`
/// between them; cos(π / corners) gives a polygon. No corners: a disc. Nothing
/// is drawn below radius `hole`.
struct SpriteShape {
  int corners = 0;
  double notch = 1;
  double hole = 0;
};
constexpr std::array<SpriteShape, kSpriteKinds.size()> kSpriteShapes = {{
    {0, 1, 0},
    {0, 1, 0.55},
    {3, 0.5, 0},
    {4, 0.7071, 0},
    {4, 0.35, 0},
    {5, 0.42, 0},
}};

struct SpritePoint {
  double x, y;
};

/// Parameters of one clip. Units: pixels, radians.
struct SpriteClip {
  SpriteShape shape;
  double radius = 0;
  double rim = 0;
  double angle = 0;
  double fill = 0;  // grey level; white is 1
  double edge = 0;
  std::array<SpritePoint, kWindowFrames> centres = {};
};

/// Returns the radius of a shape's outline at an angle.
double OutlineOf(const SpriteShape& shape, double angle) {
  if (shape.corners == 0) return 1;
  const double half = std::numbers::pi / shape.corners;
  const double folded = std::abs(std::remainder(angle, 2 * half));
  // The outline is the line from the corner at 0 to the notch at `half`.
  return shape.notch * std::sin(half) /
         (std::sin(folded) + shape.notch * std::sin(half - folded));
}

/// Adds smooth noise in 0 to 1: random values on a grid, interpolated.
void AddNoise(int64_t side, double spacing, double weight, Rng& rng,
              std::vector<double>& ground) {
  const auto corners =
      static_cast<int64_t>(std::ceil(static_cast<double>(side) / spacing)) + 2;
  std::vector<double> values(static_cast<size_t>(corners * corners));
  for (double& value : values) value = rng.Uniform();
  const double dx = rng.Uniform(), dy = rng.Uniform();
  const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
  for (int64_t y = 0; y < side; ++y) {
    const double v = static_cast<double>(y) / spacing + dy;
    const double fy = smooth(v - std::floor(v));
    for (int64_t x = 0; x < side; ++x) {
      const double u = static_cast<double>(x) / spacing + dx;
      const double fx = smooth(u - std::floor(u));
      const double* at = values.data() + static_cast<int64_t>(v) * corners +
                         static_cast<int64_t>(u);
      At(ground, y * side + x) +=
          weight * ((1 - fy) * ((1 - fx) * at[0] + fx * at[1]) +
                    fy * ((1 - fx) * at[corners] + fx * at[corners + 1]));
    }
  }
}

SpriteClip PlanClip(size_t kind, int64_t side, Rng& rng) {
  const double scale = static_cast<double>(side) / kUsualSpriteSide;
  SpriteClip clip;
  clip.shape = kSpriteShapes[kind];
  clip.radius = scale * rng.Uniform(4.8, 6.2);
  clip.rim = 1.2 * scale;
  clip.angle = rng.Uniform(0, 2 * std::numbers::pi);
  const bool light = rng.Below(2) == 0;
  clip.fill = light ? rng.Uniform(0.75, 0.9) : rng.Uniform(0.1, 0.25);
  clip.edge = 1 - clip.fill;
  // The path is an arc, shifted to fit into the frame.
  const double speed = scale * rng.Uniform(3.5, 6);
  const double bend = rng.Uniform(-0.3, 0.3);
  double direction = rng.Uniform(0, 2 * std::numbers::pi);
  SpritePoint at = {0, 0}, low = at, high = at;
  for (SpritePoint& centre : clip.centres) {
    centre = at;
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
    at.x += speed * std::cos(direction);
    at.y += speed * std::sin(direction);
    direction += bend;
  }
  const double room = clip.radius + 1;
  const double far = static_cast<double>(side) - room;
  const double x = rng.Uniform(room - low.x, far - high.x);
  const double y = rng.Uniform(room - low.y, far - high.y);
  for (SpritePoint& centre : clip.centres) {
    centre = {centre.x + x, centre.y + y};
  }
  return clip;
}

/// Draws the sprite at a position and returns its bounding box.
SpriteBox DrawSprite(const SpriteClip& clip, SpritePoint centre, int64_t side,
                     std::span<uint8_t> frame) {
  SpriteBox box = {side, side, 0, 0};
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x) {
      const double dx = static_cast<double>(x) + 0.5 - centre.x;
      const double dy = static_cast<double>(y) + 0.5 - centre.y;
      const double distance = std::hypot(dx, dy);
      if (distance > clip.radius + 1) continue;
      const double outline =
          clip.radius * OutlineOf(clip.shape, std::atan2(dy, dx) - clip.angle);
      // Distance to the outline or the hole, positive inside the shape.
      const double inside = std::min(
          outline - distance, clip.shape.hole > 0
                                  ? distance - clip.radius * clip.shape.hole
                                  : outline - distance);
      const double ink = std::clamp(inside + 0.5, 0.0, 1.0);
      if (ink <= 0) continue;
      const double core = std::clamp(inside - clip.rim + 0.5, 0.0, 1.0);
      const double grey = clip.edge + core * (clip.fill - clip.edge);
      uint8_t& pixel = At(frame, y * side + x);
      const double below = pixel / 255.0;
      pixel = static_cast<uint8_t>(
          std::lround(255 * (below + ink * (grey - below))));
      box = {std::min(box.left, x), std::min(box.top, y),
             std::max(box.right, x + 1), std::max(box.bottom, y + 1)};
    }
  }
  return box;
}

}  // namespace

MovingSprites DrawMovingSprites(const MovingSpritesConfig& config) {
  MovingSprites set;
  const int64_t side = config.side;
  const int64_t frame = side * side;
  if (side < kMinSpriteSide || config.clips < 1 ||
      config.clips > kMaxSetBytes / (kWindowFrames * frame)) {
    throw ConfigError("clips: {} of {} × {} pixels; 1 at least, of {} × {}",
                      config.clips, side, side, kMinSpriteSide, kMinSpriteSide);
  }
  set.clips.format = {side, side, 1};
  set.clips.pixels.resize(
      static_cast<size_t>(config.clips * kWindowFrames * frame));
  set.kinds.resize(static_cast<size_t>(config.clips));
  set.boxes.resize(static_cast<size_t>(config.clips * kWindowFrames));
  ParallelForEach(config.clips, 16, [&](int64_t i) {
    Rng rng(Rng(config.seed, static_cast<uint64_t>(i)).Next());
    const auto kind = static_cast<size_t>(rng.Below(kSpriteKinds.size()));
    At(set.kinds, i) = static_cast<int32_t>(kind);
    const SpriteClip clip = PlanClip(kind, side, rng);
    std::vector<double> ground(static_cast<size_t>(frame));
    const double scale = static_cast<double>(side) / kUsualSpriteSide;
    AddNoise(side, 14 * scale, 0.6, rng, ground);
    AddNoise(side, 7 * scale, 0.4, rng, ground);
    for (int64_t t = 0; t < kWindowFrames; ++t) {
      const int64_t number = i * kWindowFrames + t;
      const auto pixels = std::span(set.clips.pixels)
                              .subspan(static_cast<size_t>(number * frame),
                                       static_cast<size_t>(frame));
      std::ranges::transform(ground, pixels.begin(), [](double noise) {
        const double grey =
            std::clamp(0.5 + kContrast * (noise - 0.5), 0.0, 1.0);
        return static_cast<uint8_t>(std::lround(255 * grey));
      });
      At(set.boxes, number) =
          DrawSprite(clip, At(clip.centres, t), side, pixels);
    }
  });
  for (int64_t i = 0; i < config.clips; ++i) set.clips.AddClip(kWindowFrames);
  return set;
}

}  // namespace heed
