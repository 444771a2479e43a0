// Element types of files that tensors do not support.
#ifndef HEED_IO_ELEMENTS_H_
#define HEED_IO_ELEMENTS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "heed/tensor/tensor.h"

namespace heed {

/// Storage type of the elements in a file, and the dtype that they are
/// converted to.
struct ElementType {
  std::string_view name;  ///< name in the file format
  DType dtype;
  size_t size;  ///< bytes of one element in the file

  bool as_stored() const { return size == SizeOf(dtype); }
};

/// Bytes of a tensor in its file; nothing for an invalid shape.
std::optional<uint64_t> StoredBytes(const ElementType& type,
                                    const Shape& shape);

/// Reads the StoredBytes of a tensor through `read` and converts its elements.
/// IEEE half precision becomes f32, which represents every value. 64-bit
/// integers become i32. Throws: FormatError that begins with `name` for a value
/// outside i32.
Tensor ReadElements(const ElementType& type, const Shape& shape,
                    const std::string& name,
                    const std::function<void(void* to, size_t bytes)>& read);

}  // namespace heed

#endif  // HEED_IO_ELEMENTS_H_
