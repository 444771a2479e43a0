#include "heed/io/marian_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/io/elements.h"
#include "heed/io/file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are read as they stand in memory");

constexpr uint64_t kVersion = 1;
constexpr uint64_t kMaxArrays = uint64_t{1} << 20;
constexpr uint64_t kLongestName = uint64_t{1} << 16;

/// Quantised matrices: K · N bytes and the multiplier, an f32.
constexpr uint64_t kIntgemm8 = 0x4101;
constexpr uint64_t kIntgemm16 = 0x4102;

/// Types by their numbers: a class (0x100 signed, 0x200 unsigned, 0x400
/// floating point) plus the bytes of an element.
struct BinaryType {
  uint64_t number;
  ElementType element;
};
constexpr BinaryType kBinaryTypes[] = {
    {0x101, {"int8", DType::kI8, 1}},     {0x201, {"uint8", DType::kU8, 1}},
    {0x104, {"int32", DType::kI32, 4}},   {0x108, {"int64", DType::kI32, 8}},
    {0x402, {"float16", DType::kF32, 2}}, {0x404, {"float32", DType::kF32, 4}},
    {0x408, {"float64", DType::kF64, 8}},
};

/// Reads numbers and bytes sequentially, never beyond the end of the file.
class BinaryReader {
 public:
  explicit BinaryReader(const std::string& path) : path_(path), file_(path) {
    constexpr std::string_view kGzip = "\x1f\x8b";
    constexpr std::string_view kZstd = "\x28\xb5";
    std::string begin(kGzip.size(), '\0');
    begin.resize(file_.ReadAt(0, begin.data(), begin.size()));
    if (begin == kGzip || begin == kZstd) inflated_ = ReadInflated(path);
    left_ = inflated_ ? inflated_->size() : file_.size();
  }

  [[noreturn]] void Fail(const std::string& problem) const {
    throw FormatError("{}: {}", path_, problem);
  }
  uint64_t left() const { return left_; }

  /// Checks that `size` bytes of `what` follow.
  void Require(uint64_t size, std::string_view what) const {
    if (size <= left_) return;
    Fail(fmt::format("is cut short: {} needs {} bytes, but {} are left", what,
                     size, left_));
  }
  void Read(void* to, uint64_t size, std::string_view what) {
    Require(size, what);
    if (inflated_) {
      std::memcpy(to, inflated_->data() + inflated_->size() - left_, size);
    } else if (file_.Read(to, size) != size) {
      Fail("is cut short");
    }
    left_ -= size;
  }
  std::string Text(uint64_t size, std::string_view what) {
    Require(size, what);
    std::string bytes(size, '\0');
    Read(bytes.data(), size, what);
    return bytes;
  }
  uint64_t Number(std::string_view what) {
    uint64_t number = 0;
    Read(&number, sizeof(number), what);
    return number;
  }
  void Skip(uint64_t size, std::string_view what) {
    Require(size, what);
    char unused[4096];
    for (uint64_t part = 0; size > 0; size -= part) {
      part = std::min<uint64_t>(size, sizeof(unused));
      Read(unused, part, what);
    }
  }

 private:
  const std::string& path_;
  InputFile file_;
  std::optional<std::string> inflated_;
  uint64_t left_ = 0;
};

/// Header of an array with its name and shape.
struct BinaryArray {
  uint64_t name_bytes = 0;
  uint64_t type = 0;
  uint64_t rank = 0;
  uint64_t bytes = 0;
  std::string name;
  Shape shape;
};

BinaryArray ReadHeader(BinaryReader& reader, uint64_t number) {
  const auto field = [number](const char* name) {
    return fmt::format("{} of array {}", name, number);
  };
  BinaryArray array;
  array.name_bytes = reader.Number(field("name length"));
  array.type = reader.Number(field("type"));
  array.rank = reader.Number(field("rank"));
  array.bytes = reader.Number(field("data length"));
  if (array.name_bytes == 0 || array.name_bytes > kLongestName) {
    reader.Fail(fmt::format("the {} is {}; expected 1 to {}",
                            field("name length"), array.name_bytes,
                            kLongestName));
  }
  if (array.rank > Shape::kMaxRank) {
    reader.Fail(fmt::format("the {} is {}; expected at most {}", field("rank"),
                            array.rank, Shape::kMaxRank));
  }
  reader.Require(array.bytes, field("data length"));
  return array;
}

std::vector<BinaryArray> ReadHeaders(BinaryReader& reader) {
  if (reader.left() < 2 * sizeof(uint64_t) ||
      reader.Number("version") != kVersion) {
    reader.Fail("is not a binary model of Marian, version 1");
  }
  const uint64_t count = reader.Number("number of arrays");
  if (count > kMaxArrays) {
    reader.Fail(fmt::format("claims {} arrays", count));
  }
  std::vector<BinaryArray> arrays;
  for (uint64_t i = 0; i < count; ++i) {
    arrays.push_back(ReadHeader(reader, i + 1));
  }
  for (BinaryArray& array : arrays) {
    array.name = reader.Text(array.name_bytes, "a name");
    array.name.resize(std::strlen(array.name.c_str()));  // ends with a zero
  }
  for (BinaryArray& array : arrays) {
    for (uint64_t axis = 0; axis < array.rank; ++axis) {
      int32_t dimension = 0;
      reader.Read(&dimension, sizeof(dimension), "a shape");
      if (dimension < 0) reader.Fail("'" + array.name + "' has no shape");
      array.shape.Append(dimension);
    }
  }
  return arrays;
}

[[noreturn]] void FailSize(const BinaryArray& array,
                           const BinaryReader& reader) {
  reader.Fail(fmt::format("'{}' {} does not fit into its {} bytes", array.name,
                          array.shape.ToString(), array.bytes));
}

const ElementType& TypeOf(const BinaryArray& array,
                          const BinaryReader& reader) {
  for (const BinaryType& known : kBinaryTypes) {
    if (known.number == array.type) return known.element;
  }
  reader.Fail(fmt::format(
      "'{}' has elements of type {:#x}{}, which Heed does not read; import the "
      ".npz, or the .bin in float32 or intgemm8, that it was made from",
      array.name, array.type,
      array.type == kIntgemm16 ? " (intgemm16)"
                               : " (packed for one kind of processor)"));
}

/// Transposes bytes. Shapes: from [N, K], result [K, N].
Tensor TransposedBytes(const std::string& from, const Shape& shape) {
  constexpr int64_t kBlock = 64;
  const int64_t k = shape[0];
  const int64_t n = shape[1];
  Tensor to(shape, DType::kI8);
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    for (int64_t i = 0; i < k; ++i) {
      int8_t* row = to.row<int8_t>(i);
      for (int64_t j = begin; j < end; ++j) {
        row[j] = static_cast<int8_t>(from[static_cast<size_t>(j * k + i)]);
      }
    }
  }
  return to;
}

/// Reads an array of type intgemm8.
MarianTensor ReadIntgemm8(const BinaryArray& array, BinaryReader& reader) {
  constexpr ElementType kByte = {"int8", DType::kI8, 1};
  const auto stored = StoredBytes(kByte, array.shape);
  MarianTensor tensor;
  if (array.shape.rank() != 2 || !stored ||
      array.bytes < sizeof(tensor.multiplier) ||
      *stored > array.bytes - sizeof(tensor.multiplier) ||
      array.bytes > reader.left()) {
    FailSize(array, reader);
  }
  const std::string bytes = reader.Text(*stored, array.name);
  reader.Read(&tensor.multiplier, sizeof(tensor.multiplier), array.name);
  if (!std::isfinite(tensor.multiplier) || !(tensor.multiplier > 0)) {
    reader.Fail(
        fmt::format("'{}' has the quantisation multiplier {}; expected a "
                    "number above 0",
                    array.name, tensor.multiplier));
  }
  if (IsMarianTable(array.name)) {
    tensor.value = Tensor(array.shape, DType::kI8);
    std::ranges::copy(bytes, static_cast<char*>(tensor.value.raw()));
  } else {
    tensor.value = TransposedBytes(bytes, array.shape);
  }
  reader.Skip(array.bytes - *stored - sizeof(tensor.multiplier), array.name);
  return tensor;
}

MarianTensor ReadNumbers(const BinaryArray& array, const std::string& path,
                         BinaryReader& reader) {
  const ElementType& type = TypeOf(array, reader);
  const auto stored = StoredBytes(type, array.shape);
  // Elements are padded to a multiple of 256 bytes.
  if (!stored || *stored > array.bytes || array.bytes > reader.left()) {
    FailSize(array, reader);
  }
  MarianTensor tensor;
  tensor.value = ReadElements(
      type, array.shape, fmt::format("{}: '{}'", path, array.name),
      [&](void* to, size_t size) { reader.Read(to, size, array.name); });
  reader.Skip(array.bytes - *stored, array.name);
  return tensor;
}

}  // namespace

bool IsMarianTable(std::string_view name) {
  return name == "Wemb" || name == "encoder_Wemb" || name == "decoder_Wemb";
}

std::vector<MarianTensor> ReadMarianBinary(const std::string& path) {
  BinaryReader reader(path);
  std::vector<BinaryArray> arrays = ReadHeaders(reader);
  reader.Skip(reader.Number("padding length"), "the padding");
  std::vector<MarianTensor> tensors;
  for (BinaryArray& array : arrays) {
    tensors.push_back(array.type == kIntgemm8
                          ? ReadIntgemm8(array, reader)
                          : ReadNumbers(array, path, reader));
    tensors.back().name = std::move(array.name);
  }
  return tensors;
}

}  // namespace heed
