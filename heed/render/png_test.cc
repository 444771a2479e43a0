#include "heed/render/png.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr std::string_view kSquareSvg =
    "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'><rect "
    "width='10' height='10' fill='#0b4a94'/><text y='9'>▁東京 é</text></svg>";

uint32_t BigEndian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

TEST(SvgToPng, HasTheSizeOfThePictureTimesTheScale) {
  const std::string png = SvgToPng(kSquareSvg, 2.0);
  ASSERT_TRUE(png.starts_with("\x89PNG\r\n"));
  EXPECT_EQ(BigEndian(png, 16), 60u);  // IHDR: width, height
  EXPECT_EQ(BigEndian(png, 20), 40u);
}

TEST(SvgToPng, IsDeterministic) {
  EXPECT_EQ(SvgToPng(kSquareSvg, 1.0), SvgToPng(kSquareSvg, 1.0));
}

TEST(SvgToPng, RefusesWhatIsNoPicture) {
  EXPECT_THROW(SvgToPng("", 1.0), FormatError);
  EXPECT_THROW(SvgToPng("<svg", 1.0), FormatError);
  EXPECT_THROW(SvgToPng("<html/>", 1.0), FormatError);
  EXPECT_THROW(SvgToPng("<svg xmlns='http://www.w3.org/2000/svg' width='0' "
                        "height='0'/>",
                        1.0),
               FormatError);
}

TEST(SvgToPng, RefusesWhatIsTooLarge) {
  EXPECT_THROW(SvgToPng(kSquareSvg, 0.0), ConfigError);
  EXPECT_THROW(SvgToPng(kSquareSvg, 11.0), ConfigError);
  EXPECT_THROW(SvgToPng("<svg xmlns='http://www.w3.org/2000/svg' "
                        "width='40000' height='2'/>",
                        1.0),
               IoError);
}

}  // namespace
}  // namespace heed
