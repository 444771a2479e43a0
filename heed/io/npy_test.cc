#include "heed/io/npy.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/npy_testing.h"

namespace heed {
namespace {

std::string BytesNpy(const std::string& shape, const std::string& elements) {
  return NpyFileOf(NpyHeader("|u1", shape), elements);
}

TEST(Npy, IsReadFromAFileAndFromMemory) {
  const TemporaryFolder folder;
  const std::string bytes = BytesNpy("(2, 3)", "abcdef");
  for (const Tensor& array :
       {ParseNpy(bytes, "x"), ReadNpy(folder.Put("x.npy", bytes))}) {
    EXPECT_EQ(array.shape(), (Shape{2, 3}));
    EXPECT_EQ(array.data<uint8_t>()[5], 'f');
  }
}

TEST(Npy, ErrorsBeginWithTheName) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& bytes) {
    return MessageOf<FormatError>([&] { ParseNpy(bytes, "x"); });
  };
  EXPECT_EQ(error(""), "x: is cut short");
  EXPECT_EQ(error("PK\3\4 an archive"),
            "x: is not an array in the .npy format, versions 1 to 3");
  for (const std::string elements : {"abcde", "abcdefg"}) {
    const std::string bytes = BytesNpy("(2, 3)", elements);
    EXPECT_TRUE(error(bytes).starts_with("x: [2, 3] of 1 bytes each are 6"))
        << error(bytes);
    const std::string path = folder.Put("x.npy", bytes);
    EXPECT_TRUE(
        MessageOf<FormatError>([&] { ReadNpy(path); }).starts_with(path));
  }
  EXPECT_NE(error(BytesNpy("(1000000000000, 1000)", "a")), "no error");
  EXPECT_THROW(ReadNpy(folder.Path("none.npy")), IoError);
}

}  // namespace
}  // namespace heed
