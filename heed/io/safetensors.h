// Named tensors in a file: the safetensors format, which the ecosystem's tools
// open. Eight bytes with the length of a JSON header (little-endian), the
// header {name: {dtype, shape, data_offsets}, "__metadata__": {key: text}},
// then the elements.
#ifndef HEED_IO_SAFETENSORS_H_
#define HEED_IO_SAFETENSORS_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

using Metadata = std::map<std::string, std::string>;

struct SafetensorsFile {
  std::vector<NamedTensor> tensors;  ///< in the order of their elements
  Metadata metadata;
};

/// Writes the file atomically. Throws: IoError; ConfigError for a name that
/// occurs twice.
void WriteSafetensors(const std::string& path,
                      std::span<const NamedTensor> tensors,
                      const Metadata& metadata);

/// Writes a file atomically tensor by tensor, so that they need not be in
/// memory together.
class SafetensorsWriter {
 public:
  /// `tensors`: upper bound of their number, with names of `name_bytes` in
  /// total, for which the file keeps room at its start. Throws: IoError.
  SafetensorsWriter(const std::string& path, size_t tensors, size_t name_bytes);
  ~SafetensorsWriter();
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;

  /// Appends a tensor. Throws: IoError; ConfigError for a name that occurs
  /// twice.
  void Add(const NamedTensor& tensor);
  /// Completes the file. Throws: IoError; ConfigError if there were more or
  /// longer names than announced.
  void Finish(const Metadata& metadata);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The bytes of a safetensors file. Throws: ConfigError for a name that occurs
/// twice.
std::string SerializeSafetensors(std::span<const NamedTensor> tensors,
                                 const Metadata& metadata);

/// Reads a safetensors file. F16 becomes f32, I64 becomes i32. Throws: IoError;
/// FormatError that names the file and the tensor for content that is
/// truncated, damaged, or of an unsupported dtype.
SafetensorsFile ReadSafetensors(const std::string& path);
/// Parses the bytes of a safetensors file. Throws: FormatError that names
/// `path`.
SafetensorsFile ParseSafetensors(std::string_view bytes,
                                 const std::string& path);

}  // namespace heed

#endif  // HEED_IO_SAFETENSORS_H_
