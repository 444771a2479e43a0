// Elements of files in types that tensors do not have.
#ifndef HEED_IO_ELEMENTS_H_
#define HEED_IO_ELEMENTS_H_

#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

/// IEEE half precision as f32, which holds every value. Shapes: result `shape`,
/// of whose elements `bytes` holds two bytes each.
Tensor HalvesToF32(const std::string& bytes, const Shape& shape);

/// 64-bit whole numbers as i32. Throws: FormatError that begins with `name` for
/// one that i32 does not hold. Shapes: as above, eight bytes each.
Tensor LongsToI32(const std::string& bytes, const Shape& shape,
                  const std::string& name);

}  // namespace heed

#endif  // HEED_IO_ELEMENTS_H_
