#include "heed/data/image_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/io/npy_testing.h"

namespace heed {
namespace {

/// A .npy file of f4 elements.
std::string NpyOf(const std::string& shape, const std::vector<float>& values,
                  const std::string& type = "<f4") {
  std::string elements(values.size() * sizeof(float), '\0');
  if (!values.empty()) {
    std::memcpy(elements.data(), values.data(), elements.size());
  }
  return NpyFileOf(NpyHeader(type, shape), elements);
}

/// An archive of stored files.
std::string ArchiveOf(
    const std::vector<std::pair<std::string, std::string>>& files) {
  std::string all, directory;
  for (const auto& [name, content] : files) {
    const std::string common =
        LittleEndian(20, 2) + LittleEndian(0, 8) +
        LittleEndian(Crc32(content), 4) + LittleEndian(content.size(), 4) +
        LittleEndian(content.size(), 4) + LittleEndian(name.size(), 2) +
        LittleEndian(0, 2);
    directory += "PK\1\2" + LittleEndian(20, 2) + common + LittleEndian(0, 10) +
                 LittleEndian(all.size(), 4) + name;
    all += "PK\3\4" + common + name + content;
  }
  return all + directory + "PK\5\6" + LittleEndian(0, 4) +
         LittleEndian(files.size(), 2) + LittleEndian(files.size(), 2) +
         LittleEndian(directory.size(), 4) + LittleEndian(all.size(), 4) +
         LittleEndian(0, 2);
}

CaptionList ListOf(const std::vector<std::string>& names) {
  CaptionList list;
  for (const std::string& name : names) {
    list.rows.push_back(list.file_images++);
    list.names.push_back(name);
    list.images.push_back(
        {name, "list.tsv:" + std::to_string(list.file_images)});
  }
  return list;
}

class Features : public testing::Test {
 protected:
  std::vector<Tensor> Read(const std::string& file, const std::string& bytes,
                           const CaptionList& list) {
    return ImageFeatures(folder_.Put(file, bytes)).Of(list);
  }
  std::string Error(const std::string& file, const std::string& bytes,
                    const CaptionList& list) {
    return MessageOf<FormatError>([&] { Read(file, bytes, list); });
  }

  TemporaryFolder folder_;
};

TEST_F(Features, AnArchiveNamesImagesWithOrWithoutFolderAndExtension) {
  const std::string bytes =
      ArchiveOf({{"b.npy", NpyOf("(2, 2)", {1, 2, 3, 4})},
                 {"a.jpg.npy", NpyOf("(2, 2)", {5, 6, 7, 8})},
                 {"x/c.npy", NpyOf("(2, 2)", {9, 10, 11, 12})}});
  const auto features =
      Read("f.npz", bytes, ListOf({"x/a.jpg", "b.png", "x/c.jpg", "b.png"}));
  ASSERT_EQ(features.size(), 4u);
  // Two cells are not a square: one row.
  EXPECT_EQ(features[0].shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(features[0].data<float>()[3], 8);
  EXPECT_EQ(features[1].data<float>()[0], 1);
  EXPECT_EQ(features[2].data<float>()[0], 9);
  EXPECT_EQ(
      Error("f.npz", bytes, ListOf({"y/d.jpg"})),
      "list.tsv:1: " + folder_.Path("f.npz") + " has no array 'd.jpg' or 'd'");
  // Images of two folders must not share features.
  const std::string shared =
      Error("f.npz", bytes, ListOf({"x/b.jpg", "y/b.jpg"}));
  EXPECT_NE(shared.find("'b' would be the features of x/b.jpg and of y/b.jpg"),
            std::string::npos)
      << shared;
}

TEST_F(Features, AnArrayHasTheOrderOfTheList) {
  std::vector<float> values(2 * 4 * 3);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  CaptionList list = ListOf({"a.jpg", "b.jpg"});
  const auto grid = Read("f.npy", NpyOf("(2, 4, 3)", values), list);
  EXPECT_EQ(grid[1].shape(), (Shape{1, 2, 2, 3}));
  EXPECT_EQ(grid[1].data<float>()[0], 12);
  const auto given = Read("f.npy", NpyOf("(2, 1, 4, 3)", values), list);
  EXPECT_EQ(given[0].shape(), (Shape{1, 1, 4, 3}));
  // A split of a file reads its rows.
  list.names = {"b.jpg"};
  list.images.erase(list.images.begin());
  list.rows = {1};
  const auto split = Read("f.npy", NpyOf("(2, 4, 3)", values), list);
  ASSERT_EQ(split.size(), 1u);
  EXPECT_EQ(split[0].data<float>()[0], 12);
  list.file_images = 3;
  EXPECT_EQ(Error("f.npy", NpyOf("(2, 4, 3)", values), list),
            folder_.Path("f.npy") + ": features of 2 images for a list of 3");
}

TEST_F(Features, RefusesWhatIsNotFeatures) {
  const CaptionList list = ListOf({"a.jpg"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<std::string>> cases = {
      {"f.txt", "x", "expected features in a file .npz or .npy"},
      {"f.npy", "x", "is cut short"},
      {"f.npy", "PK\3\4 some archive", "is not an array in the .npy format"},
      {"f.npy", NpyOf("(1, 2)", {1, 2}), "[images, cells, features]"},
      {"f.npy", NpyOf("(1, 1, 1, 1, 1)", {1}), "[rows, columns, features]"},
      {"f.npy", NpyOf("(1, 0, 4)", {}), "[rows, columns, features]"},
      {"f.npy", NpyOf("(1, 1, 1000000000000)", {1}), "bytes"},
      {"f.npy", NpyOf("(1, 1, 1)", {1}, "<i4"), "not integers"},
      {"f.npy", NpyOf("(1, 1, 2)", {1, nan}), "not a number"},
      {"f.npz", ArchiveOf({{"a.npy", NpyOf("(3,)", {1, 2, 3})}}), "'a'"},
      {"f.npz",
       ArchiveOf({{"a.npy", NpyOf("(1, 2)", {1, 2})},
                  {"a.jpg.npy", NpyOf("(1, 1)", {1})}}),
       "has 1 × 1 cells of 1 features, others 1 × 1 cells of 2 features"}};
  for (const auto& one : cases) {
    const std::string error = Error(one[0], one[1], list);
    EXPECT_NE(error.find(one[2]), std::string::npos) << error;
    EXPECT_NE(error.find(folder_.Path(one[0])), std::string::npos) << error;
  }
  EXPECT_THROW(ImageFeatures(folder_.Path("none.npz")), IoError);
}

TEST_F(Features, AreCaptionedWithoutImageFiles) {
  ImageFeatures features(
      folder_.Put("f.npy", NpyOf("(3, 1, 2)", {1, 2, 3, 4, 5, 6})));
  const std::string list = folder_.Put(
      "list.tsv", "a.png\tone\t[[0, 0, 0, 9, 9]]\nb.png\ttwo\nc.png\tthree\n");
  const CaptionedImages set =
      ReadCaptions({list, ""}, CaptionSplit::kTrain, features);
  EXPECT_EQ(set.format, (ImageFormat{1, 1, 2}));
  EXPECT_TRUE(set.boxes[0].empty());
  const Tensor batch = set.Batch(std::vector<int64_t>{2, 0});
  EXPECT_EQ(batch.shape(), (Shape{2, 1, 1, 2}));
  EXPECT_EQ(batch.data<float>()[0], 5);
  EXPECT_EQ(batch.data<float>()[3], 2);
  const CaptionedImages last = set.Slice(1, 3);
  EXPECT_EQ(last.Batch(std::vector<int64_t>{0}).data<float>()[1], 4);
  EXPECT_NE(SourceChecksum(set), SourceChecksum(last));
}

TEST_F(Features, OfOneImageHaveTheFormatOfTheModel) {
  const std::string bytes = NpyOf("(4, 1)", {0, 3, 6, -3});
  const Tensor features = FeaturesFromBytes(bytes, {2, 2, 1}, "a.npy");
  const Image picture = PictureOfFeatures(features, 2);
  EXPECT_EQ(picture.height, 4);
  EXPECT_EQ(picture.width, 4);
  EXPECT_EQ(picture.At(0, 0)[0], 0);
  EXPECT_EQ(picture.At(1, 3)[0], 127);
  EXPECT_EQ(picture.At(3, 1)[0], 255);
  EXPECT_EQ(picture.At(2, 2)[0], 127);
  EXPECT_EQ(MessageOf<FormatError>([&] {
              FeaturesFromBytes(bytes, {2, 2, 3}, "a.npy");
            }),
            "a.npy: has 2 × 2 cells of 1 features, the model reads 2 × 2 cells "
            "of 3 features");
}

}  // namespace
}  // namespace heed
