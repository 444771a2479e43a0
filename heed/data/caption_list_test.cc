#include "heed/data/caption_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

/// One image of a data set.
std::string ImageJson(const std::string& name, const std::string& split,
                      const std::string& sentences) {
  return R"({"filename": ")" + name + R"(", "imgid": 3, "split": ")" + split +
         R"(", "sentids": [1, 2], "sentences": [)" + sentences + "]}";
}

class KarpathySets : public testing::Test {
 protected:
  CaptionFiles Put(const std::string& images) {
    return {folder_.Put("set.json", R"({"images": [)" + images +
                                        R"(], "dataset": "flickr8k"})"),
            "jpg"};
  }
  std::string Error(const std::string& image) {
    return MessageOf<FormatError>(
        [&] { ReadCaptionList(Put(image), CaptionSplit::kTrain); });
  }

  TemporaryFolder folder_;
};

const std::string kDog =
    R"({"tokens": ["a", "dog"], "raw": "A dog.", "sentid": 1})";

TEST_F(KarpathySets, HaveASplitOfEachImage) {
  const CaptionFiles files =
      Put(ImageJson("1.jpg", "val", kDog) + "," +
          ImageJson("2.jpg", "train", kDog + R"(, {"raw": "Two cats"})") + "," +
          ImageJson("3.jpg", "test", kDog) + "," +
          R"({"filepath": "val2014", "filename": "4.jpg", "split": "restval",
              "sentences": [)" +
          kDog + R"(, {"tokens": [], "raw": "."}]})");
  const CaptionList train = ReadCaptionList(files, CaptionSplit::kTrain);
  ASSERT_EQ(train.images.size(), 2u);
  EXPECT_EQ(train.images[0].path, "jpg/2.jpg");
  EXPECT_EQ(train.images[1].path, "jpg/val2014/4.jpg");
  EXPECT_NE(train.images[1].place.find("set.json, images[3], jpg/val2014"),
            std::string::npos);
  EXPECT_EQ(train.names, (std::vector<std::string>{"2.jpg", "val2014/4.jpg"}));
  EXPECT_EQ(train.rows, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(train.file_images, 4);
  ASSERT_EQ(train.captions.size(), 3u);
  EXPECT_EQ(train.captions[0].text, "a dog");
  EXPECT_EQ(train.captions[1].text, "Two cats");
  EXPECT_EQ(train.captions[1].image, 0);
  EXPECT_EQ(train.captions[2].image, 1);
  const CaptionList valid = ReadCaptionList(files, CaptionSplit::kValid);
  EXPECT_EQ(valid.names, std::vector<std::string>{"1.jpg"});
  const CaptionList test = ReadCaptionList(files, CaptionSplit::kTest);
  EXPECT_EQ(test.names, std::vector<std::string>{"3.jpg"});
  // Without a folder, images are beside the file.
  const CaptionList beside = ReadCaptionList({files.images, ""}, {});
  EXPECT_EQ(beside.images[0].path, folder_.Path("2.jpg"));
}

TEST_F(KarpathySets, ErrorsNameTheImageAndTheProblem) {
  const std::vector<std::vector<std::string>> cases = {
      {ImageJson("1.jpg", "dev", kDog), "images[0]: split 'dev' is unknown"},
      {ImageJson("", "train", kDog), "images[0]: has no filename"},
      {ImageJson("1.jpg", "train", ""), "images[0]: has no sentences"},
      {ImageJson("1.jpg", "train", "[]"), "a sentence is not an object"},
      {ImageJson("1.jpg", "train", "{}"), "a sentence has no tokens"},
      {ImageJson("1.jpg", "train", R"({"tokens": [1]})"), "list of texts"},
      {ImageJson("1.jpg", "train", R"({"raw": 1})"), "'raw' is not a text"},
      {R"({"filename": "1.jpg", "split": "train"})", "has no sentences"},
      {R"({"filename": 1, "split": "train"})", "'filename' is not a text"},
      {"7", "images[0]: is not an object"},
      {ImageJson("1.jpg", "val", kDog), "no image has the split 'train'"},
      {"", "no image has the split 'train'"},
      {"}", "is not valid JSON"}};
  for (const auto& one : cases) {
    const std::string error = Error(one[0]);
    EXPECT_NE(error.find("set.json"), std::string::npos) << error;
    EXPECT_NE(error.find(one[1]), std::string::npos) << error;
  }
  const std::string other = folder_.Put("other.json", R"({"annotations": []})");
  EXPECT_EQ(MessageOf<FormatError>([&] {
              ReadCaptionList({other, ""}, {});
            }),
            other + ": has no array 'images'");
  EXPECT_THROW(ReadCaptionList({folder_.Path("none.json"), ""}, {}), IoError);
}

}  // namespace
}  // namespace heed
