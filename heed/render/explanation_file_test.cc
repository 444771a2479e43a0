#include "heed/render/explanation_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

TEST(ExplanationFormat, IsToldByTheEnding) {
  EXPECT_EQ(ExplanationFormatOf("a/b.html"), ExplanationFormat::kHtml);
  EXPECT_EQ(ExplanationFormatOf("b.svg"), ExplanationFormat::kSvg);
  EXPECT_EQ(ExplanationFormatOf("b.png"), ExplanationFormat::kPng);
  EXPECT_EQ(ExplanationFormatOf("b.json"), ExplanationFormat::kJson);
  EXPECT_NE(MessageOf<ConfigError>([] {
              ExplanationFormatOf("b.gif");
            }).find(".html, .svg, .png or .json"),
            std::string::npos);
}

TEST(ExplanationView, IsToldByItsName) {
  EXPECT_EQ(ExplanationViewOf("heads"), ExplanationView::kHeads);
  EXPECT_EQ(ExplanationViewOf("saliency"), ExplanationView::kSaliency);
  EXPECT_NE(MessageOf<ConfigError>([] {
              ExplanationViewOf("head");
            }).find("heads, alignment, frames, panels, lines, saliency"),
            std::string::npos);
}

TEST(ExplanationFile, EachFormatIsWhatItSays) {
  const Explanation e = ExampleExplanation();
  const auto file = [&](ExplanationFormat format) {
    return ExplanationFile(format, {&e, 1}, {.layer = {}});
  };
  EXPECT_TRUE(file(ExplanationFormat::kHtml).starts_with("<!doctype html>"));
  EXPECT_TRUE(file(ExplanationFormat::kSvg).starts_with("<svg "));
  EXPECT_TRUE(file(ExplanationFormat::kPng).starts_with("\x89PNG"));
  const std::string json = file(ExplanationFormat::kJson);
  EXPECT_EQ(nlohmann::ordered_json::parse(json), ExplanationJson(e));
  EXPECT_TRUE(json.ends_with("}\n"));
}

TEST(ExplanationFile, SeveralStandInOneFile) {
  const std::vector<Explanation> three(3, ExampleExplanation());
  const std::string json =
      ExplanationFile(ExplanationFormat::kJson, three, {.layer = {}});
  EXPECT_EQ(nlohmann::json::parse(json)["explanations"].size(), 3u);
  const std::string svg = ExplanationSvg(three, {.layer = {}});
  EXPECT_EQ(Count(svg, "class='matrix'"), 3u);
  EXPECT_EQ(Count(svg, "<style>"), 1u);
}

TEST(ExplanationSvg, EveryViewCanBeDrawn) {
  const Explanation e = ExampleWithPanels();
  for (const std::string& name : ExplanationViewNames()) {
    EXPECT_TRUE(IsDrawable(ExplanationSvg(
        {&e, 1}, {.view = ExplanationViewOf(name), .layer = {}})))
        << name;
  }
}

TEST(ExplanationSvg, ALayerAndAHeadCanBeChosen) {
  const Explanation e = ExampleExplanation();
  const std::string svg = ExplanationSvg(
      {&e, 1}, {.view = ExplanationView::kLines, .layer = 0, .head = 1});
  EXPECT_EQ(Count(svg, ">encoder.self, head 1</text>"), 1u);
  EXPECT_THROW(ExplanationSvg({&e, 1}, {.layer = 0, .head = 2}), ConfigError);
}

TEST(ExplanationSvg, SaysWhatIsMissing) {
  Explanation e = ExampleExplanation();
  e.alignment.reset();
  e.attributions.clear();
  const auto draw = [&](ExplanationView view) {
    return MessageOf<ConfigError>([&] {
      ExplanationSvg({&e, 1}, {.view = view, .layer = {}});
    });
  };
  EXPECT_NE(draw(ExplanationView::kAlignment).find("choose a layer"),
            std::string::npos);
  EXPECT_NE(draw(ExplanationView::kPanels).find("a layer and a head"),
            std::string::npos);
  EXPECT_NE(draw(ExplanationView::kSaliency).find("method of attribution"),
            std::string::npos);
  e.layers.clear();
  EXPECT_NE(draw(ExplanationView::kHeads).find("no attention"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
