#include "heed/data/captions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

class Captions : public testing::Test {
 protected:
  Captions() {
    Image image = {10, 20, 3, {}};
    for (int i = 0; i < 600; ++i) {
      image.pixels.push_back(static_cast<uint8_t>(i % 256));
    }
    folder_.Put("a.png", EncodePng(image));
  }
  static CaptionedImages Read(const std::string& list,
                              const ImageFormat& format,
                              CaptionSplit split = CaptionSplit::kTrain) {
    return ReadCaptions({list, ""}, split, format);
  }
  std::string List(const std::string& lines) {
    return folder_.Put("list.tsv", lines);
  }

  TemporaryFolder folder_;
};

TEST_F(Captions, AListNamesImagesCaptionsAndBoxes) {
  const std::string list = List(
      "a.png\ta red circle\t[[2, 4, 2, 9, 7]]\n"
      "a.png\tnothing\n");
  const CaptionedImages own = Read(list, {0, 0, 1});
  EXPECT_EQ(own.format, (ImageFormat{10, 20, 1}));
  EXPECT_EQ(own.captions[0], "a red circle");
  ASSERT_EQ(own.boxes[0].size(), 1u);
  EXPECT_EQ(own.boxes[0][0], (WordBox{2, 4, 2, 9, 7}));
  EXPECT_TRUE(own.boxes[1].empty());
  // Fitted into a square, the box goes along: half as large, below a border.
  const CaptionedImages fitted = Read(list, {10, 10, 3});
  EXPECT_EQ(fitted.format, (ImageFormat{10, 10, 3}));
  const int64_t top = (10 - 5) / 2;
  EXPECT_EQ(fitted.boxes[0][0], (WordBox{2, 2, 1 + top, 5, 4 + top}));
}

TEST_F(Captions, AnImageOnSeveralLinesHasSeveralCaptions) {
  folder_.Put("b.png", EncodePng({1, 1, 1, {7}}));
  const CaptionedImages set =
      Read(List("a.png\tone\nb.png\ttwo\t[[0, 0, 0, 1, 1]]\na.png\tthree\n"),
           {1, 1, 1});
  EXPECT_EQ(set.size(), 2);
  EXPECT_EQ(set.pixels.size(), 2u);
  EXPECT_EQ(set.captions, (std::vector<std::string>{"one", "three", "two"}));
  EXPECT_EQ(set.image_of, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(set.boxes[2].size(), 1u);
  EXPECT_EQ(set.References(),
            (std::vector<std::vector<std::string>>{{"one", "three"}, {"two"}}));
  const CaptionedImages last = set.Slice(1, 2);
  EXPECT_EQ(last.pixels, std::vector<uint8_t>{7});
  EXPECT_EQ(last.captions, std::vector<std::string>{"two"});
  EXPECT_EQ(last.image_of, std::vector<int64_t>{0});
  EXPECT_EQ(last.boxes[0].size(), 1u);
}

TEST_F(Captions, ErrorsNameTheLine) {
  for (const std::string bad :
       {"a.png\n", "a.png\t\n", "\ta dog\n", "a.png\t  \n", "b.png\ta dog\n",
        "a.png\ta dog\t[]\tmore\n", "a.png\ta dog\tnone\n",
        "a.png\ta dog\t{}\n", "a.png\ta dog\t[1]\n",
        "a.png\ta dog\t[[1, 2, 3, 4]]\n", "a.png\ta dog\t[[2, 0, 0, 1, 1]]\n",
        "a.png\ta dog\t[[1, 0, 0, 21, 1]]\n",
        "a.png\ta dog\t[[1, 3, 0, 3, 1]]\n",
        "a.png\ta dog\t[[1, 0, 0, 1.5, 1]]\n"}) {
    const std::string list = List("a.png\tgood one\n" + bad);
    try {
      Read(list, {});
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("list.tsv:2"), std::string::npos)
          << bad << error.what();
    }
  }
  EXPECT_THROW(Read(List(""), {}), Error);
}

}  // namespace
}  // namespace heed
