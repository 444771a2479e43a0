#include "heed/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/io/safetensors_reader.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "elements are written as they stand in memory");

}  // namespace

/// Header of a file whose tensors are added in the order of their elements.
class SafetensorsHeader {
 public:
  void Add(const NamedTensor& tensor) {
    const Tensor& value = tensor.value;
    if (!names_.insert(tensor.name).second) {
      throw ConfigError("safetensors: '{}' cannot name a tensor again",
                        tensor.name);
    }
    std::vector<int64_t> shape;
    for (int axis = 0; axis < value.rank(); ++axis) {
      shape.push_back(value.dim(axis));
    }
    const int64_t end = end_ + value.bytes();
    entries_.emplace_back(tensor.name,
                          Json{{"dtype", SafetensorsName(value.dtype())},
                               {"shape", shape},
                               {"data_offsets", {end_, end}}});
    end_ = end;
  }
  /// The text, in at least `size` bytes.
  std::string Text(const Metadata& metadata, size_t size = 0) const {
    Json::object_t header;
    if (!metadata.empty()) {
      header.emplace_back(kSafetensorsMetadata, metadata);
    }
    for (const auto& [name, entry] : entries_) header.emplace_back(name, entry);
    std::string text = DumpJson(std::move(header));
    // Elements start at a multiple of eight bytes.
    text.resize((std::max(text.size(), size) + 7) / 8 * 8, ' ');
    return text;
  }

 private:
  std::vector<std::pair<std::string, Json>> entries_;
  std::unordered_set<std::string> names_ = {kSafetensorsMetadata};
  int64_t end_ = 0;
};

namespace {

std::string MakeHeader(std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  SafetensorsHeader header;
  for (const NamedTensor& tensor : tensors) header.Add(tensor);
  return header.Text(metadata);
}

std::string_view LengthBytes(const uint64_t& length) {
  return {reinterpret_cast<const char*>(&length), kSafetensorsLength};
}

// Writes the elements of a tensor.
template <class Write>
void WriteElements(const Tensor& value, const Write& write) {
  const Tensor dense = value.Contiguous();
  write({static_cast<const char*>(dense.raw()),
         static_cast<size_t>(dense.bytes())});
}

// Writes the parts of a file in order.
template <class Write>
void WriteParts(const std::string& header, std::span<const NamedTensor> tensors,
                const Write& write) {
  const uint64_t length = header.size();
  write(LengthBytes(length));
  write(header);
  for (const auto& [name, value] : tensors) WriteElements(value, write);
}

SafetensorsFile ReadAll(const SafetensorsReader& reader) {
  SafetensorsFile file;
  file.metadata = reader.metadata();
  for (const SafetensorsEntry& entry : reader.entries()) {
    file.tensors.push_back({entry.name, reader.Read(entry)});
  }
  return file;
}

}  // namespace

void WriteSafetensors(const std::string& path,
                      std::span<const NamedTensor> tensors,
                      const Metadata& metadata) {
  const std::string header = MakeHeader(tensors, metadata);
  AtomicFile file(path);
  WriteParts(header, tensors,
             [&](std::string_view bytes) { file.Write(bytes); });
  file.Commit();
}

struct SafetensorsWriter::State {
  State(const std::string& path, size_t bytes) : file(path), room(bytes) {}

  AtomicFile file;
  size_t room;  // bytes of the header's text
  SafetensorsHeader header;
};

SafetensorsWriter::SafetensorsWriter(const std::string& path, size_t tensors,
                                     size_t name_bytes) {
  constexpr size_t kEntry = 200;      // dtype, shape and offsets
  constexpr size_t kMetadata = 4096;  // of a model
  const size_t room = (tensors * kEntry + name_bytes + kMetadata) / 8 * 8;
  state_ = std::make_unique<State>(path, room);
  state_->file.Write(std::string(kSafetensorsLength + room, ' '));
}

SafetensorsWriter::~SafetensorsWriter() = default;

void SafetensorsWriter::Add(const NamedTensor& tensor) {
  state_->header.Add(tensor);
  WriteElements(tensor.value,
                [&](std::string_view bytes) { state_->file.Write(bytes); });
}

void SafetensorsWriter::Finish(const Metadata& metadata) {
  const std::string text = state_->header.Text(metadata, state_->room);
  if (text.size() > state_->room) {
    throw ConfigError("safetensors: the header of {} bytes has room for {}",
                      text.size(), state_->room);
  }
  const uint64_t length = text.size();
  state_->file.WriteStart(std::string(LengthBytes(length)) + text);
  state_->file.Commit();
}

std::string SerializeSafetensors(std::span<const NamedTensor> tensors,
                                 const Metadata& metadata) {
  std::string file;
  WriteParts(MakeHeader(tensors, metadata), tensors,
             [&](std::string_view bytes) { file += bytes; });
  return file;
}

SafetensorsFile ReadSafetensors(const std::string& path) {
  return ReadAll(SafetensorsReader(path));
}

SafetensorsFile ParseSafetensors(std::string_view bytes,
                                 const std::string& path) {
  return ReadAll(SafetensorsReader(bytes, path));
}

}  // namespace heed
