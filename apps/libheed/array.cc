#include "apps/libheed/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "apps/libheed/dlpack.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

namespace heed::c {
namespace {

/// Value of an IEEE half.
float OfHalf(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const auto mantissa = static_cast<float>(half & 1023);
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  return sign * std::ldexp(1 + mantissa / 1024, exponent - 15);
}

int32_t OfInt64(int64_t value) {
  if (!std::in_range<int32_t>(value)) {
    throw ShapeError("an element is {}, which is too large for 32 bits", value);
  }
  return static_cast<int32_t>(value);
}

/// Copies the elements of `view` in row-major order, each converted.
template <typename From, typename To, typename Convert>
void Copy(const heed_view& view, To* to, Convert convert) {
  const Shape shape = ShapeOf(view);
  if (shape.numel() == 0) return;
  int64_t strides[Shape::kMaxRank] = {};
  int64_t dense = 1;
  for (int axis = view.ndim - 1; axis >= 0; --axis) {
    strides[axis] = view.strides == nullptr ? dense : view.strides[axis];
    dense *= shape[axis];
  }
  int64_t at[Shape::kMaxRank] = {};
  const auto* from = static_cast<const std::byte*>(view.data);
  const int last = view.ndim - 1;
  const int64_t columns = view.ndim == 0 ? 1 : shape[last];
  const int64_t step = view.ndim == 0 ? 0 : strides[last];
  for (int64_t row = 0; row < shape.numel() / columns; ++row) {
    int64_t offset = 0;
    for (int axis = 0; axis < last; ++axis) offset += at[axis] * strides[axis];
    for (int64_t column = 0; column < columns; ++column) {
      From value;
      std::memcpy(
          &value,
          from + (offset + column * step) * static_cast<int64_t>(sizeof(From)),
          sizeof(From));
      *to++ = convert(value);
    }
    for (int axis = last - 1; axis >= 0; --axis) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

template <typename From, typename To, typename Convert>
Tensor Copied(const heed_view& view, Convert convert) {
  Tensor tensor(ShapeOf(view), kDTypeOf<To>);
  Copy<From>(view, tensor.data<To>(), convert);
  return tensor;
}

template <typename T>
Tensor Copied(const heed_view& view) {
  return Copied<T, T>(view, [](T value) { return value; });
}

template <typename From>
Tensor CopiedToInt(const heed_view& view) {
  return Copied<From, int32_t>(
      view, [](From value) { return static_cast<int32_t>(value); });
}

int32_t CodeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return HEED_F32;
    case DType::kF64:
      return HEED_F64;
    case DType::kBF16:
      return HEED_BF16;
    case DType::kI32:
      return HEED_I32;
    case DType::kI8:
      return HEED_I8;
    case DType::kU8:
      return HEED_U8;
  }
  return HEED_F32;
}

}  // namespace

Shape ShapeOf(const heed_view& view) {
  if (view.ndim < 0 || view.ndim > Shape::kMaxRank) {
    throw ShapeError("the array has {} dimensions; 0 to {} are supported",
                     view.ndim, Shape::kMaxRank);
  }
  if (view.ndim > 0) Needed(view.shape, "shape of the array");
  Shape shape;
  int64_t elements = 1;
  for (int axis = 0; axis < view.ndim; ++axis) {
    const int64_t size = view.shape[axis];
    if (size < 0 || (size > 0 && elements > kMaxElements / size)) {
      throw ShapeError("dimension {} of the array has {} elements", axis, size);
    }
    elements *= std::max<int64_t>(size, 1);
    shape.Append(size);
  }
  return shape;
}

Tensor TensorOf(const heed_view& view) {
  if (view.size < sizeof(heed_view)) {
    throw ArgumentError("size of the view is {}; set it to sizeof(heed_view)",
                        view.size);
  }
  if (view.data == nullptr && ShapeOf(view).numel() > 0) {
    throw ArgumentError("data of the array is NULL");
  }
  switch (view.dtype) {
    case HEED_F32:
      return Copied<float>(view);
    case HEED_F64:
      return Copied<double>(view);
    case HEED_I32:
      return Copied<int32_t>(view);
    case HEED_BF16:
      return Copied<uint16_t, bfloat16>(
          view, [](uint16_t bits) { return bfloat16{bits}; });
    case HEED_F16:
      return Copied<uint16_t, float>(view, OfHalf);
    case HEED_I64:
      return Copied<int64_t, int32_t>(view, OfInt64);
    case HEED_I8:
      return CopiedToInt<int8_t>(view);
    case HEED_U8:
      return CopiedToInt<uint8_t>(view);
    case HEED_BOOL:
      return Copied<uint8_t, int32_t>(
          view, [](uint8_t value) { return value != 0 ? 1 : 0; });
    default:
      throw ShapeError(
          "the array has elements of the unknown type {}; f64, f32, f16, bf16, "
          "int64, int32, int8, uint8 and bool are supported",
          view.dtype);
  }
}

const Tensor& Integers(const Tensor& tensor, const char* what) {
  if (tensor.dtype() != DType::kI32) {
    throw ShapeError("{} must be whole numbers, not {}", what,
                     Name(tensor.dtype()));
  }
  return tensor;
}

}  // namespace heed::c

heed_array::heed_array(const Tensor& of) : tensor(of.Contiguous()) {
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    shape.push_back(tensor.dim(axis));
  }
  strides.resize(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
}

int32_t heed_array_new(const heed_view* view, heed_array** array) {
  return Guard([&] {
    heed_array*& result = Result(array, "array");
    result = new heed_array(TensorOf(Needed(view, "view")));
  });
}

int32_t heed_array_view(const heed_array* array, heed_view* view) {
  return Guard([&] {
    const heed_array& of = Needed(array, "array");
    heed_view& to = Needed(view, "view");
    if (to.size < sizeof(heed_view)) {
      throw ArgumentError("size of the view is {}; set it to sizeof(heed_view)",
                          to.size);
    }
    to.dtype = CodeOf(of.tensor.dtype());
    to.ndim = of.tensor.rank();
    to.flags = HEED_READ_ONLY;
    to.shape = of.shape.data();
    to.strides = of.strides.data();
    to.data = const_cast<void*>(of.tensor.raw());
  });
}

int32_t heed_array_dlpack(const heed_array* array, int32_t versioned,
                          void** managed) {
  return Guard([&] {
    void*& result = Result(managed, "managed");
    const heed_array& of = Needed(array, "array");
    const int32_t dtype = CodeOf(of.tensor.dtype());
    if (versioned != 0) {
      result = NewManaged<ManagedVersioned>(of, dtype);
    } else {
      result = NewManaged<Managed>(of, dtype);
    }
  });
}

void heed_array_free(heed_array* array) { delete array; }
