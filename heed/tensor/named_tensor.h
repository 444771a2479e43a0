// Tensors by name: what files hold of models and optimisers.
#ifndef HEED_TENSOR_NAMED_TENSOR_H_
#define HEED_TENSOR_NAMED_TENSOR_H_

#include <span>
#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// The tensor of this name. Throws: FormatError that names `file`.
const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         const std::string& name, const std::string& file);

/// The tensor of this name, of this shape and dtype. Throws: the same.
const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         const std::string& name, const Shape& shape,
                         DType dtype, const std::string& file);

/// The tensor of this name, of the shape and dtype of `like`. Throws: the same.
inline const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                                const std::string& name, const Tensor& like,
                                const std::string& file) {
  return FindTensor(tensors, name, like.shape(), like.dtype(), file);
}

}  // namespace heed

#endif  // HEED_TENSOR_NAMED_TENSOR_H_
