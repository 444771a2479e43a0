#include "heed/io/safetensors.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/io/safetensors_reader.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "elements are written as they stand in memory");

std::string MakeHeader(std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  Json::object_t header;
  std::unordered_set<std::string_view> names = {kSafetensorsMetadata};
  if (!metadata.empty()) header.emplace_back(kSafetensorsMetadata, metadata);
  int64_t begin = 0;
  for (const auto& [name, value] : tensors) {
    if (!names.insert(name).second) {
      throw ConfigError("safetensors: '{}' cannot name a tensor again", name);
    }
    std::vector<int64_t> shape;
    for (int axis = 0; axis < value.rank(); ++axis) {
      shape.push_back(value.dim(axis));
    }
    const int64_t end = begin + value.bytes();
    header.emplace_back(name, Json{{"dtype", SafetensorsName(value.dtype())},
                                   {"shape", shape},
                                   {"data_offsets", {begin, end}}});
    begin = end;
  }
  std::string text = DumpJson(std::move(header));
  // Elements start at a multiple of eight bytes.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// Writes the parts of a file in order.
template <class Write>
void WriteParts(const std::string& header, std::span<const NamedTensor> tensors,
                const Write& write) {
  const uint64_t length = header.size();
  write({reinterpret_cast<const char*>(&length), kSafetensorsLength});
  write(header);
  for (const auto& [name, value] : tensors) {
    const Tensor dense = value.Contiguous();
    write({static_cast<const char*>(dense.raw()),
           static_cast<size_t>(dense.bytes())});
  }
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
