#include "heed/io/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

class Safetensors : public testing::Test {
 protected:
  void PutBytes(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  // Writes a file with this header and `data_bytes` bytes of elements.
  void Put(const std::string& header, size_t data_bytes) const {
    const uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    PutBytes(bytes + header + std::string(data_bytes, '\0'));
  }
  std::string ReadError() const {
    try {
      ReadSafetensors(path_);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "no error";
  }
  void ExpectError(const std::string& header, size_t data_bytes,
                   const std::string& part) const {
    Put(header, data_bytes);
    const std::string error = ReadError();
    EXPECT_NE(error.find(path_), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.Path("file.safetensors");
};

std::vector<NamedTensor> Examples() {
  const Tensor bf16 = Tensor::Of<float>({1, 2, 3}, {3}).To(DType::kBF16);
  return {{"bf16", bf16},
          {"f32", Tensor::Of<float>({1, -2.5, 3, 4, 5, 6}, {2, 3})},
          {"f64", Tensor::Of<double>({1e300, -0.0}, {2, 1, 1})},
          {"i32", Tensor::Of<int32_t>({-1, 2147483647}, {2})},
          {"i8", Tensor::Of<int8_t>({-127, 0, 127}, {3})},
          {"u8", Tensor::Of<uint8_t>({0, 255}, {1, 2})},
          {"scalar", Tensor::Of<float>({7}, {})},
          {"none", Tensor(Shape{0, 4})}};
}

TEST_F(Safetensors, InMemoryIsWhatTheFileHolds) {
  WriteSafetensors(path_, Examples(), {{"key", "text"}});
  const std::string bytes = SerializeSafetensors(Examples(), {{"key", "text"}});
  EXPECT_EQ(ReadFile(path_), bytes);
  EXPECT_EQ(ParseSafetensors(bytes, "x").tensors.size(), Examples().size());
  EXPECT_EQ(MessageOf<FormatError>([&] {
              ParseSafetensors("short", "x");
            }).substr(0, 28),
            "x is not a safetensors file:");
}

TEST_F(Safetensors, ReadsBackWhatItWrote) {
  const std::vector<NamedTensor> tensors = Examples();
  const Metadata metadata = {{"format", "heed"}, {"text", "a \"b\"\n\xC3\xA4"}};
  WriteSafetensors(path_, tensors, metadata);
  const SafetensorsFile file = ReadSafetensors(path_);
  EXPECT_EQ(file.metadata, metadata);
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& value = file.tensors[i].value;
    EXPECT_EQ(file.tensors[i].name, tensors[i].name);
    EXPECT_EQ(value.dtype(), tensors[i].value.dtype());
    EXPECT_EQ(value.shape(), tensors[i].value.shape());
    EXPECT_EQ(value.ToVector<double>(), tensors[i].value.ToVector<double>());
  }
}

TEST_F(Safetensors, BytesAreThoseOfTheFormat) {
  WriteSafetensors(
      path_,
      std::vector<NamedTensor>{{"w", Tensor::Of<int32_t>({1, 2}, {2, 1})}}, {});
  const std::string header =
      R"({"w":{"dtype":"I32","shape":[2,1],"data_offsets":[0,8]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  const std::string bytes = ReadFile(path_);
  EXPECT_EQ(bytes[0], static_cast<char>(header.size() + padding.size()));
  EXPECT_EQ(bytes.substr(1, 7), std::string(7, '\0'));
  EXPECT_EQ(bytes.substr(8),
            header + padding + std::string("\1\0\0\0\2\0\0\0", 8));
}

TEST_F(Safetensors, ColumnsOfATensorAreWrittenDense) {
  const Tensor whole = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  WriteSafetensors(path_,
                   std::vector<NamedTensor>{{"part", whole.Columns(1, 3)}}, {});
  EXPECT_EQ(ReadSafetensors(path_).tensors[0].value.ToVector<float>(),
            (std::vector<float>{2, 3, 5, 6}));
}

TEST_F(Safetensors, NameThatOccursTwiceIsRefused) {
  const Tensor value = Tensor::Zeros({1});
  EXPECT_THROW(
      WriteSafetensors(
          path_, std::vector<NamedTensor>{{"w", value}, {"w", value}}, {}),
      ConfigError);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Safetensors, FileCutAnywhereIsAFormatError) {
  WriteSafetensors(path_, Examples(), {{"format", "heed"}});
  const std::string bytes = ReadFile(path_);
  for (size_t size = 0; size < bytes.size(); ++size) {
    PutBytes(bytes.substr(0, size));
    EXPECT_NE(ReadError().find(path_), std::string::npos) << size << " bytes";
  }
  PutBytes(bytes + "x");
  EXPECT_NE(ReadError().find("after the last"), std::string::npos);
}

TEST_F(Safetensors, FlippedBitsNeverCrash) {
  WriteSafetensors(path_, Examples(), {{"format", "heed"}});
  const std::string bytes = ReadFile(path_);
  const size_t header_end = 8 + static_cast<unsigned char>(bytes[0]) +
                            256 * static_cast<unsigned char>(bytes[1]);
  for (size_t i = 0; i < header_end; ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    PutBytes(flipped);
    try {
      ReadSafetensors(path_);  // a flipped letter in a name stays well-formed
    } catch (const FormatError&) {
    }
  }
}

TEST_F(Safetensors, HeaderLongerThanTheFileIsAFormatError) {
  for (const char last : {'\x01', '\x7F', '\xFF'}) {
    std::string bytes(16, '\xFF');
    bytes[7] = last;
    PutBytes(bytes);
    EXPECT_NE(ReadError().find("header"), std::string::npos);
  }
}

TEST_F(Safetensors, MalformedHeadersAreFormatErrors) {
  ExpectError("{", 0, "JSON");
  ExpectError("[]", 0, "JSON");
  ExpectError(R"({"w":1,"w":1})", 0, "twice");
  ExpectError(R"({"__metadata__":[]})", 0, "__metadata__");
  ExpectError(R"({"__metadata__":{"a":1}})", 0, "__metadata__");
  ExpectError(R"({"w":3})", 0, "'w'");
  ExpectError(R"({"w":{}})", 0, "'w': dtype");
}

TEST_F(Safetensors, NestedHeadersAreFormatErrors) {
  const std::string open(100000, '[');
  const std::string close(100000, ']');
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    const std::string begin = fmt::format(R"({{"a":{{"{}":)", key);
    ExpectError(begin + open + close + "}}", 0, "nested");
    ExpectError(begin + open, 0, "nested");
  }
  ExpectError(R"({"__metadata__":{"a":)" + open + close + "}}", 0, "nested");
  ExpectError(open + close, 0, "nested");
}

TEST_F(Safetensors, ManyTensorsAreWrittenAndReadInLinearTime) {
  std::vector<NamedTensor> tensors;
  for (int i = 0; i < 20000; ++i) {
    tensors.push_back({fmt::format("tensor {}", i), Tensor::Zeros({1})});
  }
  WriteSafetensors(path_, tensors, {});
  EXPECT_EQ(ReadSafetensors(path_).tensors.size(), tensors.size());
}

TEST_F(Safetensors, MalformedTensorsAreFormatErrorsThatNameThem) {
  const auto header = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return R"({"w":{"dtype":)" + dtype + R"(,"shape":)" + shape +
           R"(,"data_offsets":)" + offsets + "}}";
  };
  ExpectError(header("\"C64\"", "[1]", "[0,8]"), 8, "'w': dtype \"C64\"");
  ExpectError(header("\"F16\"", "[2]", "[0,2]"), 2, "'w': F16 [2] needs 4");
  ExpectError(header("1", "[1]", "[0,4]"), 4, "'w': dtype 1");
  ExpectError(header("\"F32\"", "1", "[0,4]"), 4, "'w': shape");
  ExpectError(header("\"F32\"", "[-1]", "[0,4]"), 4, "'w': shape");
  ExpectError(header("\"F32\"", "[1.0]", "[0,4]"), 4, "'w': shape");
  ExpectError(header("\"F32\"", "[18446744073709551615]", "[0,4]"), 4,
              "'w': shape");
  ExpectError(header("\"F32\"", "[1,1,1,1,1,1]", "[0,4]"), 4, "'w': shape");
  ExpectError(header("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0,
              "'w': shape");
  ExpectError(header("\"F32\"", "[1]", "[0]"), 4, "'w': data_offsets");
  ExpectError(header("\"F32\"", "[1]", "[-4,0]"), 4, "'w': data_offsets");
  ExpectError(header("\"F32\"", "[1]", "[4,0]"), 4, "'w': F32 [1] needs 4");
  ExpectError(header("\"F32\"", "[2]", "[0,4]"), 4, "'w': F32 [2] needs 8");
  ExpectError(header("\"F32\"", "[2]", "[0,8]"), 4, "'w': data_offsets");
  ExpectError(header("\"F32\"", "[1]", "[4,8]"), 8, "'w': data_offsets");
}

TEST_F(Safetensors, HalvesBecomeF32AndLongsI32) {
  const std::string header =
      R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
      R"("l":{"dtype":"I64","shape":[1],"data_offsets":[4,12]}})";
  Put(header, 12);
  std::string bytes = ReadFile(path_);
  bytes.replace(
      8 + header.size(), 12,
      std::string("\x00\x3c\x00\xc1\xfe\xff\xff\xff\xff\xff\xff\xff", 12));
  PutBytes(bytes);
  const SafetensorsFile file = ReadSafetensors(path_);
  EXPECT_EQ(file.tensors[0].value.ToVector<float>(),
            (std::vector<float>{1, -2.5}));
  EXPECT_EQ(file.tensors[1].value.ToVector<int32_t>(),
            (std::vector<int32_t>{-2}));
  bytes[bytes.size() - 2] = 0;
  PutBytes(bytes);
  EXPECT_NE(ReadError().find("tensor 'l'"), std::string::npos);
}

TEST_F(Safetensors, TensorsThatOverlapAreAFormatError) {
  ExpectError(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
              12, "'b': data_offsets");
}

}  // namespace
}  // namespace heed
