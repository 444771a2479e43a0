#include "heed/explain/alignment_html.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

const AlignmentView kPageView = {{"a", "b"}, {"x"}, {0.25f, 0.75f}, "First"};

TEST(AlignmentHtml, ShowsEverySentenceWithItsHeatmap) {
  const std::vector<AlignmentView> views(3, kPageView);
  const std::string page = AlignmentHtml(views);
  EXPECT_EQ(Count(page, "<section>"), 3u);
  EXPECT_EQ(Count(page, "<svg "), 3u);
  EXPECT_EQ(Count(page, "<button type='button'>b</button>"), 3u);
  EXPECT_EQ(Count(page, "<h2>First</h2>"), 3u);
}

TEST(AlignmentHtml, CarriesTheWeights) {
  EXPECT_NE(AlignmentHtml({&kPageView, 1})
                .find(R"({"sentences":[{"source":["a","b"],"target":["x"],)"
                      R"("weights":[[0.25,0.75]]}]})"),
            std::string::npos);
}

TEST(AlignmentHtml, AsksForNothingOutside) {
  const std::string page = AlignmentHtml({&kPageView, 1});
  EXPECT_EQ(Count(page, "src="), 0u);
  EXPECT_EQ(Count(page, "@import"), 0u);
  EXPECT_EQ(Count(page, "url("), 0u);
  EXPECT_EQ(Count(page, "href="), 1u);  // the empty icon
  EXPECT_EQ(Count(page, "href='data:,'"), 1u);
  // The only addresses are the names of the SVG name space.
  EXPECT_EQ(Count(page, "http"), Count(page, "http://www.w3.org/2000/svg"));
}

TEST(AlignmentHtml, TokensCannotBecomeMarkupOrScript) {
  const AlignmentView view = {
      {"</script><script>alert(1)"}, {"<b>"}, {1.0f}, "<i>"};
  const std::string page = AlignmentHtml({&view, 1});
  EXPECT_EQ(Count(page, "<script>"), 1u);
  EXPECT_EQ(Count(page, "</script>"), 2u);
  EXPECT_EQ(Count(page, "<b>"), 0u);
  EXPECT_EQ(Count(page, "<i>"), 0u);
}

TEST(AlignmentHtml, TakesNoSentences) {
  EXPECT_EQ(Count(AlignmentHtml({}), "</html>"), 1u);
  const AlignmentView empty;
  EXPECT_EQ(Count(AlignmentHtml({&empty, 1}), "<section>"), 1u);
}

TEST(AlignmentHtml, WeightsMustFitTheTokens) {
  const AlignmentView view = {{"a"}, {"b"}, {}, ""};
  EXPECT_THROW(AlignmentHtml({&view, 1}), ShapeError);
}

}  // namespace
}  // namespace heed
