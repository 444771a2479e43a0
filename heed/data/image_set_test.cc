#include "heed/data/image_set.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/image_canvas.h"
#include "heed/io/file.h"

namespace heed {
namespace {

std::string Idx(const std::vector<int>& shape, const std::string& data) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(shape.size());
  for (const int extent : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(extent >> shift);
    }
  }
  return bytes + data;
}

class ImageSets : public testing::Test {
 protected:
  std::string Put(const std::string& name, const std::string& bytes) {
    const std::string path = folder_.Path(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    WriteFileAtomically(path, bytes);
    return path;
  }
  std::string PutImage(const std::string& name, uint8_t value,
                       int64_t side = 4) {
    return Put(name, EncodePng({side, side, 1,
                                std::vector<uint8_t>(
                                    static_cast<size_t>(side * side), value)}));
  }
  static ImageSet Read(const std::string& images,
                       const std::string& labels = "",
                       const std::vector<std::string>& classes = {}) {
    return ReadImages({images, labels}, {}, classes);
  }
  static std::string RefusalOf(const std::string& images,
                               const std::string& labels = "",
                               const std::vector<std::string>& classes = {}) {
    return MessageOf<FormatError>([&] { Read(images, labels, classes); });
  }

  TemporaryFolder folder_;
};

TEST_F(ImageSets, ReadIdxFiles) {
  const std::string images = Put("images", Idx({2, 2, 3}, "abcdefABCDEF"));
  const std::string labels = Put("labels", Idx({2}, std::string("\1\0", 2)));
  const ImageSet set = Read(images, labels);
  EXPECT_EQ(set.format, (ImageFormat{2, 3, 1}));
  EXPECT_EQ(set.labels, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(set.classes, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(set.At(1).At(1, 2)[0], 'F');
  const Tensor batch = ImageBatch(set, std::vector<int64_t>{1, 0});
  EXPECT_EQ(batch.shape(), (Shape{2, 2, 3, 1}));
  EXPECT_FLOAT_EQ(batch.data<float>()[6], 'a' / 255.0f);
  EXPECT_EQ(set.Slice(1, 2).At(0), set.At(1));
}

/// Reads a folder and returns the report on standard error.
std::string ReportOf(const std::string& folder, ImageSet* set) {
  testing::internal::CaptureStderr();
  *set = ReadImages({folder, ""}, {}, {});
  return testing::internal::GetCapturedStderr();
}

TEST_F(ImageSets, LeaveOutWhatSystemsEditorsAndNotebooksLeaveBehind) {
  PutImage("set/cats/1.png", 1);
  PutImage("set/dogs/1.png", 2);
  ImageSet set;
  EXPECT_EQ(ReportOf(folder_.Path("set"), &set), "");
  const std::vector<std::string> leftovers = {
      ".DS_Store",
      "Thumbs.db",
      "desktop.ini",
      "._1.png",
      "1.png~",
      ".1.png.swp",
      ".picasa.ini",
      ".nomedia",
      "README.txt",
      "#1.png#",
      ".ipynb_checkpoints/1-checkpoint.png",
      "@eaDir/1.png"};
  for (const std::string& name : leftovers) {
    Put("set/cats/" + name, "no image");
  }
  for (const char* folder :
       {"__MACOSX", ".git", ".ipynb_checkpoints", "@eaDir", "$RECYCLE.BIN",
        "node_modules", "Network Trash Folder"}) {
    Put(std::string("set/") + folder + "/1.png", "no image");
  }
  PutImage("set/loose.png", 3);
  std::filesystem::create_symlink("gone.png", folder_.Path("set/cats/9.png"));
  const std::string report = ReportOf(folder_.Path("set"), &set);
  EXPECT_NE(report.find("set: 21 files or folders are skipped"),
            std::string::npos)
      << report;
  EXPECT_EQ(set.classes, (std::vector<std::string>{"cats", "dogs"}));
  EXPECT_EQ(set.size(), 2);
  // The format of the first image is asked for before.
  EXPECT_EQ(FirstFormat({folder_.Path("set"), ""}), (ImageFormat{4, 4, 3}));
}

TEST_F(ImageSets, ADamagedImageIsNoLeftover) {
  PutImage("set/cats/1.png", 1);
  PutImage("set/dogs/1.png", 2);
  Put("set/dogs/2.png", "no image");
  EXPECT_NE(RefusalOf(folder_.Path("set")).find("2.png"), std::string::npos);
}

TEST_F(ImageSets, RefuseIdxFilesThatDoNotFit) {
  const std::string images = Put("images", Idx({2, 2, 3}, "abcdefABCDEF"));
  const std::string labels = Put("labels", Idx({2}, std::string("\1\0", 2)));
  EXPECT_NE(RefusalOf(images).find("needs an idx file of labels"),
            std::string::npos);
  EXPECT_EQ(RefusalOf(images, Put("three", Idx({3}, "\1\1\1"))),
            folder_.Path("three") + ": 3 labels for the 2 images of " + images);
  EXPECT_NE(RefusalOf(images, images).find("labels have [N]"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Put("flat", Idx({4, 2}, "abcdefgh")), labels)
                .find("images have [N, H, W]"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Put("cut", Idx({2, 2, 3}, "abcdefABCDE")), labels)
                .find("with 11 bytes of data; it is truncated"),
            std::string::npos);
  for (const std::vector<int>& shape :
       {std::vector<int>{-1, -1, -1}, {65536, 65536, 65536, 3}, {-1}}) {
    EXPECT_THROW(ParseIdx(Idx(shape, "abc"), "idx"), FormatError);
  }
  EXPECT_NE(RefusalOf(images, labels, {"0", "1", "2"}), " ");
  EXPECT_NE(RefusalOf(images, Put("five", Idx({2}, std::string("\0\5", 2))),
                      {"0", "1"})
                .find("label 5 is not one of the model's (0, 1)"),
            std::string::npos);
}

TEST_F(ImageSets, ReadFoldersOfClasses) {
  PutImage("set/10/a.png", 10);
  PutImage("set/9/b.PNG", 90);
  PutImage("set/9/a.png", 91, 8);
  Put("set/9/readme.txt", "not an image");
  Put("set/list.txt", "not a class");
  const ImageSet set = Read(folder_.Path("set"));
  EXPECT_EQ(set.classes, (std::vector<std::string>{"9", "10"}));
  ASSERT_EQ(set.size(), 3);
  EXPECT_EQ(set.labels, (std::vector<int32_t>{1, 0, 0}));
  EXPECT_EQ(set.format, (ImageFormat{4, 4, 3}));
  EXPECT_EQ(set.At(1).At(3, 3)[0], 91);  // made smaller
  EXPECT_EQ(set.At(2).At(0, 0)[0], 90);
  std::filesystem::create_directories(folder_.Path("none/class"));
  EXPECT_NE(RefusalOf(folder_.Path("none")).find("no images; a folder has"),
            std::string::npos);
}

TEST_F(ImageSets, ReadListsOfPaths) {
  PutImage("a.png", 10);
  PutImage("sub/b.png", 20);
  const std::string list = Put("list.tsv", "a.png\tday\nsub/b.png\tnight\n");
  const ImageSet set = Read(list);
  EXPECT_EQ(set.classes, (std::vector<std::string>{"day", "night"}));
  EXPECT_EQ(set.At(1).At(0, 0)[0], 20);
  EXPECT_EQ(Read(list, "", {"night", "dusk", "day"}).labels,
            (std::vector<int32_t>{2, 0}));
  EXPECT_NE(RefusalOf(list, "", {"day", "dusk"})
                .find(":2, " + folder_.Path("sub/b.png") +
                      ": class 'night' is not one of the model's (day, dusk)"),
            std::string::npos);
  EXPECT_NE(RefusalOf(list, list).find("labels in a file are of idx"),
            std::string::npos);
  EXPECT_NE(
      RefusalOf(Put("bad.tsv", "a.png day\n")).find("bad.tsv:1: expected path"),
      std::string::npos);
  EXPECT_NE(
      RefusalOf(Put("text.tsv", "a.png\tday\nlist.tsv\tnight\n"))
          .find(":2, " + folder_.Path("list.tsv") + ": neither a PNG nor"),
      std::string::npos);
  EXPECT_NE(RefusalOf(Put("one.tsv", "a.png\tday\n")).find("of one class"),
            std::string::npos);
  EXPECT_THROW(Read(Put("gone.tsv", "nowhere.png\tday\n")), IoError);
}

TEST(FittedImage, IsWholeAndInTheMiddle) {
  Image wide = {2, 4, 1, std::vector<uint8_t>(8, 200)};
  const Image square = Fitted(wide, {8, 8, 3});
  EXPECT_EQ(square.channels, 3);
  EXPECT_EQ(square.At(0, 0)[0], 200);  // of its border
  EXPECT_EQ(square.At(4, 4)[2], 200);
  Image dot = {3, 1, 1, {0, 90, 0}};
  const Image fitted = Fitted(dot, {3, 3, 1});
  EXPECT_EQ(fitted.At(1, 1)[0], 90);
  EXPECT_EQ(fitted.At(1, 0)[0], 30);  // the mean of all three
}

/// Bright images of 4 × 4, the i-th of value 50 + i.
ImageSet BrightSet() {
  ImageSet set;
  set.format = {4, 4, 1};
  for (int i = 0; i < 6; ++i) {
    set.pixels.insert(set.pixels.end(), 16, static_cast<uint8_t>(50 + i));
    set.labels.push_back(i % 2);
  }
  set.classes = {"0", "1"};
  return set;
}

TEST(ImageCanvas, PutsTheWholeImageSomewhere) {
  const ImageSet set = BrightSet();
  const CanvasConfig config = {.canvas = 9};
  std::vector<uint8_t> out(81);
  std::vector<int64_t> tops;
  for (int epoch = 0; epoch < 40; ++epoch) {
    const CanvasPlace place = PutOnCanvas(set, 2, config, 7, epoch, out);
    EXPECT_EQ(std::ranges::count(out, 52), 16);
    EXPECT_EQ(At(out, place.top * 9 + place.left), 52);
    tops.push_back(place.top);
  }
  EXPECT_EQ(std::ranges::min(tops), 0);
  EXPECT_EQ(std::ranges::max(tops), 5);
}

TEST(ImageCanvas, ShiftsAndClutters) {
  const ImageSet set = BrightSet();
  std::vector<uint8_t> out(16);
  PutOnCanvas(set, 0, {.shift = 1}, 3, 0, out);
  EXPECT_GE(std::ranges::count(out, 50), 9);
  std::vector<uint8_t> wide(100);
  PutOnCanvas(set, 0, {.canvas = 10, .clutter = 3, .clutter_size = 2}, 3, 0,
              wide);
  EXPECT_GT(std::ranges::count_if(wide, [](uint8_t p) { return p > 50; }), 0);
}

TEST(ImageCanvas, IsTheSameWhateverWasMadeBefore) {
  const ImageSet set = BrightSet();
  const CanvasConfig config = {.canvas = 12, .clutter = 4, .clutter_size = 3};
  const Tensor all =
      CanvasBatch(set, std::vector<int64_t>{0, 1, 2, 3, 4, 5}, config, 1, 2);
  const Tensor some = CanvasBatch(set, std::vector<int64_t>{4}, config, 1, 2);
  EXPECT_EQ(some.ToVector<float>(), all.Slice(4, 5).ToVector<float>());
  EXPECT_EQ(OnCanvas(set, config, 1).PixelsOf(3).size(), 144);
}

TEST(ImageCanvas, RefusesWhatDoesNotFit) {
  const ImageSet set = BrightSet();
  EXPECT_THROW(OnCanvas(set, {.canvas = 3}, 1), ConfigError);
  EXPECT_THROW(CheckCanvas({.clutter = 1, .clutter_size = 2}, set.format),
               ConfigError);
  EXPECT_THROW(CheckCanvas({.shift = 400}, set.format), ConfigError);
  EXPECT_THROW(OnCanvas(set, {.canvas = 9, .clutter = 1, .clutter_size = 5}, 1),
               ConfigError);
}

}  // namespace
}  // namespace heed
