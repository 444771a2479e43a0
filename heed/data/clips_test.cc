#include "heed/data/clips.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Clips of 2 × 1 grey pixels: frame t of clip c has the values 10 c + t, 200.
Clips Counting(const std::vector<int64_t>& lengths) {
  Clips clips;
  clips.format = {1, 2, 1};
  for (size_t c = 0; c < lengths.size(); ++c) {
    for (int64_t t = 0; t < lengths[c]; ++t) {
      clips.pixels.push_back(static_cast<uint8_t>(10 * c + t));
      clips.pixels.push_back(200);
    }
    clips.AddClip(lengths[c]);
  }
  return clips;
}

TEST(Clips, KnowTheirFramesAndHowMuchTheyMove) {
  const Clips clips = Counting({5, 6, 5});
  EXPECT_EQ(clips.size(), 3);
  EXPECT_EQ(clips.frames(), 16);
  EXPECT_EQ(clips.FramesOf(1), 6);
  EXPECT_EQ(clips.motion[3], 0.5);
  EXPECT_EQ(clips.motion[4], 0) << "the last of its clip";
  const Clips part = clips.Slice(1, 3);
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part.At(0), clips.At(5));
  EXPECT_EQ(part.motion.back(), 0);
}

TEST(Tuples, HaveTheMiddleOrWhatLiesOutside) {
  const Clips clips = Counting({5, 9});
  for (const int64_t spacing : {1, 2}) {
    std::map<bool, std::set<std::vector<int64_t>>> seen;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      for (const bool in_order : {true, false}) {
        Rng rng(seed);
        const FrameTuple tuple = DrawTuple(clips, 1, spacing, in_order, rng);
        EXPECT_EQ(tuple.in_order, in_order);
        seen[in_order].insert({tuple.frames.begin(), tuple.frames.end()});
      }
    }
    // Frames 5 .. 13; every place of the window, forwards and backwards.
    const int64_t places = 9 - 4 * spacing;
    EXPECT_EQ(std::ssize(seen[true]), 2 * places);
    EXPECT_EQ(std::ssize(seen[false]), 4 * places);
    for (const auto& t : seen[true]) {
      EXPECT_EQ(std::abs(t[0] - t[2]), 2 * spacing);
      EXPECT_EQ(2 * t[1], t[0] + t[2]);
      EXPECT_GE(std::min(t[0], t[2]), 5 + spacing);
      EXPECT_LE(std::max(t[0], t[2]), 13 - spacing);
    }
    for (const auto& t : seen[false]) {
      EXPECT_EQ(std::abs(t[0] - t[2]), 2 * spacing);
      EXPECT_TRUE(t[1] == std::min(t[0], t[2]) - spacing ||
                  t[1] == std::max(t[0], t[2]) + spacing);
      EXPECT_GE(t[1], 5);
      EXPECT_LE(t[1], 13);
    }
  }
}

TEST(Tuples, ComeFromWhereThingsMove) {
  Clips clips;
  clips.format = {1, 1, 1};
  for (int t = 0; t < 20; ++t) {
    clips.pixels.push_back(t < 10 ? 0 : static_cast<uint8_t>(20 * (t - 10)));
  }
  clips.AddClip(20);
  int still = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const FrameTuple tuple = DrawTuple(clips, 0, 1, true, rng);
    still += std::min(tuple.frames[0], tuple.frames[2]) <= 6 ? 1 : 0;
  }
  EXPECT_EQ(still, 0) << "nothing moves in the first windows";
  // Where nothing moves at all, any place will do.
  std::fill(clips.motion.begin(), clips.motion.end(), 0);
  std::set<int64_t> places;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const FrameTuple tuple = DrawTuple(clips, 0, 1, true, rng);
    places.insert(std::min(tuple.frames[0], tuple.frames[2]));
  }
  EXPECT_EQ(places.size(), 16u);
}

TEST(Strips, HaveTheFramesSideBySide) {
  const Clips clips = Counting({5});
  FrameTuple tuple = {{3, 0, 1}, false, false};
  EXPECT_EQ(StripFormat(clips.format), (ImageFormat{1, 6, 1}));
  EXPECT_EQ(StripOf(clips, tuple).pixels,
            (std::vector<uint8_t>{3, 200, 0, 200, 1, 200}));
  tuple.mirrored = true;
  EXPECT_EQ(StripOf(clips, tuple).pixels,
            (std::vector<uint8_t>{200, 3, 200, 0, 200, 1}));
  const Tensor batch = StripBatch(clips, std::vector{tuple, tuple});
  EXPECT_EQ(batch.shape(), (Shape{2, 1, 6, 1}));
  EXPECT_EQ(batch.data<float>()[7], 3.0F / 255);
}

class ClipsInFolders : public testing::Test {
 protected:
  void Put(const std::string& name, uint8_t grey, int64_t width = 4) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    Image image = {3, width, 1, {}};
    image.pixels.assign(static_cast<size_t>(3 * width), grey);
    folder_.Put(name, EncodePng(image));
  }
  std::string Refusal(int64_t min = 5) {
    return MessageOf<FormatError>([&] { ReadClips(folder_.path(), {}, min); });
  }

  TemporaryFolder folder_;
};

TEST_F(ClipsInFolders, AreReadInTheOrderOfTheirNumbers) {
  for (const int t : {9, 10, 11, 8, 100}) {
    Put("b/take2_" + std::to_string(t) + ".png", static_cast<uint8_t>(t));
    Put("a/" + std::to_string(t) + ".png", static_cast<uint8_t>(2 * t));
  }
  folder_.Put("a/notes.txt", "not a frame");
  const Clips clips = ReadClips(folder_.path(), {}, 5);
  EXPECT_EQ(clips.format, (ImageFormat{3, 4, 3}));
  ASSERT_EQ(clips.size(), 2);
  std::vector<int> first;
  for (int64_t i = 0; i < 10; ++i) first.push_back(clips.PixelsOf(i)[0]);
  EXPECT_EQ(first, (std::vector<int>{16, 18, 20, 22, 200, 8, 9, 10, 11, 100}));
  EXPECT_EQ(ReadClips(folder_.path(), {6, 8, 1}, 5).format,
            (ImageFormat{6, 8, 1}));
  EXPECT_EQ(ReadClips(folder_.path(), {0, 0, 1}, 5).format,
            (ImageFormat{3, 4, 1}));
}

TEST_F(ClipsInFolders, ThatDoNotFitAreRefusedInOneLine) {
  EXPECT_NE(Refusal().find("no clips; a folder has a folder for each clip"),
            std::string::npos);
  for (int t = 0; t < 4; ++t) Put("a/" + std::to_string(t) + ".png", 1);
  EXPECT_EQ(Refusal(),
            folder_.Path("a") + ": 4 frames; a clip needs 5 at least");
  Put("a/last.png", 1);
  EXPECT_EQ(Refusal(),
            folder_.Path("a/last.png") + ": a frame's name has no number");
  std::filesystem::remove(folder_.Path("a/last.png"));
  Put("a/7.png", 1, 5);
  EXPECT_EQ(Refusal(), folder_.Path("a/7.png") + ": a frame of 5 × 3 pixels; " +
                           folder_.Path("a/0.png") + " has 4 × 3");
  // Unless a size is asked for.
  EXPECT_EQ(ReadClips(folder_.path(), {3, 4, 1}, 5).frames(), 5);
  folder_.Put("a/7.png", "no image");
  EXPECT_EQ(Refusal(),
            folder_.Path("a/7.png") + ": neither a PNG nor a JPEG image");
  EXPECT_THROW(ReadClips(folder_.Path("none"), {}, 5), IoError);
}

}  // namespace
}  // namespace heed
