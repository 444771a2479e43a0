// Files of NumPy made by tests.
#ifndef HEED_IO_NPY_TESTING_H_
#define HEED_IO_NPY_TESTING_H_

#include <cstdint>
#include <string>

namespace heed {

/// A number in `bytes` bytes, the lowest first.
inline std::string LittleEndian(uint64_t value, size_t bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value);
  return text;
}

/// Header of an array: its element type and shape, such as "<f4" and "(2, 3)".
inline std::string NpyHeader(const std::string& type, const std::string& shape,
                             const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order +
         ", 'shape': " + shape + ", }\n";
}

/// A .npy file of version 1.
inline std::string NpyFileOf(const std::string& header,
                             const std::string& elements) {
  return "\x93NUMPY\x01" + std::string(1, '\0') +
         LittleEndian(header.size(), 2) + header + elements;
}

}  // namespace heed

#endif  // HEED_IO_NPY_TESTING_H_
