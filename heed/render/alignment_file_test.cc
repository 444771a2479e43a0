#include "heed/render/alignment_file.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

const std::vector<AlignmentView> kViews = {
    {{"a", "b"}, {"x", "y"}, {0.0f, 1.0f, 1.0f, 0.0f}, ""}, {}};

TEST(AlignmentFile, EndingNamesTheFormat) {
  EXPECT_EQ(AlignmentFormatOf("a/b.svg"), AlignmentFormat::kSvg);
  EXPECT_EQ(AlignmentFormatOf("x.html"), AlignmentFormat::kHtml);
  EXPECT_EQ(AlignmentFormatOf("x.svg.json"), AlignmentFormat::kJson);
  EXPECT_EQ(AlignmentFormatOf(".pharaoh"), AlignmentFormat::kPharaoh);
}

TEST(AlignmentFile, UnknownEndingListsTheKnownOnes) {
  try {
    AlignmentFormatOf("out.png");
    FAIL();
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    for (const char* part : {"out.png", ".svg", ".html", ".json", ".pharaoh"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part;
    }
  }
}

TEST(AlignmentFile, PharaohHasALinePerSentence) {
  EXPECT_EQ(AlignmentFile(AlignmentFormat::kPharaoh, kViews), "1-0 0-1\n\n");
}

TEST(AlignmentFile, EachFormatIsWhatItSays) {
  EXPECT_EQ(AlignmentFile(AlignmentFormat::kSvg, kViews).rfind("<svg ", 0), 0u);
  EXPECT_EQ(AlignmentFile(AlignmentFormat::kHtml, kViews).rfind("<!doctype", 0),
            0u);
  EXPECT_EQ(AlignmentFile(AlignmentFormat::kJson, kViews).rfind("{\"sent", 0),
            0u);
}

TEST(AlignmentFile, EndsWithANewline) {
  for (auto format : {AlignmentFormat::kSvg, AlignmentFormat::kHtml,
                      AlignmentFormat::kJson, AlignmentFormat::kPharaoh}) {
    EXPECT_EQ(AlignmentFile(format, kViews).back(), '\n');
  }
}

}  // namespace
}  // namespace heed
