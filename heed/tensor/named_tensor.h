// Named tensors, as stored in files of models and optimisers.
#ifndef HEED_TENSOR_NAMED_TENSOR_H_
#define HEED_TENSOR_NAMED_TENSOR_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/tensor/tensor.h"

namespace heed {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// The tensor of this name. Throws: FormatError that names `file`.
const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         std::string_view name, std::string_view file);

/// The tensor of this name, shape and dtype. Throws: FormatError that names
/// `file`.
const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         std::string_view name, const Shape& shape, DType dtype,
                         std::string_view file);

/// The tensor of this name with the shape and dtype of `like`. Throws:
/// FormatError that names `file`.
inline const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                                std::string_view name, const Tensor& like,
                                std::string_view file) {
  return FindTensor(tensors, name, like.shape(), like.dtype(), file);
}

}  // namespace heed

#endif  // HEED_TENSOR_NAMED_TENSOR_H_
