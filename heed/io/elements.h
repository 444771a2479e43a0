// Elements of files in types that tensors do not have.
#ifndef HEED_IO_ELEMENTS_H_
#define HEED_IO_ELEMENTS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "heed/tensor/tensor.h"

namespace heed {

/// How the elements of a file are stored, and what they become.
struct ElementType {
  std::string_view name;  ///< in the words of the file
  DType dtype;
  size_t size;  ///< bytes of one, in the file

  bool as_stored() const { return size == SizeOf(dtype); }
};

/// Bytes of a tensor in its file; nothing for an impossible shape.
std::optional<uint64_t> StoredBytes(const ElementType& type,
                                    const Shape& shape);

/// The elements whose StoredBytes `read` brings. IEEE half precision becomes
/// f32, which holds every value, 64-bit whole numbers become i32. Throws:
/// FormatError that begins with `name` for one that i32 does not hold.
Tensor ReadElements(const ElementType& type, const Shape& shape,
                    const std::string& name,
                    const std::function<void(void* to, size_t bytes)>& read);

}  // namespace heed

#endif  // HEED_IO_ELEMENTS_H_
