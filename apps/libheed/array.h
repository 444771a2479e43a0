// Arrays of heed.h: tensors with the views that other languages need.
#ifndef HEED_APPS_LIBHEED_ARRAY_H_
#define HEED_APPS_LIBHEED_ARRAY_H_

#include <cstdint>
#include <vector>

#include "apps/libheed/guard.h"
#include "heed/tensor/tensor.h"

struct heed_array {
  heed::Tensor tensor;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  ///< in elements

  explicit heed_array(const heed::Tensor& of);
};

namespace heed::c {

/// Maximum number of elements of an array.
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

/// Shape of a view. Throws: ShapeError for a negative or a too large size, or
/// for more than Shape::kMaxRank dimensions.
Shape ShapeOf(const heed_view& view);

/// Copies the elements of a view in a type that Heed computes with: f32, f64,
/// bf16 or i32. Throws: ArgumentError for a view that no array has; ShapeError
/// for an unknown type, or as ShapeOf.
Tensor TensorOf(const heed_view& view);

/// `tensor`, whose elements are i32. Throws: ShapeError, naming `what`, for
/// others.
const Tensor& Integers(const Tensor& tensor, const char* what);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_ARRAY_H_
