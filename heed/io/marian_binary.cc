#include "heed/io/marian_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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
  explicit BinaryReader(const std::string& path)
      : path_(path), file_(path), left_(file_.size()) {}

  [[noreturn]] void Fail(const std::string& problem) const {
    throw FormatError("{}: {}", path_, problem);
  }
  uint64_t left() const { return left_; }

  void Read(void* to, uint64_t size) {
    if (size > left_ || file_.Read(to, size) != size) Fail("is cut short");
    left_ -= size;
  }
  std::string Text(uint64_t size) {
    if (size > left_) Fail("is cut short");
    std::string bytes(size, '\0');
    Read(bytes.data(), size);
    return bytes;
  }
  uint64_t Number() {
    uint64_t number = 0;
    Read(&number, sizeof(number));
    return number;
  }
  void Skip(uint64_t size) {
    char unused[4096];
    for (uint64_t part = 0; size > 0; size -= part) {
      part = std::min<uint64_t>(size, sizeof(unused));
      Read(unused, part);
    }
  }

 private:
  const std::string& path_;
  InputFile file_;
  uint64_t left_;
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

std::vector<BinaryArray> ReadHeaders(BinaryReader& reader) {
  if (reader.left() < 2 * sizeof(uint64_t) || reader.Number() != kVersion) {
    reader.Fail("is not a binary model of Marian, version 1");
  }
  const uint64_t count = reader.Number();
  if (count > kMaxArrays) {
    reader.Fail(fmt::format("claims {} arrays", count));
  }
  std::vector<BinaryArray> arrays;
  for (uint64_t i = 0; i < count; ++i) {
    BinaryArray& array = arrays.emplace_back();
    array.name_bytes = reader.Number();
    array.type = reader.Number();
    array.rank = reader.Number();
    array.bytes = reader.Number();
    if (array.name_bytes == 0 || array.name_bytes > kLongestName ||
        array.rank > Shape::kMaxRank) {
      reader.Fail(fmt::format("the header of array {} is damaged", i + 1));
    }
  }
  for (BinaryArray& array : arrays) {
    array.name = reader.Text(array.name_bytes);
    array.name.resize(std::strlen(array.name.c_str()));  // ends with a zero
  }
  for (BinaryArray& array : arrays) {
    for (uint64_t axis = 0; axis < array.rank; ++axis) {
      int32_t dimension = 0;
      reader.Read(&dimension, sizeof(dimension));
      if (dimension < 0) reader.Fail("'" + array.name + "' has no shape");
      array.shape.Append(dimension);
    }
  }
  return arrays;
}

const ElementType& TypeOf(const BinaryArray& array,
                          const BinaryReader& reader) {
  for (const BinaryType& known : kBinaryTypes) {
    if (known.number == array.type) return known.element;
  }
  reader.Fail(fmt::format(
      "'{}' has elements of type {:#x}, packed or quantised for one kind of "
      "processor; import the .npz, or the .bin in float32, that it was made "
      "from",
      array.name, array.type));
}

}  // namespace

std::vector<NamedTensor> ReadMarianBinary(const std::string& path) {
  BinaryReader reader(path);
  std::vector<BinaryArray> arrays = ReadHeaders(reader);
  reader.Skip(reader.Number());
  std::vector<NamedTensor> tensors;
  for (BinaryArray& array : arrays) {
    const ElementType& type = TypeOf(array, reader);
    const auto stored = StoredBytes(type, array.shape);
    // Elements are padded to a multiple of 256 bytes.
    if (!stored || *stored > array.bytes || array.bytes > reader.left()) {
      reader.Fail(fmt::format("'{}' {} does not fit into its {} bytes",
                              array.name, array.shape.ToString(), array.bytes));
    }
    const std::string shown = fmt::format("{}: '{}'", path, array.name);
    Tensor value =
        ReadElements(type, array.shape, shown,
                     [&](void* to, size_t size) { reader.Read(to, size); });
    reader.Skip(array.bytes - *stored);
    tensors.push_back({std::move(array.name), std::move(value)});
  }
  return tensors;
}

}  // namespace heed
