#include "heed/render/explanation_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/page/page_files.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string SvgOf(const ExplanationSegment& segment,
                  const PictureChoice& choice = {}) {
  const Explanation e = ExplanationOf(segment);
  return ExplanationSvg({&e, 1}, choice);
}

TEST(ExplanationFormat, IsDeterminedByTheExtension) {
  EXPECT_EQ(ExplanationFormatOf("a/b.html"), ExplanationFormat::kHtml);
  EXPECT_EQ(ExplanationFormatOf("b.svg"), ExplanationFormat::kSvg);
  EXPECT_EQ(ExplanationFormatOf("b.png"), ExplanationFormat::kPng);
  EXPECT_EQ(ExplanationFormatOf("b.json"), ExplanationFormat::kJson);
  EXPECT_NE(MessageOf<ConfigError>([] {
              ExplanationFormatOf("b.gif");
            }).find(".html, .svg, .png or .json"),
            std::string::npos);
}

TEST(ExplanationViews, AreFoundByName) {
  EXPECT_EQ(ExplanationViewOf("heads").name, "heads");
  EXPECT_NE(MessageOf<ConfigError>([] {
              ExplanationViewOf("head");
            }).find(fmt::format("{}", fmt::join(ExplanationViewNames(), ", "))),
            std::string::npos);
}

TEST(ExplanationFile, EachFormatIsWhatItSays) {
  const Explanation e = ExampleExplanation();
  const auto file = [&](ExplanationFormat format) {
    return ExplanationFile(format, {&e, 1}, {});
  };
  EXPECT_TRUE(file(ExplanationFormat::kSvg).starts_with("<svg "));
  EXPECT_TRUE(file(ExplanationFormat::kPng).starts_with("\x89PNG"));
  const std::string json = file(ExplanationFormat::kJson);
  EXPECT_EQ(nlohmann::ordered_json::parse(json), ExplanationJson(e));
  EXPECT_TRUE(json.ends_with("}\n"));
  if (PageFiles().empty()) {
    EXPECT_THROW(file(ExplanationFormat::kHtml), ConfigError);
    return;
  }
  const std::string page = file(ExplanationFormat::kHtml);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(Count(page, "id=\"heed-explanations\">[{\"version\":3"), 1u);
}

TEST(ExplanationFile, SeveralStandInOneFile) {
  const std::vector<Explanation> three(3, ExampleExplanation());
  const std::string json = ExplanationFile(ExplanationFormat::kJson, three, {});
  EXPECT_EQ(nlohmann::json::parse(json)["explanations"].size(), 3u);
  const std::string svg = ExplanationSvg(three, {.view = "alignment"});
  EXPECT_EQ(Count(svg, "class='matrix'"), 3u);
  EXPECT_EQ(Count(svg, "<style>"), 1u);
}

TEST(ExplanationFile, ATextInPartsHasAPictureForEach) {
  Explanation e = ExampleExplanation();
  e.segments.push_back(ExampleSegment(4, 3));
  const std::string svg = ExplanationSvg({&e, 1}, {.view = "alignment"});
  EXPECT_EQ(Count(svg, "class='matrix'"), 2u);
  EXPECT_NE(TerminalExplanation(e, {.view = "lines"}, {}).find("\n\n"),
            std::string::npos);
}

TEST(ExplanationSvg, EveryViewCanBeDrawn) {
  for (const std::string& name : ExplanationViewNames()) {
    bool drawn = false;
    for (const ExplanationSegment& segment :
         {SegmentWithPanels(), SeriesSegment(), GraphSegment(),
          PatientSegment(), MachineSegment(4, 5), ImageSegment(3),
          DocumentSegment(), RatingSegment(), PassageSegment(),
          SteppedSegment(), MaskedSegment()}) {
      if (!ExplanationViewOf(name).refusal(segment, {}).empty()) continue;
      EXPECT_TRUE(IsDrawable(SvgOf(segment, {.view = name}))) << name;
      drawn = true;
    }
    EXPECT_TRUE(drawn) << name;
  }
}

TEST(ExplanationSvg, OfTheModelIsShownIfRequested) {
  ExplanationSegment e;
  e.outline = AttentiveOutline();
  EXPECT_THROW(SvgOf(e), ConfigError);
  EXPECT_EQ(Count(SvgOf(e, {.view = "model"}), ">s₁</text>"), 1u);
}

TEST(ExplanationFile, SaysThatAttentionIsNearlyUniform) {
  ExplanationSegment segment = ExampleSegment();
  const auto picture = [&] {
    const Explanation whole = ExplanationOf(segment);
    return ExplanationSvg({&whole, 1}, {.view = "alignment"});
  };
  EXPECT_EQ(Count(picture(), "nearly uniform"), 0u);
  AttentionMap& map = segment.maps.at(*segment.AlignmentMap());
  map.weights.assign(map.weights.size(), 1 / static_cast<float>(map.key_size));
  const std::string note = fmt::format("nearly uniform: 1/{}", map.key_size);
  EXPECT_EQ(Count(picture(), note), 1u);
  const Explanation whole = ExplanationOf(segment);
  EXPECT_NE(TerminalExplanation(whole, {.view = "alignment"}, {}).find(note),
            std::string::npos);
}

TEST(PageJson, HasPicturesInThePlaceOfWhatTheyAreMadeOf) {
  Explanation e;
  e.segments = {MaskedSegment(), SteppedSegment()};
  const std::vector<std::string> views = {"embedding", "step", "model"};
  const auto json = PageJson(e, views);
  EXPECT_FALSE(json.contains("inputs"));
  EXPECT_TRUE(ExplanationJson(e).contains("inputs"));
  ASSERT_EQ(json["pictures"].size(), 3u);  // embedding; step, model
  EXPECT_EQ(json["pictures"][0]["segment"], 0);
  EXPECT_EQ(json["pictures"][1]["segment"], 1);
  for (const auto& picture : json["pictures"]) {
    EXPECT_TRUE(IsDrawable(picture["svg"].get<std::string>()));
  }
}

TEST(PageJson, HasAPictureWithoutWeightsForEachPairOfAxes) {
  Explanation e;
  e.segments = {ExampleSegment()};
  std::vector<AttentionMap>& maps = e.segments[0].maps;
  const size_t pairs = maps.size();
  maps.push_back(maps.front());
  maps.back().name = "encoder.1.self_attention";
  const std::vector<std::string> views = {"lines"};
  const auto json = PageJson(e, views);
  EXPECT_EQ(json["pictures"].size(), pairs);
  for (const auto& picture : json["pictures"]) {
    const auto svg = picture["svg"].get<std::string>();
    EXPECT_EQ(Count(svg, "data-links="), 1u);
    EXPECT_EQ(Count(svg, "<path"), 0u);
    EXPECT_GT(Count(svg, "data-axis='"), 0u);
    EXPECT_FALSE(picture["words"]);
  }
  EXPECT_FALSE(PageJson(e, {}).contains("pictures"));
}

TEST(ExplanationSvg, TheFirstViewThatFitsIsShown) {
  EXPECT_EQ(Count(SvgOf(ExampleSegment()), ">gradient × input</text>"), 1u);
  ExplanationSegment e = ExampleSegment();
  e.attributions.clear();
  EXPECT_EQ(Count(SvgOf(e), "class='matrix'"), 1u);
  EXPECT_EQ(Count(SvgOf(WithoutRows(e)), "class='head'"), 6u);
  EXPECT_EQ(Count(SvgOf(SeriesSegment()), ">Forecast</text>"), 1u);
}

TEST(ExplanationSvg, ALayerAndAHeadCanBeChosen) {
  const ExplanationSegment e = ExampleSegment();
  const std::string map = "encoder.self_attention";
  EXPECT_EQ(Count(SvgOf(e, {.view = "lines", .map = map, .head = 1}),
                  ">Encoder · self, head 1</text>"),
            1u);
  EXPECT_THROW(SvgOf(e, {.view = "lines", .map = map, .head = 2}), ConfigError);
  EXPECT_THROW(SvgOf(e, {.view = "lines", .map = "x"}), ConfigError);
}

TEST(ExplanationSvg, SaysWhatIsMissing) {
  ExplanationSegment e = WithoutRows(ExampleSegment());
  e.attributions.clear();
  const auto refusal = [&](const std::string& view) {
    return MessageOf<ConfigError>([&] { SvgOf(e, {.view = view}); });
  };
  EXPECT_NE(refusal("alignment").find("choose a layer"), std::string::npos);
  EXPECT_NE(refusal("panels").find("a layer and a head"), std::string::npos);
  EXPECT_NE(refusal("saliency").find("method of attribution"),
            std::string::npos);
  EXPECT_NE(refusal("input").find("no picture of its own"), std::string::npos);
  e.maps.clear();
  EXPECT_NE(refusal("heads").find("no attention"), std::string::npos);
  EXPECT_NE(refusal("").find("no attention"), std::string::npos);
}

/// If all weights are small, shades are scaled to the largest, and the legend
/// says so.
TEST(ExplanationSvg, TheLegendNamesTheScale) {
  ExplanationSegment e = ExampleSegment(4, 2, 1);
  e.attributions.clear();
  EXPECT_EQ(Count(SvgOf(e), ">attention weight</text>"), 1u);
  for (AttentionMap& map : e.maps) {
    for (float& w : map.weights) w *= 0.1f;
  }
  const std::string small = SvgOf(e);
  EXPECT_EQ(Count(small, "up to the largest of the picture"), 1u);
  EXPECT_EQ(Count(small, ">0.081</text>"), 1u);
  EXPECT_EQ(Count(small, "fill-opacity='1.00'"), 2u);
  EXPECT_EQ(
      Count(SvgOf(e, {.scale = ShadeScale::kAbsolute}), "fill-opacity='1.00'"),
      0u);
  EXPECT_EQ(Count(SvgOf(e, {.scale = ShadeScale::kRow}),
                  "each row by its largest weight"),
            1u);
  EXPECT_THROW(ParseShadeScale("log"), ConfigError);
}

TEST(ExplanationSvg, TheLegendExplainsOutlines) {
  ExplanationSegment e = ExampleSegment(4, 4, 1);
  e.attributions.clear();
  const char* explained = "words that changed their place";
  EXPECT_EQ(Count(SvgOf(e), explained), 0u);
  // Rows with reversed order.
  e.maps[2].weights = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(Count(SvgOf(e), explained), 1u);
}

TEST(ExplanationSvg, TitlesAreOneLine) {
  ExplanationSegment e = ExampleSegment();
  e.text = "a\tb\nc";
  EXPECT_EQ(Count(SvgOf(e), ">a b / c → said</text>"), 1u);
  // The numbers of a series are not a useful title.
  EXPECT_EQ(SvgOf(SeriesSegment()).find("time,load"), std::string::npos);
}

TEST(ExplanationSvg, SubWordsCanBeMergedToWords) {
  ExplanationSegment e = ExampleSegment(4, 2, 1);
  e.attributions.clear();
  e.axes[0].words = {{0, 1}, {1, 3}, {3, 4}};
  const std::string svg = SvgOf(e, {.words = true});
  EXPECT_EQ(Count(svg, ">s1s2</text>"), 1u);
  EXPECT_EQ(Count(svg, ">s1</text>"), 0u);
}

/// A view or kind can be registered without changes elsewhere.
TEST(ExplanationViews, ANameIsTakenOnce) {
  const size_t before = ExplanationViews().size();
  const ExplanationView again = ExplanationViewOf("lines");
  EXPECT_EQ(MessageOf<ConfigError>([&] { AddExplanationView(again); }),
            "there is a view 'lines' already");
  EXPECT_EQ(ExplanationViews().size(), before);
}

TEST(AxisKinds, OneThatNobodyKnowsIsShownByNames) {
  ExplanationSegment e = ExampleSegment(2, 1, 1);
  e.axes[0].kind = "dials";
  e.axes[0].labels = {"north", "south"};
  EXPECT_EQ(Count(SvgOf(e, {.view = "saliency"}), ">north</text>"), 2u);
  const std::string shown =
      TerminalExplanation(ExplanationOf(e), {.view = "saliency"}, {});
  EXPECT_EQ(Count(shown, "north"), 2u) << shown;
  EXPECT_TRUE(IsDrawable(SvgOf(e)));
  EXPECT_NE(TerminalExplanation(ExplanationOf(e), {}, {}), "");
}

TEST(AxisKinds, OneMoreHasItsOwnPicture) {
  AxisKind strip;
  strip.name = "strip";
  strip.shade = [](const ExplanationSegment&, const Axis& axis,
                   std::span<const float>, double width) -> Drawing {
    return {width, 10, "<rect class='toy-" + axis.items.at(0) + "'/>"};
  };
  strip.shade_text = [](const ExplanationSegment&, const Axis&,
                        std::span<const float>, int, const TerminalOptions&) {
    return std::string("toy\n");
  };
  strip.picture = [](const ExplanationSegment&, const ViewOptions&) -> Drawing {
    return {10, 10, "<rect class='whole-toy' width='1' height='1'/>"};
  };
  strip.picture_text = [](const ExplanationSegment&, const ViewOptions&,
                          const TerminalOptions&) {
    return std::string("whole toy\n");
  };
  AddAxisKind(strip);
  EXPECT_EQ(MessageOf<ConfigError>([&] { AddAxisKind(strip); }),
            "there is a kind of axis 'strip' already");
  ExplanationSegment e = ExampleSegment(1, 1, 1);
  e.axes[0].kind = "strip";
  EXPECT_EQ(Count(SvgOf(e), "class='whole-toy'"), 1u);
  EXPECT_EQ(Count(SvgOf(e, {.view = "saliency"}), "class='toy-s0'"), 2u);
  EXPECT_EQ(TerminalExplanation(ExplanationOf(e), {}, {}), "whole toy\n");
}

TEST(ExplanationFile, RowsAreFromAToBeforeB) {
  EXPECT_EQ(ParseRows("3:12"), (ItemRange{3, 12}));
  EXPECT_EQ(ParseRows(""), ItemRange());
  for (const char* wrong : {"3", ":", "3:", "5:5", "5:3", "-1:3", "a:b",
                            "1:2:3", "0:99999999999999999999"}) {
    EXPECT_THROW(ParseRows(wrong), ConfigError) << wrong;
  }
}

}  // namespace
}  // namespace heed
