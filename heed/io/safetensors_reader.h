// Reader of safetensors files that reads single tensors on request.
#ifndef HEED_IO_SAFETENSORS_READER_H_
#define HEED_IO_SAFETENSORS_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/shape.h"
#include "heed/io/safetensors.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Bytes of the header's length, at the start of a file.
inline constexpr size_t kSafetensorsLength = 8;
/// Key of the metadata in the header.
inline constexpr const char* kSafetensorsMetadata = "__metadata__";

/// Header entry of a tensor.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  ///< as the file names it: "F32", "BOOL"
  Shape shape;
  /// First byte and end of the elements, from the end of the header. Units:
  /// bytes
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// A safetensors file, open. The header is read and checked first: the file
/// holds the elements of all tensors without gaps. Read() may be called from
/// many threads.
class SafetensorsReader {
 public:
  /// Opens a file. Throws: IoError; FormatError that names the file and the
  /// tensor if the header is damaged or the file truncated.
  explicit SafetensorsReader(const std::string& path);
  /// Reads a file in memory. `bytes` must outlive the reader. `path`: name for
  /// error messages. Throws: FormatError.
  SafetensorsReader(std::string_view bytes, std::string path);

  const std::string& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  /// Tensors in the order of their elements.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

  /// Reads the elements of one of entries(). F16 becomes f32, I64 becomes i32.
  /// Throws: IoError; FormatError with file and tensor if Heed does not read
  /// the dtype, for a value outside i32, or if the file was truncated since.
  Tensor Read(const SafetensorsEntry& entry) const;

 private:
  /// Reads `size` bytes from `offset` on; fewer only at the end.
  using Source = std::function<size_t(uint64_t offset, void* to, size_t size)>;

  void ReadHeader(uint64_t size);
  void ReadBytes(uint64_t offset, void* to, size_t size) const;
  [[noreturn]] void Fail(std::string_view problem) const;

  std::string path_;
  Source source_;
  Metadata metadata_;
  std::vector<SafetensorsEntry> entries_;
  uint64_t data_begin_ = 0;  // offset of the elements in the file
};

/// Name of a dtype in the format.
std::string_view SafetensorsName(DType dtype);

}  // namespace heed

#endif  // HEED_IO_SAFETENSORS_READER_H_
