// Marian's binary models: .bin.
#ifndef HEED_IO_MARIAN_BINARY_H_
#define HEED_IO_MARIAN_BINARY_H_

#include <string>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

/// The arrays of a file of version 1, little-endian: their number, headers of
/// four 64-bit numbers (bytes of the name, type, dimensions, bytes of the
/// elements), names, shapes, a gap, elements. f32, f64, i8, i32 and u8 stay
/// what they are; f16 becomes f32, i64 becomes i32. Throws: IoError;
/// FormatError that names the file and the array for content that is cut short,
/// larger than its file, or of another type, such as weights in bytes for one
/// kind of processor.
std::vector<NamedTensor> ReadMarianBinary(const std::string& path);

}  // namespace heed

#endif  // HEED_IO_MARIAN_BINARY_H_
