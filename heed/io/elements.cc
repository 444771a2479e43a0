#include "heed/io/elements.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "heed/base/errors.h"

namespace heed {
namespace {

template <typename T>
T ElementAt(const std::string& bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(i) * sizeof(T),
              sizeof(T));
  return value;
}

float HalfToFloat(uint16_t half) {
  constexpr int kMantissaBits = 10;
  constexpr int kBias = 15;
  constexpr int kLargestExponent = 31;
  const bool negative = (half >> 15) != 0;
  const int exponent = (half >> kMantissaBits) & kLargestExponent;
  const int mantissa = half & ((1 << kMantissaBits) - 1);
  float value = 0;
  if (exponent == kLargestExponent) {
    value = mantissa == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits);
  } else {
    value = std::ldexp(static_cast<float>(mantissa + (1 << kMantissaBits)),
                       exponent - kBias - kMantissaBits);
  }
  return negative ? -value : value;
}

// Converts half-precision elements in `bytes` to f32. Shapes: result `shape`.
Tensor HalvesToF32(const std::string& bytes, const Shape& shape) {
  Tensor result(shape);
  for (int64_t i = 0; i < result.numel(); ++i) {
    result.data<float>()[i] = HalfToFloat(ElementAt<uint16_t>(bytes, i));
  }
  return result;
}

// Converts 64-bit integers in `bytes` to i32. Shapes: result `shape`.
Tensor LongsToI32(const std::string& bytes, const Shape& shape,
                  const std::string& name) {
  Tensor result(shape, DType::kI32);
  for (int64_t i = 0; i < result.numel(); ++i) {
    const auto value = ElementAt<int64_t>(bytes, i);
    if (value != static_cast<int32_t>(value)) {
      throw FormatError("{}: {} does not fit into 32 bits", name, value);
    }
    result.data<int32_t>()[i] = static_cast<int32_t>(value);
  }
  return result;
}

}  // namespace

std::optional<uint64_t> StoredBytes(const ElementType& type,
                                    const Shape& shape) {
  auto bytes = static_cast<int64_t>(type.size);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes)) return {};
  }
  return static_cast<uint64_t>(bytes);
}

Tensor ReadElements(const ElementType& type, const Shape& shape,
                    const std::string& name,
                    const std::function<void(void* to, size_t bytes)>& read) {
  const uint64_t size = StoredBytes(type, shape).value();
  if (type.as_stored()) {
    Tensor value(shape, type.dtype);
    if (size > 0) read(value.raw(), size);
    return value;
  }
  std::string bytes(size, '\0');
  read(bytes.data(), size);
  return type.dtype == DType::kF32 ? HalvesToF32(bytes, shape)
                                   : LongsToI32(bytes, shape, name);
}

}  // namespace heed
