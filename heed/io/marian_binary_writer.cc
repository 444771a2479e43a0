#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>

#include "heed/io/marian_binary.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they stand in memory");

/// Elements begin and end at multiples of this number of bytes.
constexpr size_t kAlignment = 256;

enum class StoredType : uint64_t {
  kBytes = 0x101,
  kFloat = 0x404,
  kInt8 = 0x4101
};

StoredType TypeOf(const MarianTensor& tensor) {
  if (tensor.value.dtype() == DType::kF32) return StoredType::kFloat;
  assert(tensor.value.dtype() == DType::kI8);
  return tensor.multiplier > 0 ? StoredType::kInt8 : StoredType::kBytes;
}

template <typename T>
void Append(const T& number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Elements of an array as they stand in the file.
std::string BytesOf(const MarianTensor& tensor) {
  const Tensor value = tensor.value.Contiguous();
  const StoredType type = TypeOf(tensor);
  const int64_t rows = value.rank() == 2 ? value.dim(0) : 1;
  const int64_t columns = value.numel() / std::max<int64_t>(1, rows);
  std::string bytes;
  if (type == StoredType::kInt8 && !IsMarianTable(tensor.name)) {
    bytes.resize(static_cast<size_t>(value.numel()));
    for (int64_t i = 0; i < rows; ++i) {
      const auto* row = value.row<int8_t>(i);
      for (int64_t j = 0; j < columns; ++j) {
        bytes[static_cast<size_t>(j * rows + i)] = static_cast<char>(row[j]);
      }
    }
  } else {
    const size_t element = type == StoredType::kFloat ? sizeof(float) : 1;
    bytes.assign(static_cast<const char*>(value.raw()),
                 static_cast<size_t>(value.numel()) * element);
  }
  if (type == StoredType::kInt8) Append(tensor.multiplier, bytes);
  if (type != StoredType::kBytes) {
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  return bytes;
}

}  // namespace

std::string MarianBinaryBytes(std::vector<MarianTensor> tensors) {
  std::ranges::sort(tensors, {}, [](const MarianTensor& tensor) {
    return std::pair(tensor.name.starts_with("special:"),
                     std::string_view(tensor.name));
  });
  std::string out;
  std::string elements;
  Append(uint64_t{1}, out);
  Append(uint64_t{tensors.size()}, out);
  for (const MarianTensor& tensor : tensors) {
    const std::string bytes = BytesOf(tensor);
    Append(uint64_t{tensor.name.size() + 1}, out);
    Append(TypeOf(tensor), out);
    Append(static_cast<uint64_t>(tensor.value.rank()), out);
    Append(uint64_t{bytes.size()}, out);
    elements += bytes;
  }
  for (const MarianTensor& tensor : tensors) {
    out += tensor.name;
    out += '\0';
  }
  for (const MarianTensor& tensor : tensors) {
    for (int axis = 0; axis < tensor.value.rank(); ++axis) {
      Append(static_cast<int32_t>(tensor.value.dim(axis)), out);
    }
  }
  const uint64_t at = out.size() + sizeof(uint64_t);
  const uint64_t gap = kAlignment - at % kAlignment;  // 1 to 256
  Append(gap, out);
  out.append(gap, '\0');
  return out + elements;
}

}  // namespace heed
