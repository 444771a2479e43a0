#include "course/data/moving_sprites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

TEST(MovingSprites, AreDrawnByNumber) {
  const MovingSprites some = DrawMovingSprites({.clips = 6, .seed = 3});
  const MovingSprites fewer = DrawMovingSprites({.clips = 4, .seed = 3});
  EXPECT_EQ(some.clips.Slice(0, 4).pixels, fewer.clips.pixels);
  EXPECT_TRUE(
      std::equal(fewer.boxes.begin(), fewer.boxes.end(), some.boxes.begin()));
  EXPECT_NE(DrawMovingSprites({.clips = 4, .seed = 4}).clips.pixels,
            fewer.clips.pixels);
  EXPECT_EQ(some.clips.frames(), 6 * kWindowFrames);
  EXPECT_EQ(some.clips.format, (ImageFormat{48, 48, 1}));
}

TEST(MovingSprites, MoveOverAGroundThatDoesNot) {
  for (const int64_t side : {24, 48, 64}) {
    const MovingSprites set =
        DrawMovingSprites({.clips = 40, .side = side, .seed = 1});
    for (int64_t clip = 0; clip < 40; ++clip) {
      for (int64_t t = 0; t + 1 < kWindowFrames; ++t) {
        const int64_t frame = clip * kWindowFrames + t;
        const SpriteBox a = At(set.boxes, frame);
        const SpriteBox b = At(set.boxes, frame + 1);
        ASSERT_GE(std::min(a.left, a.top), 0);
        ASSERT_LE(std::max(a.right, a.bottom), side);
        ASSERT_GT(a.right - a.left, side / 8);
        ASSERT_LT(a.right - a.left, side / 3);
        EXPECT_NE(a, b) << "it moves";
        EXPECT_GT(At(set.clips.motion, frame), 0);
        const auto inside = [](const SpriteBox& box, int64_t x, int64_t y) {
          return x >= box.left && x < box.right && y >= box.top &&
                 y < box.bottom;
        };
        const Image before = set.clips.At(frame);
        const Image after = set.clips.At(frame + 1);
        for (int64_t y = 0; y < side; ++y) {
          for (int64_t x = 0; x < side; ++x) {
            if (inside(a, x, y) || inside(b, x, y)) continue;
            ASSERT_EQ(before.At(y, x)[0], after.At(y, x)[0]);
          }
        }
      }
    }
  }
}

TEST(MovingSprites, OfAllKindsAreDifferent) {
  const MovingSprites set = DrawMovingSprites({.clips = 600, .seed = 1});
  std::vector<double> share(kSpriteKinds.size()), clips(kSpriteKinds.size());
  for (int64_t clip = 0; clip < 600; ++clip) {
    const int64_t first = clip * kWindowFrames;
    const int64_t last = first + kWindowFrames - 1;
    const SpriteBox box = At(set.boxes, first);
    const SpriteBox away = At(set.boxes, last);
    const bool apart = away.left >= box.right || away.right <= box.left ||
                       away.top >= box.bottom || away.bottom <= box.top;
    if (!apart) continue;
    // Share of its bounding box that the sprite covers.
    int64_t covered = 0;
    for (int64_t y = box.top; y < box.bottom; ++y) {
      for (int64_t x = box.left; x < box.right; ++x) {
        const int before = set.clips.At(first).At(y, x)[0];
        covered += std::abs(before - set.clips.At(last).At(y, x)[0]) > 8;
      }
    }
    const auto kind = static_cast<size_t>(At(set.kinds, clip));
    ++clips[kind];
    share[kind] +=
        static_cast<double>(covered) /
        static_cast<double>((box.right - box.left) * (box.bottom - box.top));
  }
  for (size_t kind = 0; kind < kSpriteKinds.size(); ++kind) {
    EXPECT_GT(clips[kind], 40) << kSpriteKinds[kind];
    share[kind] /= clips[kind];
  }
  // Indices: disc, ring, triangle, diamond, spark, star.
  EXPECT_GT(share[0], share[1] + 0.1);
  EXPECT_GT(share[1], share[4] + 0.1);
  EXPECT_GT(share[3], share[2] + 0.05);
  EXPECT_GT(share[3], share[5] + 0.1);
}

TEST(MovingSprites, RefusesWhatCannotBeDrawn) {
  EXPECT_THROW(DrawMovingSprites({.clips = 0}), ConfigError);
  EXPECT_THROW(DrawMovingSprites({.clips = 1, .side = 23}), ConfigError);
  EXPECT_THROW(DrawMovingSprites({.clips = int64_t{1} << 40}), ConfigError);
}

}  // namespace
}  // namespace heed
