// Tensor: a typed view of a pooled buffer.
#ifndef HEED_TENSOR_TENSOR_H_
#define HEED_TENSOR_TENSOR_H_

#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/shape.h"
#include "heed/tensor/dtype.h"
#include "heed/tensor/pool.h"

namespace heed {

/// Reference-counted handle: copies share the elements. Elements start 64-byte
/// aligned, the last dimension is dense, rows may be apart (a slice). Distinct
/// handles may be used from distinct threads.
class Tensor {
 public:
  /// Undefined tensor without elements or buffer.
  Tensor() = default;
  /// Tensor with uninitialised elements.
  explicit Tensor(const Shape& shape, DType dtype = DType::kF32);

  Tensor(const Tensor& other)
      : buffer_(other.buffer_),
        data_(other.data_),
        shape_(other.shape_),
        row_stride_(other.row_stride_),
        dtype_(other.dtype_) {
    if (buffer_ != nullptr) {
      buffer_->references.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Tensor(Tensor&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        shape_(other.shape_),
        row_stride_(other.row_stride_),
        dtype_(other.dtype_) {}
  Tensor& operator=(const Tensor& other) {
    Tensor copy(other);
    swap(copy);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Tensor() {
    if (buffer_ != nullptr &&
        buffer_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      pool::Release(buffer_);
    }
  }
  void swap(Tensor& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(data_, other.data_);
    std::swap(shape_, other.shape_);
    std::swap(row_stride_, other.row_stride_);
    std::swap(dtype_, other.dtype_);
  }

  static Tensor Zeros(const Shape& shape, DType dtype = DType::kF32);
  /// Tensor with every element `value` (converted to dtype).
  static Tensor Full(const Shape& shape, double value,
                     DType dtype = DType::kF32);
  template <typename T>
  static Tensor Of(std::span<const T> values, const Shape& shape);
  template <typename T>
  static Tensor Of(const std::vector<T>& values, const Shape& shape) {
    return Of(std::span<const T>(values), shape);
  }

  bool defined() const { return data_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  /// Dimension `axis`; negative axes count from the end.
  int64_t dim(int axis) const { return shape_[axis]; }
  int64_t numel() const { return shape_.numel(); }
  DType dtype() const { return dtype_; }
  int64_t bytes() const {
    return numel() * static_cast<int64_t>(SizeOf(dtype_));
  }

  /// Number of rows as a matrix: all dimensions but the last are rows.
  int64_t rows() const {
    return rank() == 0 ? 1 : (cols() == 0 ? 0 : numel() / cols());
  }
  int64_t cols() const { return rank() == 0 ? 1 : shape_[-1]; }
  /// Elements from one row to the next; cols() if contiguous.
  int64_t row_stride() const { return row_stride_; }
  bool contiguous() const { return row_stride_ == cols() || rows() <= 1; }

  template <typename T>
  T* data() {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<T*>(data_);
  }
  template <typename T>
  const T* data() const {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<const T*>(data_);
  }
  void* raw() { return data_; }
  const void* raw() const { return data_; }
  template <typename T>
  T* row(int64_t i) {
    return data<T>() + i * row_stride_;
  }
  template <typename T>
  const T* row(int64_t i) const {
    return data<T>() + i * row_stride_;
  }
  /// The element of a one-element tensor, as a double. Throws: ShapeError.
  double item() const;

  /// View with another shape. Throws: ShapeError if numel differs, or if rows
  /// are apart and their length changes.
  Tensor Reshape(const Shape& shape) const;
  /// View of elements [begin, end) of dimension 0. Throws: ShapeError.
  Tensor Slice(int64_t begin, int64_t end) const;
  /// View of element i of dimension 0, with one dimension less.
  Tensor operator[](int64_t i) const;
  /// View of columns [begin, end) of the last dimension; its rows are apart.
  Tensor Columns(int64_t begin, int64_t end) const;

  /// This tensor if contiguous, else a dense copy.
  Tensor Contiguous() const;
  /// Dense copy.
  Tensor Clone() const;
  /// Copies the elements of `other` (same shape and dtype) into this buffer.
  void CopyFrom(const Tensor& other);
  /// Copy converted to `dtype`, also if it is equal.
  Tensor To(DType dtype) const;
  void Fill(double value);
  /// Elements as a vector, converted. For tests, printing and files.
  template <typename T>
  std::vector<T> ToVector() const;

  /// True if no other handle shares the buffer.
  bool unique() const {
    return buffer_ != nullptr &&
           buffer_->references.load(std::memory_order_acquire) == 1;
  }
  /// True if both share the first element.
  bool Aliases(const Tensor& other) const { return data_ == other.data_; }

 private:
  Buffer* buffer_ = nullptr;
  void* data_ = nullptr;
  Shape shape_;
  int64_t row_stride_ = 0;
  DType dtype_ = DType::kF32;
};

}  // namespace heed

#endif  // HEED_TENSOR_TENSOR_H_
