#include "heed/data/image.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/file_errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

std::string SampleBytes(const std::string& name) {
  return ReadFile(std::string(HEED_GOLDEN_DIR) + "/images/" + name);
}

std::string RefusalOf(const std::string& bytes) {
  return MessageOf<FormatError>([&] { DecodeImage(bytes, "the image"); });
}

/// Colour at (x, y) of a sample, which has a colour per quarter.
std::array<int, 3> SampleColour(int64_t x, int64_t y) {
  constexpr std::array<std::array<int, 3>, 4> kColours = {
      {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}}};
  return At(kColours, (x >= 8 ? 1 : 0) + (y >= 4 ? 2 : 0));
}

struct Sample {
  std::string name;
  bool grey;
  int tolerance;
};

class DecodedImage : public testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(
    Samples, DecodedImage,
    testing::Values(Sample{"rgb.png", false, 0}, Sample{"grey.png", true, 1},
                    Sample{"palette.png", false, 0},
                    Sample{"deep.png", false, 0}, Sample{"clear.png", false, 0},
                    Sample{"animated.png", false, 0},
                    Sample{"rgb.jpg", false, 6},
                    Sample{"progressive.jpg", false, 6},
                    Sample{"grey.jpg", true, 6}, Sample{"cmyk.jpg", false, 60},
                    Sample{"turned.jpg", false, 6}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST_P(DecodedImage, HasTheColoursThatWereWritten) {
  const auto& [name, grey, tolerance] = GetParam();
  const Image image = DecodeImage(SampleBytes(name), name);
  ASSERT_EQ(image.width, 16);
  ASSERT_EQ(image.height, 8);
  ASSERT_EQ(image.channels, 3);
  for (int64_t y = 0; y < 8; ++y) {
    for (int64_t x = 0; x < 16; ++x) {
      const auto expected = SampleColour(x, y);
      const double luma =
          0.299 * expected[0] + 0.587 * expected[1] + 0.114 * expected[2];
      for (size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(image.At(y, x)[c], grey ? luma : expected[c], tolerance)
            << x << ", " << y << ", channel " << c;
      }
    }
  }
}

TEST_P(DecodedImage, TruncatedItIsAFormatErrorAtEveryLength) {
  const std::string bytes = SampleBytes(GetParam().name);
  for (size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 7) {
    EXPECT_NE(RefusalOf(bytes.substr(0, size)).find("the image: "),
              std::string::npos)
        << size << " bytes";
  }
}

TEST(ImageRefusals, SayWhatIsWrong) {
  EXPECT_EQ(RefusalOf(""), "the image: an empty file, no image");
  EXPECT_EQ(RefusalOf("GIF89a not here"),
            "the image: neither a PNG nor a JPEG image");
  // A complete file whose header claims 100,000 × 100,000 pixels.
  std::string enormous = SampleBytes("rgb.png");
  const std::string side("\x00\x01\x86\xa0", 4);
  enormous.replace(16, 8, side + side);
  EXPECT_EQ(RefusalOf(enormous),
            "the image: an image of 100000 × 100000 pixels; at most 16384 on a "
            "side and 33 million in all are read");
  std::string none = SampleBytes("rgb.png");
  none.replace(16, 4, std::string(4, '\0'));
  EXPECT_EQ(RefusalOf(none), "the image: an image without pixels");
  std::string damaged = SampleBytes("rgb.png");
  damaged[damaged.size() - 30] ^= 0x55;
  EXPECT_NE(RefusalOf(damaged).find("a damaged image"), std::string::npos);
}

std::string BigEndianBytes(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> shift & 0xff);
  }
  return bytes;
}

std::string ChunkOf(const std::string& name, const std::string& content) {
  const std::string summed = name + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(summed.data()),
                         static_cast<uInt>(summed.size()));
  return BigEndianBytes(content.size()) + summed + BigEndianBytes(sum);
}

std::string Packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  packed.resize(size);
  return packed;
}

/// A PNG file with valid checksums and `rows` zero bytes of pixel data.
std::string PngOfZeros(size_t width, size_t height, int depth, int colour,
                       bool interlaced, size_t rows) {
  const std::string header = BigEndianBytes(width) + BigEndianBytes(height) +
                             static_cast<char>(depth) +
                             static_cast<char>(colour) + std::string(2, '\0') +
                             static_cast<char>(interlaced);
  const std::string pixels = Packed(std::string(rows, '\0'));
  // Split into two chunks, as in real files.
  return "\x89PNG\r\n\x1a\n" + ChunkOf("IHDR", header) +
         ChunkOf("IDAT", pixels.substr(0, 3)) +
         ChunkOf("IDAT", pixels.substr(3)) + ChunkOf("IEND", "");
}

struct RowCase {
  int depth, colour;
  bool interlaced;
  size_t bytes;  ///< of 5 × 3 pixels, with a filter byte per row
};

class PngRows : public testing::TestWithParam<RowCase> {};
INSTANTIATE_TEST_SUITE_P(
    Forms, PngRows,
    testing::Values(RowCase{1, 0, false, 6}, RowCase{8, 0, false, 18},
                    RowCase{16, 0, false, 33}, RowCase{8, 2, false, 48},
                    RowCase{8, 4, false, 33}, RowCase{16, 6, false, 123},
                    // Bytes of the seven passes: 2, 2, 0, 2, 4, 6 and 6.
                    RowCase{8, 0, true, 22}),
    [](const auto& test) {
      const RowCase& rows = test.param;
      return "Depth" + std::to_string(rows.depth) + "Colour" +
             std::to_string(rows.colour) +
             (rows.interlaced ? "Interlaced" : "");
    });

TEST_P(PngRows, AreAllThereOrTheFileIsTruncated) {
  const auto [depth, colour, interlaced, bytes] = GetParam();
  const Image image = DecodeImage(
      PngOfZeros(5, 3, depth, colour, interlaced, bytes), "the image");
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.height, 3);
  for (const size_t fewer : {bytes - 1, bytes / 2, size_t{0}}) {
    EXPECT_EQ(RefusalOf(PngOfZeros(5, 3, depth, colour, interlaced, fewer)),
              "the image: a truncated PNG file: " + std::to_string(fewer) +
                  " bytes of pixels where its header says " +
                  std::to_string(bytes));
  }
}

TEST(ImageRefusals, AJpegWithoutAllOfItsPixelsIsTruncated) {
  for (const char* name : {"rgb.jpg", "grey.jpg", "cmyk.jpg"}) {
    const std::string bytes = SampleBytes(name);
    const size_t scan = bytes.find("\xff\xda");
    ASSERT_NE(scan, std::string::npos) << name;
    const size_t pixels = scan + 4 + static_cast<uint8_t>(bytes[scan + 3]) - 2;
    for (const size_t size : {pixels, (pixels + bytes.size()) / 2}) {
      EXPECT_EQ(RefusalOf(bytes.substr(0, size) + "\xff\xd9"),
                "the image: a truncated JPEG file: pixels are missing")
          << name << ", " << size << " of " << bytes.size() << " bytes";
    }
  }
}

TEST(ImageRefusals, SayOfWhichKindTheyAre) {
  EXPECT_THROW(DecodeImage("GIF89a not here", "x"), UnsupportedError);
  EXPECT_THROW(DecodeImage(PngOfZeros(100'000, 100'000, 8, 0, false, 9), "x"),
               TooLargeError);
}

TEST(ImagePng, IsReadAsItWasWritten) {
  Image image = {5, 7, 3, {}};
  for (int i = 0; i < 105; ++i) {
    image.pixels.push_back(static_cast<uint8_t>(i * 37));
  }
  EXPECT_EQ(DecodeImage(EncodePng(image), "png"), image);
  const Image grey = WithChannels(image, 1);
  EXPECT_EQ(WithChannels(DecodeImage(EncodePng(grey), "png"), 1), grey);
}

TEST(ImageSize, SmallerPixelsAreMeansOfWhatTheyCover) {
  Image image = {4, 4, 1, std::vector<uint8_t>(16, 100)};
  EXPECT_EQ(Resized(image, 2, 3).pixels, std::vector<uint8_t>(6, 100));
  // A linear ramp stays linear.
  Image ramp = {1, 8, 1, {0, 10, 20, 30, 40, 50, 60, 70}};
  const Image half = Resized(ramp, 1, 4);
  EXPECT_EQ(half.pixels[1], 25);
  EXPECT_EQ(half.pixels[2], 45);
  double sum = 0;
  for (const uint8_t pixel : half.pixels) sum += pixel;
  EXPECT_NEAR(sum / 4, 35, 1);
  const Image larger = Resized(ramp, 3, 16);
  EXPECT_EQ(larger.height, 3);
  EXPECT_TRUE(std::ranges::is_sorted(larger.pixels.begin(),
                                     larger.pixels.begin() + 16));
  EXPECT_EQ(Resized(ramp, 1, 8), ramp);
}

}  // namespace
}  // namespace heed
