// Arrays of NumPy: .npy files.
#ifndef HEED_IO_NPY_H_
#define HEED_IO_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "heed/tensor/tensor.h"

namespace heed {

/// Bytes of a .npy file, read from start to end.
class NpyBytes {
 public:
  explicit NpyBytes(std::string name) : name_(std::move(name)) {}
  virtual ~NpyBytes() = default;
  NpyBytes(const NpyBytes&) = delete;
  NpyBytes& operator=(const NpyBytes&) = delete;

  /// Reads the next bytes. Throws: IoError; FormatError at the end.
  virtual void Read(void* data, uint64_t size) = 0;
  /// Called after the last byte. Throws: FormatError for damaged content.
  virtual void Finish() {}

  std::string ReadText(uint64_t size);
  /// Throws: FormatError that begins with the name.
  [[noreturn]] void Fail(std::string_view problem) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// Reads an array whose .npy file has `size` bytes; see ReadNpz for elements
/// and order. Throws: FormatError that begins with the name of `member` for
/// content that is truncated, longer than its file, or of another type.
Tensor ReadNpyArray(NpyBytes& member, uint64_t size);

/// Reads the array of a file. Throws: IoError; FormatError as ReadNpyArray.
Tensor ReadNpy(const std::string& path);
/// Parses the bytes of a .npy file. Throws: FormatError that begins with
/// `place`.
Tensor ParseNpy(std::string_view bytes, const std::string& place);

}  // namespace heed

#endif  // HEED_IO_NPY_H_
