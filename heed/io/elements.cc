#include "heed/io/elements.h"

#include <fmt/format.h>

#include <bit>
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

}  // namespace

Tensor HalvesToF32(const std::string& bytes, const Shape& shape) {
  Tensor result(shape);
  for (int64_t i = 0; i < result.numel(); ++i) {
    result.data<float>()[i] = HalfToFloat(ElementAt<uint16_t>(bytes, i));
  }
  return result;
}

Tensor LongsToI32(const std::string& bytes, const Shape& shape,
                  const std::string& name) {
  Tensor result(shape, DType::kI32);
  for (int64_t i = 0; i < result.numel(); ++i) {
    const auto value = ElementAt<int64_t>(bytes, i);
    if (value != static_cast<int32_t>(value)) {
      throw FormatError(
          fmt::format("{}: {} does not fit into 32 bits", name, value));
    }
    result.data<int32_t>()[i] = static_cast<int32_t>(value);
  }
  return result;
}

}  // namespace heed
