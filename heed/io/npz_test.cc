#include "heed/io/npz.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/io/npy_testing.h"

namespace heed {
namespace {

class Npz : public testing::Test {
 protected:
  /// An archive of one member.
  void Put(const std::string& content, const std::string& name = "x.npy",
           int method = ZIP_CM_DEFLATE) const {
    int code = 0;
    zip_t* archive = zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    ASSERT_NE(archive, nullptr);
    zip_source_t* source =
        zip_source_buffer(archive, content.data(), content.size(), 0);
    const int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    ASSERT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<uint64_t>(index), method, 0);
    ASSERT_EQ(zip_close(archive), 0);
  }
  std::string Error() const {
    return MessageOf<FormatError>([&] { ReadNpz(path_); });
  }
  void ExpectError(const std::string& content, const std::string& part) const {
    Put(content);
    const std::string error = Error();
    EXPECT_NE(error.find(path_), std::string::npos) << error;
    EXPECT_NE(error.find("'x.npy'"), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.Path("file.npz");
};

const Tensor& Find(const std::vector<NamedTensor>& tensors,
                   std::string_view name) {
  return FindTensor(tensors, name, "the archive");
}

// NumPy's own files: see tests/golden/numpy_arrays.py.
class NpzGolden : public testing::TestWithParam<const char*> {
 protected:
  const std::vector<NamedTensor> tensors_ =
      ReadNpz(std::string(HEED_GOLDEN_DIR) + "/" + GetParam());

  /// Element i of the array is expected(i).
  template <typename Expected>
  void Expect(const std::string& name, DType dtype, Expected expected) const {
    const Tensor& x = Find(tensors_, name);
    ASSERT_EQ(x.dtype(), dtype) << name;
    ASSERT_EQ(x.shape(), Shape({2, 3, 4})) << name;
    const std::vector<double> values = x.ToVector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], expected(static_cast<double>(i))) << name << i;
    }
  }
};

TEST_P(NpzGolden, HoldsNumPysElements) {
  Expect("f2", DType::kF32, [](double i) { return (i - 12) / 8; });
  Expect("f4", DType::kF32,
         [](double i) { return static_cast<float>(i) / 3.0F; });
  Expect("f8", DType::kF64, [](double i) { return i / 3; });
  Expect("i1", DType::kI8, [](double i) { return i - 12; });
  Expect("u1", DType::kU8, [](double i) { return i + 230; });
  Expect("i4", DType::kI32, [](double i) { return (i - 12) * 100000; });
  Expect("i8", DType::kI32, [](double i) { return (i - 12) * 100000; });
}

TEST_P(NpzGolden, FortranOrderIsTurnedAround) {
  Expect("fortran", DType::kF32, [](double i) { return i; });
  const Tensor& matrix = Find(tensors_, "fortran_matrix");
  ASSERT_EQ(matrix.shape(), Shape({3, 4}));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(matrix.data<float>()[i], i);
}

TEST_P(NpzGolden, HalvesKeepTheirSpecialValues) {
  const Tensor& x = Find(tensors_, "f2_special");
  const float* values = x.data<float>();
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[2], std::ldexp(1.0F, -24));
  EXPECT_TRUE(values[3] == 0 && std::signbit(values[3]));
  EXPECT_EQ(values[4], 65504);
}

TEST_P(NpzGolden, ScalarsAndEmptyArraysKeepTheirShapes) {
  EXPECT_EQ(Find(tensors_, "scalar").shape(), Shape({}));
  EXPECT_EQ(Find(tensors_, "scalar").item(), 7);
  EXPECT_EQ(Find(tensors_, "none").shape(), Shape({0, 4}));
}

INSTANTIATE_TEST_SUITE_P(
    Files, NpzGolden, testing::Values("numpy_stored.npz", "numpy_deflated.npz"),
    [](const auto& file) { return std::string(file.param).substr(6, 6); });

TEST_F(Npz, ReadsLongHeadersAndPython2sNumbers) {
  const std::string header = NpyHeader("<i4", "(2L,)");
  Put("\x93NUMPY\x02" + std::string(1, '\0') + LittleEndian(header.size(), 4) +
      header + LittleEndian(5, 4) + LittleEndian(6, 4));
  EXPECT_EQ(Find(ReadNpz(path_), "x").ToVector<int>(),
            (std::vector<int>{5, 6}));
}

TEST_F(Npz, AByteInAnArrayWithoutElementsIsNoError) {
  Put(NpyFileOf(NpyHeader("<f4", "(1, 0)"), "\1"));
  EXPECT_EQ(Find(ReadNpz(path_), "x").shape(), Shape({1, 0}));
}

TEST_F(Npz, PicklesAreRefusedByName) {
  ExpectError(NpyFileOf(NpyHeader("|O", "(1,)"), "cos\nsystem\n."), "pickle");
  ExpectError(NpyFileOf("{'descr': [('a', '|O')], 'fortran_order': False, "
                        "'shape': (1,), }",
                        "        "),
              "records");
}

TEST_F(Npz, OtherElementTypesAreNamed) {
  ExpectError(NpyFileOf(NpyHeader(">f4", "(1,)"), "    "), "'>f4'");
  ExpectError(NpyFileOf(NpyHeader("<c8", "(1,)"), "        "), "'<c8'");
  ExpectError(NpyFileOf(NpyHeader("<U3", "(1,)"), "            "), "'<U3'");
  ExpectError(NpyFileOf(NpyHeader("", "(1,)"), " "), "''");
}

TEST_F(Npz, LargeWholeNumbersAreRefused) {
  ExpectError(NpyFileOf(NpyHeader("<i8", "(1,)"), LittleEndian(1ULL << 40, 8)),
              "1099511627776");
}

TEST_F(Npz, ShapesMustFitTheBytes) {
  ExpectError(NpyFileOf(NpyHeader("<f4", "(3,)"), "12345678"), "12 bytes");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(1,)"), "12345678"), "4 bytes");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(1152921504606846976,)"), "1234"),
              "4611686018427387904 bytes, but there are 4");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(4611686018427387904,)"), "1234"),
              "impossible shape");
  ExpectError(NpyFileOf(NpyHeader("|i1", "(4611686018427387904, 2, 0)"), ""),
              "impossible shape");
  ExpectError(
      NpyFileOf(NpyHeader("<f4", "(4294967296, 4294967296, 0)"), "1234"),
      "impossible shape");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(99999999999999999999,)"), "1234"),
              "impossible shape");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(-1,)"), "1234"),
              "invalid dimension");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(1, 1, 1, 1, 1, 1)"), "1234"),
              "more than 5 dimensions");
}

TEST_F(Npz, HeadersMustBeWhole) {
  ExpectError("", "cut short");
  ExpectError("\x93NUMPY", "cut short");
  ExpectError("\x80\x04N.        ", "not an array");
  ExpectError("\x93NUMPY\x07" + std::string(9, '\0'), "versions 1 to 3");
  ExpectError(NpyFileOf("", ""), "not that of an array");
  ExpectError(NpyFileOf("{}", ""), "not that of an array");
  ExpectError(NpyFileOf("{'descr'", ""), "not that of an array");
  ExpectError(NpyFileOf("{'descr': '<f4', 'descr': '<f4'}", ""), "'descr'");
  ExpectError(NpyFileOf("{'descr': '<f4', 'more': 1}", ""), "'more'");
  ExpectError(NpyFileOf(NpyHeader("<f4", "(1,)") + "()", "1234"),
              "not that of an array");
  ExpectError("\x93NUMPY\x02" + std::string(1, '\0') +
                  LittleEndian(0xFFFFFFFF, 4) + "{}",
              "4294967295 bytes");
}

TEST_F(Npz, OtherMembersAndOtherFilesAreRefused) {
  Put("text", "readme.txt");
  EXPECT_NE(Error().find("'readme.txt' is not an array"), std::string::npos);
  WriteFileAtomically(path_, "not a zip file");
  EXPECT_NE(Error().find(path_ + " is not a whole .npz"), std::string::npos);
  WriteFileAtomically(path_, "");
  EXPECT_NE(Error().find(path_ + " is not a whole .npz"), std::string::npos);
  EXPECT_THROW(ReadNpz(folder_.Path("missing.npz")), IoError);
  EXPECT_THROW(ReadNpz(folder_.path()), IoError);
}

TEST_F(Npz, ImpossibleSizesFailBeforeAllocation) {
  Put(NpyFileOf(NpyHeader("<f4", "(1,)"), "1234"));
  std::string bytes = ReadFile(path_);
  // The size in the central directory: bytes 24 to 27 of its entry.
  const size_t entry = bytes.find("PK\x01\x02");
  ASSERT_NE(entry, bytes.npos);
  bytes.replace(entry + 24, 4, LittleEndian(0xFFFFFFF0, 4));
  WriteFileAtomically(path_, bytes);
  const std::string error = Error();
  EXPECT_NE(error.find(path_), std::string::npos) << error;
}

TEST_F(Npz, ArchiveThatInflatesFarBeyondItsSizeIsRefused) {
  // 80 MB of zeros in 80 kB.
  Put(NpyFileOf(NpyHeader("<f4", "(20000000,)"), std::string(80000000, '\0')));
  EXPECT_LT(std::filesystem::file_size(path_), 200000u);
  const std::string error = Error();
  EXPECT_NE(error.find(path_), std::string::npos) << error;
  EXPECT_NE(error.find("claim more than"), std::string::npos) << error;
}

TEST_F(Npz, MemberOfMoreThanItsDirectorySaysIsRefused) {
  const std::string array = NpyFileOf(NpyHeader("<f4", "(1,)"), "1234");
  Put(array + std::string(1000000, '\0'));
  std::string bytes = ReadFile(path_);
  // Both sizes of the content: in the directory, and before the member.
  bytes.replace(bytes.find("PK\x01\x02") + 24, 4,
                LittleEndian(array.size(), 4));
  bytes.replace(bytes.find("PK\x03\x04") + 22, 4,
                LittleEndian(array.size(), 4));
  folder_.Put("file.npz", bytes);
  const std::string error = Error();
  EXPECT_NE(error.find(path_), std::string::npos) << error;
}

TEST_F(Npz, OnlyRegularFilesAreRead) {
  EXPECT_THROW(ReadNpz("/dev/zero"), IoError);
}

TEST_F(Npz, DamagedElementsAreFound) {
  Put(NpyFileOf(NpyHeader("<f4", "(2,)"), "12345678"), "x.npy", ZIP_CM_STORE);
  std::string bytes = ReadFile(path_);
  bytes[bytes.find("12345678")] = '2';
  WriteFileAtomically(path_, bytes);
  EXPECT_NE(Error().find("'x.npy'"), std::string::npos);
}

TEST_F(Npz, NoDamageCrashes) {
  const std::string whole =
      ReadFile(std::string(HEED_GOLDEN_DIR) + "/numpy_deflated.npz");
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0) bytes.resize(rng.Below(bytes.size()));
    for (int i = 0; i < 4 && !bytes.empty(); ++i) {
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng.Below(256));
    }
    folder_.Put("file.npz", bytes);
    try {
      ReadNpz(path_);
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace heed
