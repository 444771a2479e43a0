#include "heed/render/explanation_html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

// The data that the page's script reads.
nlohmann::json DataOf(const std::string& page) {
  const std::string start = "<script id='data' type='application/json'>";
  const size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(
      page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ExplanationHtml, CarriesTokensWeightsAndBlocks) {
  Explanation e = ExampleExplanation(3, 2);
  // Both targets change their places.
  e.layers[2].weights = {0.1f, 0.8f, 0.1f, 0.9f, 0.1f, 0,
                         0.1f, 0.8f, 0.1f, 0.9f, 0.1f, 0.123456f};
  const std::vector<Explanation> two(2, e);
  const nlohmann::json data = DataOf(ExplanationHtml(two));
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[1]["source"], nlohmann::json({"s0", "s1", "s2"}));
  EXPECT_EQ(data[1]["layers"].size(), 3u);
  EXPECT_EQ(data[1]["layers"][2]["weights"][1][1][2], 0.1235);  // four digits
  EXPECT_EQ(data[1]["alignment"], 2);
  EXPECT_EQ(data[1]["blocks"], nlohmann::json::parse("[[0,2,0,2]]"));
}

TEST(ExplanationHtml, HasThePicturesThatThereAre) {
  Explanation e = ExampleWithPanels();
  const std::string page = ExplanationHtml({&e, 1});
  for (const char* name : {"heads-0", "panels-0", "saliency-0"}) {
    EXPECT_EQ(Count(page, "<template id='" + std::string(name) + "'>"), 1u);
  }
  EXPECT_EQ(Count(page, "data-layer='2' data-head='1'"), 1u);
  e.panels.clear();
  e.attributions.clear();
  EXPECT_EQ(Count(ExplanationHtml({&e, 1}), "<template"), 1u);
}

TEST(ExplanationHtml, AsksForNothingOutside) {
  const Explanation e = ExampleExplanation();
  const std::string page = ExplanationHtml({&e, 1});
  for (const char* request : {"src=", "@import", "url(", "fetch(", "import("}) {
    EXPECT_EQ(Count(page, request), 0u) << request;
  }
  EXPECT_EQ(Count(page, "href="), 1u);  // the empty icon
  EXPECT_EQ(Count(page, "href='data:,'"), 1u);
  // The only addresses are the names of the SVG name space.
  EXPECT_EQ(Count(page, "http"), Count(page, "http://www.w3.org/2000/svg"));
}

TEST(ExplanationHtml, TextsCannotBecomeMarkupOrScript) {
  Explanation e = ExampleExplanation();
  e.text = e.answer = e.model = "</script><script>alert(1)";
  e.source[0] = e.target[0] = e.target_inputs[1] = "</template><i>";
  e.layers[0].layer = "<b>\xff";
  const std::string page = ExplanationHtml({&e, 1});
  EXPECT_EQ(Count(page, "<script>"), 1u);
  EXPECT_EQ(Count(page, "</script>"), 2u);
  EXPECT_EQ(Count(page, "</template>"), 2u);
  EXPECT_EQ(Count(page, "<i>"), 0u);
  EXPECT_EQ(Count(page, "<b>"), 0u);
  EXPECT_EQ(DataOf(page)[0]["source"][0], "</template><i>");
}

TEST(ExplanationHtml, LongTextsMakeNoHugeFiles) {
  // 1.4 million weights.
  const Explanation e = ExampleExplanation(200, 200, 12);
  EXPECT_LT(ExplanationHtml({&e, 1}).size(), size_t{20} << 20);
}

TEST(ExplanationHtml, TakesNoneAndEmptyExplanations) {
  EXPECT_EQ(DataOf(ExplanationHtml({})).size(), 0u);
  const Explanation empty;
  EXPECT_EQ(DataOf(ExplanationHtml({&empty, 1})).size(), 1u);
}

TEST(ExplanationHtml, PartsMustFit) {
  Explanation e = ExampleExplanation();
  e.attributions[0].scores.pop_back();
  EXPECT_THROW(ExplanationHtml({&e, 1}), ShapeError);
}

TEST(AlignmentHtml, IsTheSamePage) {
  const AlignmentView view = {{"a", "b"}, {"x"}, {0.25f, 0.75f}, "First"};
  const std::vector<AlignmentView> views(3, view);
  const std::string page = AlignmentHtml(views);
  const nlohmann::json data = DataOf(page);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data[2]["target"], nlohmann::json({"x"}));
  EXPECT_EQ(data[2]["layers"][0]["weights"],
            nlohmann::json::parse("[[[0.25,0.75]]]"));
  EXPECT_EQ(data[2]["answer"], "First");
  EXPECT_EQ(Count(page, "<template"), 0u);
}

TEST(AlignmentHtml, WeightsMustFitTheTokens) {
  const AlignmentView view = {{"a"}, {"b"}, {}, ""};
  EXPECT_THROW(AlignmentHtml({&view, 1}), ShapeError);
  const AlignmentView empty;
  EXPECT_EQ(DataOf(AlignmentHtml({&empty, 1})).size(), 1u);
}

}  // namespace
}  // namespace heed
