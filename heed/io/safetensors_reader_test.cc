#include "heed/io/safetensors_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Bytes of a file with this header and elements.
std::string FileWith(const std::string& header, const std::string& elements) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + elements;
}

std::string HeaderEntry(const std::string& name, const std::string& dtype,
                        const std::string& shape, int begin, int end) {
  return fmt::format(
      R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype,
      shape, begin, end);
}

std::string HeaderError(const std::string& bytes) {
  return MessageOf<FormatError>([&] { SafetensorsReader(bytes, "x"); });
}

TEST(SafetensorsReader, ReadsEachTensorOnRequest) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("w.safetensors");
  const std::vector<NamedTensor> tensors = {
      {"b", Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
      {"a", Tensor::Of<int32_t>({7, -8}, {2})},
      {"none", Tensor(Shape{0, 4})},
      {"half", Tensor::Of<float>({0.5, -2}, {2}).To(DType::kBF16)}};
  WriteSafetensors(path, tensors, {{"format", "pt"}});
  const SafetensorsReader reader(path);
  EXPECT_EQ(reader.path(), path);
  EXPECT_EQ(reader.metadata().at("format"), "pt");
  ASSERT_EQ(reader.entries().size(), tensors.size());
  // The order does not matter, and a tensor can be read again.
  for (const size_t i :
       {size_t{3}, size_t{0}, size_t{2}, size_t{1}, size_t{0}}) {
    const SafetensorsEntry& entry = reader.entries()[i];
    EXPECT_EQ(entry.name, tensors[i].name);
    EXPECT_EQ(entry.shape, tensors[i].value.shape());
    const Tensor value = reader.Read(entry);
    EXPECT_EQ(value.dtype(), tensors[i].value.dtype());
    EXPECT_EQ(value.ToVector<double>(), tensors[i].value.ToVector<double>());
  }
  EXPECT_EQ(reader.entries()[1].dtype, "I32");
  EXPECT_EQ(reader.entries()[3].dtype, "BF16");
}

TEST(SafetensorsReader, OtherDtypesAreAnErrorOnlyIfTheyAreRead) {
  struct Case {
    const char* dtype;
    const char* shape;
    int bytes;
  };
  for (const auto& [dtype, shape, bytes] :
       std::initializer_list<Case>{{"BOOL", "[3]", 3},
                                   {"I16", "[3]", 6},
                                   {"U16", "[3]", 6},
                                   {"U32", "[3]", 12},
                                   {"U64", "[3]", 24},
                                   {"C64", "[1]", 8},
                                   {"F8_E4M3", "[1,3]", 3},
                                   {"F8_E5M2", "[3]", 3},
                                   {"F8_E4M3FNUZ", "[3]", 3},
                                   {"F8_E5M2FNUZ", "[3]", 3},
                                   {"F8_E8M0", "[3]", 3},
                                   {"F6_E2M3", "[4]", 3},
                                   {"F6_E3M2", "[8]", 6},
                                   {"F4", "[6]", 3},
                                   {"OF_TOMORROW", "[6]", 3}}) {
    const std::string bytes_of_both =
        FileWith("{" + HeaderEntry("other", dtype, shape, 0, bytes) + "," +
                     HeaderEntry("w", "F32", "[1]", bytes, bytes + 4) + "}",
                 std::string(static_cast<size_t>(bytes), 'x') +
                     std::string("\0\0\x80\x3F", 4));
    const SafetensorsReader reader(bytes_of_both, "m.safetensors");
    ASSERT_EQ(reader.entries().size(), 2U);
    EXPECT_EQ(reader.entries()[0].dtype, dtype);
    EXPECT_EQ(reader.Read(reader.entries()[1]).ToVector<float>(),
              std::vector<float>{1});
    const std::string error =
        MessageOf<FormatError>([&] { reader.Read(reader.entries()[0]); });
    EXPECT_EQ(error.find(fmt::format(
                  "m.safetensors: tensor 'other': dtype \"{}\" is none of "
                  "those that Heed reads (F32,",
                  dtype)),
              0U)
        << error;
    EXPECT_THROW(ParseSafetensors(bytes_of_both, "x"), FormatError);
  }
}

TEST(SafetensorsReader, SizesOfOtherDtypesAreChecked) {
  const auto error = [](const std::string& dtype, const std::string& shape,
                        int bytes) {
    return HeaderError(
        FileWith("{" + HeaderEntry("w", dtype, shape, 0, bytes) + "}",
                 std::string(static_cast<size_t>(bytes), '\0')));
  };
  EXPECT_NE(error("BOOL", "[3]", 4).find("'w': BOOL [3] needs 3 bytes"),
            std::string::npos);
  EXPECT_NE(error("F4", "[6]", 4).find("'w': F4 [6] needs 3 bytes"),
            std::string::npos);
  EXPECT_NE(error("U64", "[4294967296,4294967296]", 0).find("impossible"),
            std::string::npos);
  // An element of an unknown type has a bit or more.
  EXPECT_NE(error("NEW", "[1000]", 4).find("'w': NEW [1000] needs 125 bytes"),
            std::string::npos);
  EXPECT_NE(error("NEW", "[4294967296,4294967296]", 0).find("impossible"),
            std::string::npos);
}

TEST(SafetensorsReader, HeadersThatDoNotFitAreRefusedBeforeElementsAreRead) {
  const std::string hole =
      FileWith("{" + HeaderEntry("a", "F32", "[1]", 0, 4) + "," +
                   HeaderEntry("b", "F32", "[1]", 8, 12) + "}",
               std::string(12, '\0'));
  EXPECT_NE(HeaderError(hole).find("'b': data_offsets 8 to 12"),
            std::string::npos);
  const std::string twice =
      FileWith("{" + HeaderEntry("a", "F32", "[1]", 0, 4) + "," +
                   HeaderEntry("a", "F32", "[1]", 4, 8) + "}",
               std::string(8, '\0'));
  EXPECT_NE(HeaderError(twice).find("twice"), std::string::npos)
      << HeaderError(twice);
  const std::string shared =
      FileWith("{" + HeaderEntry("a", "F32", "[1]", 0, 4) + "," +
                   HeaderEntry("b", "F32", "[1]", 0, 4) + "}",
               std::string(4, '\0'));
  EXPECT_NE(HeaderError(shared).find("overlap"), std::string::npos);
  const std::string cut = FileWith(
      "{" + HeaderEntry("a", "F32", "[2]", 0, 8) + "}", std::string(7, '\0'));
  EXPECT_NE(HeaderError(cut).find("cut short?"), std::string::npos);
  EXPECT_NE(HeaderError("").find("header"), std::string::npos);
  std::string claim(16, '\0');
  const uint64_t length = std::numeric_limits<uint64_t>::max();
  std::memcpy(claim.data(), &length, 8);
  EXPECT_NE(HeaderError(claim).find("header"), std::string::npos);
}

TEST(SafetensorsReader, HeaderOfMoreThanTheFormatAllowsIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("w.safetensors", "");
  constexpr uint64_t kLength = 100'000'001;
  WriteFileAtomically(
      path, {reinterpret_cast<const char*>(&kLength), sizeof(kLength)});
  std::filesystem::resize_file(path, kLength + 100);  // a hole, not read
  EXPECT_NE(MessageOf<FormatError>([&] {
              SafetensorsReader{path};
            }).find("header of 100000001 bytes is too long"),
            std::string::npos);
}

TEST(SafetensorsReader, FileThatShrinksWhileItIsOpenIsAFormatError) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("w.safetensors");
  WriteSafetensors(path, std::vector<NamedTensor>{{"w", Tensor::Zeros({100})}},
                   {});
  const SafetensorsReader reader(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_NE(MessageOf<FormatError>([&] {
              reader.Read(reader.entries()[0]);
            }).find("cut short while it was read"),
            std::string::npos);
}

TEST(SafetensorsReader, FilesThatCannotBeReadAreIoErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(SafetensorsReader{folder.Path("missing")}, IoError);
  EXPECT_THROW(SafetensorsReader{folder.path().string()}, IoError);
}

}  // namespace
}  // namespace heed
