#include "heed/render/path_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"
#include "heed/render/image_drawing.h"

namespace heed {
namespace {

int64_t Times(const std::string& text, const std::string& part) {
  int64_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

TEST(PathView, HasTheWindowsOfEachLookAndWhatWasSeen) {
  const Explanation e = ExplanationOf(ImageSegment(3));
  const std::string svg = ExplanationSvg({&e, 1}, {.view = "path"});
  EXPECT_TRUE(IsDrawable(svg));
  // Three glimpses of two windows: frames, and images of their contents.
  EXPECT_EQ(Times(svg, "stroke-dasharray='2 4'"), 3);
  EXPECT_EQ(Times(svg, "<image") + Times(svg, "<use"), 1 + 6);
  EXPECT_EQ(Times(svg, "<circle"), 3);
}

TEST(PathView, NumbersOfLooksAtOnePlaceStandBesideEachOther) {
  ExplanationSegment e = ImageSegment(6);
  ChangePayload<ImagePayload>(e.axes[0], [](ImagePayload& image) {
    for (auto& look : image.looks) {
      look = {{0, 0, 1, image.png}, {-1, -1, 2, image.png}};
    }
  });
  const std::string svg = PathView().draw(e, {}).front().svg;
  std::vector<std::pair<double, double>> places;
  const auto number = [&svg](size_t from, const char* name) {
    const size_t at = svg.find(name, from) + std::string(name).size();
    return std::stod(svg.substr(at));
  };
  for (size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1)) {
    places.emplace_back(number(at, "cx='"), number(at, "cy='"));
  }
  ASSERT_EQ(places.size(), 6u);
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_GE(std::hypot(places[i].first - places[j].first,
                           places[i].second - places[j].second),
                18)
          << i << ", " << j;
    }
  }
  EXPECT_EQ(Times(svg,
                  "solid: the window of a look, 1 × 1 pixels; dashed: the "
                  "same place, 2 pixels wide"),
            1);
}

TEST(PathView, LeadsWhereAModelLooks) {
  const Explanation e = ExplanationOf(ImageSegment(2));
  EXPECT_NE(TerminalExplanation(e, {}, {}).find("looks, in pixels"),
            std::string::npos);
  EXPECT_NE(PathView().refusal(ImageSegment(), {}), "");
  EXPECT_NE(PathView().refusal(ExampleSegment(), {}), "");
}

TEST(PathView, TheTerminalHasTheNumbersOfLooks) {
  const std::string text =
      PathView().text(ImageSegment(2), {}, {.colour = false, .width = 80});
  const std::vector<std::string_view> lines = SplitAt(text, "\n");
  ASSERT_GE(lines.size(), 5u);
  EXPECT_EQ(lines[1], "  12");
  EXPECT_EQ(lines[3], "   1  columns 1 to 1, rows 1 to 1");
  EXPECT_EQ(lines[4], "   2  columns 2 to 2, rows 1 to 1");
}

TEST(PathView, AnImageWithOtherCellsThanItsAxisIsNamed) {
  ExplanationSegment e = ImageSegment(1);
  e.axes[0].items.pop_back();
  EXPECT_THROW(PathView().draw(e, {}), ShapeError);
}

TEST(ImageDrawing, ALaterMarkDoesNotHideAnEarlierOne) {
  const std::vector<ThumbnailMark> marks = {{0, 1, '1'}, {1, 1, '2'}};
  EXPECT_EQ(ThumbnailText({{0, 0}, {0, 0}}, 0, {}, marks), "·1\n");
}

}  // namespace
}  // namespace heed
