#include "heed/render/memory_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/text.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

Explanation Whole(const ExplanationSegment& segment) {
  return {"algorithm", "ntm", segment.text, segment.answer, {segment}};
}

TEST(MemoryView, HasSixPanelsOfOneTime) {
  const std::vector<TimePanel> panels =
      MemoryPanels(MachineSegment(6, 40), 400);
  ASSERT_EQ(panels.size(), 6u);
  for (const TimePanel& panel : panels) {
    EXPECT_EQ(panel.steps, 6) << panel.title;
    EXPECT_EQ(std::ssize(panel.values), panel.rows * 6) << panel.title;
  }
  EXPECT_EQ(panels[0].rows, 2);
  // The output is at the step at which it was given.
  EXPECT_EQ(panels[1].values[5], 0.9F);
  EXPECT_EQ(panels[1].values[0], 0);
  EXPECT_EQ(panels[2].values[6], -0.75F);
}

TEST(MemoryView, ShowsTheSlotsThatAreUsed) {
  // The diagonal ends at slot 5; all others have less than 0.05.
  const std::vector<TimePanel> panels =
      MemoryPanels(MachineSegment(6, 40), 400);
  EXPECT_EQ(panels[4].first_row, 0);
  EXPECT_EQ(panels[4].rows, 6);
  EXPECT_NEAR(panels[5].values[7], 0.75 + 0.25 / 40, 1e-6);
}

TEST(MemoryView, SlotsThatAreUsedAroundTheCircleStandTogether) {
  ExplanationSegment e = MachineSegment(2, 6);
  e.maps[0].weights = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  e.maps[1].weights = {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0};
  const std::vector<TimePanel> panels = MemoryPanels(e, 400);
  EXPECT_EQ(panels[4].rows, 3) << "slots 5, 0 and 1";
  EXPECT_EQ(panels[4].RowName(0), 5);
  EXPECT_EQ(panels[4].RowName(2), 1);
  EXPECT_EQ(panels[4].values, (std::vector<float>{0, 1, 1, 0, 0, 0}));
}

TEST(MemoryView, OfSeveralHeadsTheLargestWeightIsShown) {
  ExplanationSegment e = MachineSegment(2, 3, 2);
  e.maps[0].weights = {0.9F, 0.1F, 0, 0, 1, 0, 0, 0, 1, 0.2F, 0.8F, 0};
  const std::vector<TimePanel> panels = MemoryPanels(e, 400);
  EXPECT_EQ(panels[4].values, (std::vector<float>{0.9F, 0.2F, 0.1F, 1, 1, 0}));
  EXPECT_EQ(panels[4].title, "Write weights, largest of 2 heads");
}

TEST(MemoryView, DiffuseWeightsAreShadedByTheLargestByDefault) {
  ExplanationSegment diffuse = MachineSegment(6, 128);
  for (AttentionMap& map : diffuse.maps) {
    std::ranges::fill(map.weights, 1.0F / 128);
  }
  const Explanation e = Whole(diffuse);
  const auto text = [&](ShadeScale scale) {
    return TerminalExplanation(e, {.view = "memory", .scale = scale},
                               {.colour = false, .width = 40});
  };
  const std::string automatic = text(ShadeScale::kAuto);
  const std::string rows = automatic.substr(automatic.find("Write weights"));
  EXPECT_NE(rows.find("██████"), std::string::npos) << rows;
  EXPECT_NE(rows.find("weights up to 0.0078"), std::string::npos) << rows;
  EXPECT_NE(text(ShadeScale::kRow).find("largest of each step"),
            std::string::npos);
  const std::string absolute = text(ShadeScale::kAbsolute);
  EXPECT_EQ(absolute.find("██████", absolute.find("Write weights")),
            std::string::npos);
  EXPECT_NE(
      ExplanationSvg({&e, 1}, {.view = "memory"}).find("weights up to 0.0078"),
      std::string::npos);
}

TEST(MemoryView, LongSequencesArePooledToWhatStandsOut) {
  ExplanationSegment e = MachineSegment(1000, 20);
  const std::vector<TimePanel> panels = MemoryPanels(e, 50);
  for (const TimePanel& panel : panels) EXPECT_EQ(panel.steps, 50);
  EXPECT_EQ(panels[2].values[50], -0.75F) << "furthest from zero";
}

TEST(MemoryView, IsDrawnInAPictureAndInATerminal) {
  const Explanation e = Whole(MachineSegment(6, 40));
  const PictureChoice choice = {.view = "memory"};
  const std::string svg = ExplanationSvg({&e, 1}, choice);
  EXPECT_TRUE(IsDrawable(svg));
  for (const char* title : {"Inputs", "Outputs", "Added vectors",
                            "Read vectors", "Write weights", "Read weights"}) {
    EXPECT_NE(svg.find(title), std::string::npos) << title;
  }
  const std::string text =
      TerminalExplanation(e, choice, {.colour = false, .width = 40});
  EXPECT_NE(text.find("Write weights"), std::string::npos);
  EXPECT_NE(text.find("▓"), std::string::npos);
  for (const std::string_view line : SplitLines(text)) {
    EXPECT_LE(DisplayWidth(line), 40) << line;
  }
}

TEST(MemoryView, TakesLongAndNarrowOnes) {
  for (const auto& [steps, slots] :
       {std::pair<int64_t, int64_t>{1, 1}, {2000, 300}}) {
    const Explanation e = Whole(MachineSegment(steps, slots));
    const std::string svg = ExplanationSvg({&e, 1}, {.view = "memory"});
    EXPECT_LT(svg.size(), size_t{2} << 20);
    EXPECT_TRUE(IsDrawable(svg));
  }
}

TEST(MemoryView, RefusesWhatHasNoMemory) {
  EXPECT_NE(MemoryView().refusal(ExampleSegment(), {}), "");
  EXPECT_EQ(MemoryView().refusal(MachineSegment(3, 4), {}), "");
}

TEST(MemoryKind, ShadesStepsAndSlots) {
  const ExplanationSegment e = MachineSegment(6, 40);
  const std::vector<float> shades(6, 0.5F);
  const Drawing steps = MemoryKind().shade(e, e.axis("source"), shades, 600);
  EXPECT_GT(steps.height, 20);
  const std::vector<float> slots(40, 0.5F);
  const Drawing memory = MemoryKind().shade(e, e.axis("memory"), slots, 600);
  EXPECT_LE(memory.width, 600);
  EXPECT_LT(memory.height, steps.height);
  EXPECT_TRUE(IsDrawable(
      SvgPicture(std::vector<Drawing>{steps, memory}, {.label = "x"})));
}

}  // namespace
}  // namespace heed
