// Array archives of NumPy: .npz, a zip file of .npy files.
#ifndef HEED_IO_NPZ_H_
#define HEED_IO_NPZ_H_

#include <string>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

/// The arrays of an archive under their names without ".npy", stored or
/// deflated, in C or Fortran order. Elements f4, f8, i4, i1 and u1 keep their
/// type; f2 becomes f32, i8 becomes i32. Objects (pickles) are never read.
/// Throws: IoError; FormatError that names the file and the array for content
/// that is truncated, damaged, larger than its file can hold, or of another
/// type.
std::vector<NamedTensor> ReadNpz(const std::string& path);

}  // namespace heed

#endif  // HEED_IO_NPZ_H_
