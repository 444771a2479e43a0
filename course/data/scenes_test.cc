#include "course/data/scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

TEST(Scenes, AreDrawnByNumber) {
  const CaptionedImages few = DrawScenes({.scenes = 20, .seed = 3});
  const CaptionedImages many = DrawScenes({.scenes = 50, .seed = 3});
  EXPECT_EQ(few.pixels, many.Slice(0, 20).pixels);
  EXPECT_EQ(few.captions, many.Slice(0, 20).captions);
  EXPECT_EQ(few.boxes, many.Slice(0, 20).boxes);
  EXPECT_NE(few.captions, DrawScenes({.scenes = 20, .seed = 4}).captions);
}

TEST(Scenes, CaptionsAreOfTheGrammarAndAllWordsOccur) {
  const CaptionedImages set = DrawScenes({.scenes = 500});
  std::map<std::string, int> words;
  std::map<size_t, int> lengths;
  for (const std::string& caption : set.captions) {
    const auto all = SplitWhitespace(caption);
    ++lengths[all.size()];
    for (const auto word : all) ++words[std::string(word)];
  }
  EXPECT_EQ(words.size(), 1u + 2 + 4 + 4 + 3);
  EXPECT_EQ(words["left"], words["of"]);
  EXPECT_TRUE(lengths.contains(4));
  EXPECT_TRUE(lengths.contains(16));
  EXPECT_LE(lengths.rbegin()->first, 16u);
}

TEST(Scenes, BoxesHoldWhatTheNounsName) {
  const std::set<std::string> nouns = {"circle", "square", "triangle", "cross"};
  const CaptionedImages set = DrawScenes({.scenes = 300});
  for (int64_t i = 0; i < set.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    const auto words = SplitWhitespace(set.captions[at]);
    const Image image = set.At(i);
    std::map<int64_t, int> seen;
    for (const WordBox& box : set.boxes[at]) {
      const auto word = static_cast<size_t>(box.word);
      ASSERT_LT(word, words.size());
      EXPECT_TRUE(nouns.contains(std::string(words[word])));
      EXPECT_EQ(words[word - 3], "a");
      ASSERT_GE(std::min(box.left, box.top), 0);
      ASSERT_LE(std::max(box.right, box.bottom), kSceneSide);
      // The colour of the shape occurs in its box and nowhere outside all
      // boxes.
      const auto colour = words[word - 1];
      const auto middle =
          image.At((box.top + box.bottom) / 2, (box.left + box.right) / 2);
      EXPECT_EQ(middle[0] > 150, colour == "red" || colour == "yellow")
          << set.captions[at];
      EXPECT_EQ(middle[2] > 150, colour == "blue") << set.captions[at];
      ++seen[box.word];
    }
    for (const auto& [word, times] : seen) EXPECT_EQ(times, 1) << word;
    for (int64_t y = 0; y < image.height; ++y) {
      for (int64_t x = 0; x < image.width; ++x) {
        const bool within =
            std::ranges::any_of(set.boxes[at], [&](const WordBox& box) {
              return x >= box.left && x < box.right && y >= box.top &&
                     y < box.bottom;
            });
        if (within) continue;
        ASSERT_GT(std::ranges::min(image.At(y, x)), 120);
      }
    }
  }
}

TEST(Scenes, OrderAndRelationsFollowThePlaces) {
  const CaptionedImages set = DrawScenes({.scenes = 300});
  for (size_t i = 0; i < set.captions.size(); ++i) {
    const auto words = SplitWhitespace(set.captions[i]);
    const auto& boxes = set.boxes[i];
    for (size_t n = 1; n < boxes.size(); ++n) {
      const auto relation = words[static_cast<size_t>(boxes[n - 1].word) + 1];
      const int64_t below = (boxes[n].top + boxes[n].bottom) / 2 / 14 -
                            (boxes[n - 1].top + boxes[n - 1].bottom) / 2 / 14;
      EXPECT_EQ(relation, below == 0 ? "left" : "above");
      if (below == 0) {
        EXPECT_LE(boxes[n - 1].right, boxes[n].left + 1);
      }
      EXPECT_GE(below, 0);
    }
  }
}

TEST(Scenes, ErrorsNameTheNumber) {
  EXPECT_THROW(DrawScenes({.scenes = 0}), ConfigError);
  EXPECT_THROW(DrawScenes({.scenes = int64_t{1} << 50}), ConfigError);
}

}  // namespace
}  // namespace heed
