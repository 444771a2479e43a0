// Element types of tensors.
#ifndef HEED_TENSOR_DTYPE_H_
#define HEED_TENSOR_DTYPE_H_

#include <cstddef>
#include <cstdint>

namespace heed {

/// f32 for computation, bf16 and 8-bit for factors of products, f64 for checks,
/// i32 for ids.
enum class DType : uint8_t { kF32, kF64, kBF16, kI32, kI8, kU8 };

/// The upper half of an f32: 8 bits of exponent, 7 of mantissa.
struct bfloat16 {
  uint16_t bits;
};

constexpr size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF64:
      return 8;
    case DType::kBF16:
      return 2;
    case DType::kI8:
    case DType::kU8:
      return 1;
  }
  return 0;
}

constexpr const char* Name(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "f32";
    case DType::kF64:
      return "f64";
    case DType::kBF16:
      return "bf16";
    case DType::kI32:
      return "i32";
    case DType::kI8:
      return "i8";
    case DType::kU8:
      return "u8";
  }
  return "?";
}

template <typename T>
inline constexpr DType kDTypeOf = DType::kF32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kF64;
template <>
inline constexpr DType kDTypeOf<bfloat16> = DType::kBF16;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kI8;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kU8;

}  // namespace heed

#endif  // HEED_TENSOR_DTYPE_H_
