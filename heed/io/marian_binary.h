// Binary models of Marian: .bin.
#ifndef HEED_IO_MARIAN_BINARY_H_
#define HEED_IO_MARIAN_BINARY_H_

#include <string>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

/// The arrays of a file of version 1, little-endian: their number, headers of
/// four 64-bit numbers (bytes of the name, type, dimensions, bytes of the
/// elements), names, shapes, padding, elements. f32, f64, i8, i32 and u8 keep
/// their type; f16 becomes f32, i64 becomes i32. Throws: IoError; FormatError
/// that names the file and the array for content that is truncated, larger than
/// its file, or of another type, such as int8 weights packed for one processor.
std::vector<NamedTensor> ReadMarianBinary(const std::string& path);

}  // namespace heed

#endif  // HEED_IO_MARIAN_BINARY_H_
