#include "heed/data/captions.h"

#include <gtest/gtest.h>

#include <string>

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
  std::string List(const std::string& lines) {
    return folder_.Put("list.tsv", lines);
  }

  TemporaryFolder folder_;
};

TEST_F(Captions, AListNamesImagesCaptionsAndBoxes) {
  const std::string list = List(
      "a.png\ta red circle\t[[2, 4, 2, 9, 7]]\n"
      "a.png\tnothing\n");
  const CaptionedImages own = ReadCaptions(list, {0, 0, 1});
  EXPECT_EQ(own.format, (ImageFormat{10, 20, 1}));
  EXPECT_EQ(own.captions[0], "a red circle");
  ASSERT_EQ(own.boxes[0].size(), 1u);
  EXPECT_EQ(own.boxes[0][0], (WordBox{2, 4, 2, 9, 7}));
  EXPECT_TRUE(own.boxes[1].empty());
  // Fitted into a square, the box goes along: half as large, below a border.
  const CaptionedImages fitted = ReadCaptions(list, {10, 10, 3});
  EXPECT_EQ(fitted.format, (ImageFormat{10, 10, 3}));
  const int64_t top = (10 - 5) / 2;
  EXPECT_EQ(fitted.boxes[0][0], (WordBox{2, 2, 1 + top, 5, 4 + top}));
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
      ReadCaptions(list, {});
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("list.tsv:2"), std::string::npos)
          << bad << error.what();
    }
  }
  EXPECT_THROW(ReadCaptions(List(""), {}), Error);
}

}  // namespace
}  // namespace heed
