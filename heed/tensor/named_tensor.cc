#include "heed/tensor/named_tensor.h"

#include <algorithm>

#include "heed/base/errors.h"

namespace heed {

const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         std::string_view name, std::string_view file) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(),
                   [&](const NamedTensor& t) { return t.name == name; });
  if (found == tensors.end()) {
    throw FormatError("{}: tensor '{}' is missing", file, name);
  }
  return found->value;
}

const Tensor& FindTensor(std::span<const NamedTensor> tensors,
                         std::string_view name, const Shape& shape, DType dtype,
                         std::string_view file) {
  const Tensor& value = FindTensor(tensors, name, file);
  if (value.shape() != shape || value.dtype() != dtype) {
    throw FormatError("{}: tensor '{}' is {} {}, expected {} {}", file, name,
                      Name(value.dtype()), value.shape().ToString(),
                      Name(dtype), shape.ToString());
  }
  return value;
}

}  // namespace heed
