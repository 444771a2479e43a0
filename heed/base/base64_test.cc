#include "heed/base/base64.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Base64, GivesBytesBack) {
  EXPECT_EQ(FromBase64(""), "");
  EXPECT_EQ(FromBase64("Zg=="), "f");
  EXPECT_EQ(FromBase64("Zm8="), "fo");
  EXPECT_EQ(FromBase64("Zm9v\r\nYmFy"), "foobar");
  EXPECT_EQ(FromBase64("AP+/"), std::string("\0\xFF\xBF", 3));
}

TEST(Base64, WritesWhatItReads) {
  EXPECT_EQ(ToBase64(""), "");
  EXPECT_EQ(ToBase64("f"), "Zg==");
  EXPECT_EQ(ToBase64("fo"), "Zm8=");
  EXPECT_EQ(ToBase64("foobar"), "Zm9vYmFy");
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(FromBase64(ToBase64(bytes)), bytes);
}

TEST(Base64, TakesTheOtherAlphabetAndNoPadding) {
  EXPECT_EQ(FromBase64("AP-_"), FromBase64("AP+/"));
  EXPECT_EQ(FromBase64("Zg"), "f");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text :
       {"Z", "Zg=", "Zg===", "Z=g=", "Zm9v=", "Zm 9v", "é"}) {
    EXPECT_FALSE(FromBase64(text)) << text;
  }
}

}  // namespace
}  // namespace heed
