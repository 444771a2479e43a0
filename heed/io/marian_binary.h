// Binary models of Marian, bergamot and Firefox: .bin.
#ifndef HEED_IO_MARIAN_BINARY_H_
#define HEED_IO_MARIAN_BINARY_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

/// An array of a binary model.
struct MarianTensor : NamedTensor {
  /// A quantised matrix: its int8 elements stand for element / multiplier. 0:
  /// elements stand for themselves.
  float multiplier = 0;
};

/// True for the name of a token table, whose int8 rows are stored in order. The
/// bytes of all other int8 matrices are those of their transpose.
bool IsMarianTable(std::string_view name);

/// The arrays of a file of version 1, little-endian, plain or gzip: their
/// number, headers of four 64-bit numbers (bytes of the name, type, dimensions,
/// bytes of the elements), names, shapes, padding, elements. f32, f64, i8, i32
/// and u8 keep their type; f16 becomes f32, i64 becomes i32. A matrix of type
/// intgemm8 becomes i8 in the layout of its shape, with its multiplier. Throws:
/// IoError; FormatError that names the file and the field or array for content
/// that is truncated, larger than its file, or of another type, such as int8
/// weights packed for one processor.
std::vector<MarianTensor> ReadMarianBinary(const std::string& path);

/// Content of a file of version 1 with these arrays, sorted by name except that
/// `special:` is last. Elements are f32, i8, or i8 with a multiplier (type
/// intgemm8).
std::string MarianBinaryBytes(std::vector<MarianTensor> tensors);

}  // namespace heed

#endif  // HEED_IO_MARIAN_BINARY_H_
