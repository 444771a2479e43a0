#include "heed/render/image_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "heed/base/base64.h"
#include "heed/base/testing.h"
#include "heed/data/image.h"
#include "heed/render/explanation_testing.h"
#include "heed/render/view.h"

namespace heed {
namespace {

/// An image of 8 × 8 pixels of one grey, in cells of four pixels.
Axis PlainImage(uint8_t grey) {
  const Image image = {8, 8, 1, std::vector<uint8_t>(64, grey)};
  Axis axis = {.id = "source", .kind = "image", .label = "Image"};
  axis.items = {"a", "b", "c", "d"};
  axis.payload = ImagePayload(image, 4);
  return axis;
}

/// Decodes the image in a drawing.
Image ImageIn(const std::string& svg) {
  const std::string before = "base64,";
  const size_t begin = svg.find(before) + before.size();
  const auto bytes =
      FromBase64(svg.substr(begin, svg.find('\'', begin) - begin));
  return DecodeImage(bytes.value_or(""), "drawing");
}

class AttendedImage : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Greys, AttendedImage, testing::Values(0, 128, 255));

TEST_P(AttendedImage, KeepsItsColoursWhereItIsAttendedTo) {
  const std::vector<float> weights = {0.9f, 0, 0, 0};
  const Axis axis = PlainImage(static_cast<uint8_t>(GetParam()));
  const Image drawn = ImageIn(DrawAttended(axis, weights, 80).svg);
  int max = 0;
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(drawn.At(1, 1)[c], GetParam(), 1);
    max = std::max(max, std::abs(drawn.At(1, 1)[c] - drawn.At(7, 7)[c]));
  }
  EXPECT_GE(max, 40) << "seen on dark and on light images";
}

TEST(ThumbnailText, HasTheColoursOfTheImageIfTheTerminalHasColours) {
  const Image image = {2, 1, 3, {255, 0, 0, 0, 0, 255}};
  EXPECT_EQ(ThumbnailText(image, 1, {.colour = true}),
            " \x1b[48;5;21m\x1b[38;5;196m▀\x1b[0m\x1b[0m\n");
  const std::vector<ThumbnailMark> marks = {{1, 0, '3'}};
  EXPECT_EQ(ThumbnailText(image, 0, {.colour = false}, marks), "3\n");
  EXPECT_EQ(ThumbnailText(image, 0, {.colour = false}), "░\n");
}

TEST(AttendedLegend, StandsBelowPicturesWithAttention) {
  const ExplanationSegment e = ImageSegment();
  const std::string words = "attention, in each image by its largest weight";
  const ViewOptions options;
  EXPECT_EQ(Count(ExplanationViewOf("input").draw(e, options)[0].svg, words),
            1u);
  ExplanationSegment none = e;
  none.targets[0].map.reset();
  EXPECT_EQ(Count(ExplanationViewOf("input").draw(none, options)[0].svg, words),
            0u);
}

}  // namespace
}  // namespace heed
