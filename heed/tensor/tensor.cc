#include "heed/tensor/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

/// Bytes per chunk of parallel copies: gradients of embeddings are megabytes,
/// and one core writes at half of the machine's bandwidth.
constexpr int64_t kCopiedBytes = int64_t{1} << 20;

bfloat16 ToBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<uint16_t>((bits >> 16) | 0x40U)};  // a quiet NaN
  }
  // Round to nearest, ties to even.
  return {static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_same_v<From, To>) {
    return value;
  } else if constexpr (std::is_same_v<From, bfloat16>) {
    return Convert<To>(std::bit_cast<float>(uint32_t{value.bits} << 16));
  } else if constexpr (std::is_same_v<To, bfloat16>) {
    return ToBfloat16(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// Calls f with a null pointer of the element type of `dtype`.
template <typename F>
void WithType(DType dtype, F f) {
  switch (dtype) {
    case DType::kF32:
      return f(static_cast<float*>(nullptr));
    case DType::kF64:
      return f(static_cast<double*>(nullptr));
    case DType::kBF16:
      return f(static_cast<bfloat16*>(nullptr));
    case DType::kI32:
      return f(static_cast<int32_t*>(nullptr));
    case DType::kI8:
      return f(static_cast<int8_t*>(nullptr));
    case DType::kU8:
      return f(static_cast<uint8_t*>(nullptr));
  }
}

/// Converts all rows of `in` to `out`.
template <typename From, typename To>
void ConvertRows(const Tensor& in, To* out) {
  const int64_t cols = in.cols();
  for (int64_t r = 0; r < in.rows(); ++r) {
    const From* row = in.row<From>(r);
    for (int64_t c = 0; c < cols; ++c) *out++ = Convert<To>(row[c]);
  }
}

}  // namespace

Tensor::Tensor(const Shape& shape, DType dtype)
    : shape_(shape),
      row_stride_(shape.rank() == 0 ? 1 : shape[-1]),
      dtype_(dtype) {
  buffer_ = pool::Acquire(static_cast<size_t>(bytes()));
  data_ = buffer_->bytes();
}

Tensor Tensor::Zeros(const Shape& shape, DType dtype) {
  Tensor t(shape, dtype);
  auto* bytes = static_cast<char*>(t.data_);
  ParallelFor(t.bytes(), kCopiedBytes, [=](int64_t begin, int64_t end) {
    std::memset(bytes + begin, 0, static_cast<size_t>(end - begin));
  });
  return t;
}

Tensor Tensor::Full(const Shape& shape, double value, DType dtype) {
  Tensor t(shape, dtype);
  t.Fill(value);
  return t;
}

template <typename T>
Tensor Tensor::Of(std::span<const T> values, const Shape& shape) {
  if (static_cast<int64_t>(values.size()) != shape.numel()) {
    throw ShapeError("tensor: {} values for shape {}", values.size(),
                     shape.ToString());
  }
  Tensor t(shape, kDTypeOf<T>);
  if (!values.empty()) std::memcpy(t.data_, values.data(), values.size_bytes());
  return t;
}
template Tensor Tensor::Of(std::span<const float>, const Shape&);
template Tensor Tensor::Of(std::span<const double>, const Shape&);
template Tensor Tensor::Of(std::span<const int32_t>, const Shape&);
template Tensor Tensor::Of(std::span<const int8_t>, const Shape&);
template Tensor Tensor::Of(std::span<const uint8_t>, const Shape&);

double Tensor::item() const {
  if (numel() != 1) {
    throw ShapeError("item: a tensor of shape " + shape_.ToString() +
                     " has not exactly one element");
  }
  double value = 0;
  WithType(dtype_, [&]<typename From>(From*) {
    value = Convert<double>(*data<From>());
  });
  return value;
}

Tensor Tensor::Reshape(const Shape& shape) const {
  const bool same_rows = shape.rank() > 0 && rank() > 0 && shape[-1] == cols();
  if (shape.numel() != numel() || !(contiguous() || same_rows)) {
    throw ShapeError("reshape: {} as {}{}", shape_.ToString(), shape.ToString(),
                     contiguous() ? "" : " (its rows are apart)");
  }
  Tensor t(*this);
  t.shape_ = shape;
  if (contiguous()) t.row_stride_ = shape.rank() == 0 ? 1 : shape[-1];
  return t;
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  if (rank() == 0 || begin < 0 || begin > end || end > shape_[0]) {
    throw ShapeError("slice: [{}, {}) of {}", begin, end, shape_.ToString());
  }
  Tensor t(*this);
  t.shape_.Set(0, end - begin);
  const int64_t step =
      rank() == 1 ? 1 : (shape_[0] == 0 ? 0 : rows() / shape_[0] * row_stride_);
  t.data_ = static_cast<char*>(data_) +
            begin * step * static_cast<int64_t>(SizeOf(dtype_));
  if (rank() == 1) t.row_stride_ = end - begin;
  return t;
}

Tensor Tensor::operator[](int64_t i) const {
  Tensor t = Slice(i, i + 1);
  Shape rest;
  for (int axis = 1; axis < rank(); ++axis) rest.Append(shape_[axis]);
  t.shape_ = rest;
  if (rest.rank() == 0) t.row_stride_ = 1;
  return t;
}

Tensor Tensor::Columns(int64_t begin, int64_t end) const {
  if (rank() == 0 || begin < 0 || begin > end || end > shape_[-1]) {
    throw ShapeError("columns: [{}, {}) of {}", begin, end, shape_.ToString());
  }
  Tensor t(*this);
  t.shape_.Set(-1, end - begin);
  t.data_ =
      static_cast<char*>(data_) + begin * static_cast<int64_t>(SizeOf(dtype_));
  return t;
}

Tensor Tensor::Contiguous() const { return contiguous() ? *this : Clone(); }

Tensor Tensor::Clone() const {
  Tensor t(shape_, dtype_);
  t.CopyFrom(*this);
  return t;
}

void Tensor::CopyFrom(const Tensor& other) {
  if (!(shape_ == other.shape_) || dtype_ != other.dtype_) {
    throw ShapeError("copy: {} {} into {} {}", Name(other.dtype_),
                     other.shape_.ToString(), Name(dtype_), shape_.ToString());
  }
  if (numel() == 0) return;
  auto* to = static_cast<char*>(data_);
  const auto* from = static_cast<const char*>(other.data_);
  if (contiguous() && other.contiguous()) {
    ParallelFor(bytes(), kCopiedBytes, [=](int64_t begin, int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  const auto size = static_cast<int64_t>(SizeOf(dtype_));
  const int64_t row_bytes = cols() * size;
  const int64_t to_stride = row_stride_ * size;
  const int64_t from_stride = other.row_stride_ * size;
  const int64_t grain = kCopiedBytes / std::max<int64_t>(1, row_bytes);
  ParallelForEach(rows(), std::max<int64_t>(1, grain), [=](int64_t r) {
    std::memcpy(to + r * to_stride, from + r * from_stride,
                static_cast<size_t>(row_bytes));
  });
}

Tensor Tensor::To(DType dtype) const {
  Tensor t(shape_, dtype);
  WithType(dtype_, [&]<typename From>(From*) {
    WithType(dtype, [&]<typename Target>(Target*) {
      ConvertRows<From>(*this, t.data<Target>());
    });
  });
  return t;
}

void Tensor::Fill(double value) {
  WithType(dtype_, [&]<typename T>(T*) {
    const T v = Convert<T>(value);
    for (int64_t r = 0; r < rows(); ++r) {
      T* out = row<T>(r);
      for (int64_t c = 0; c < cols(); ++c) out[c] = v;
    }
  });
}

template <typename T>
std::vector<T> Tensor::ToVector() const {
  std::vector<T> values(static_cast<size_t>(numel()));
  WithType(dtype_, [&]<typename From>(From*) {
    ConvertRows<From>(*this, values.data());
  });
  return values;
}
template std::vector<float> Tensor::ToVector() const;
template std::vector<double> Tensor::ToVector() const;
template std::vector<int32_t> Tensor::ToVector() const;

}  // namespace heed
