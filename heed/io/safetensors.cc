#include "heed/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/elements.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "elements are written as they stand in memory");

constexpr size_t kLengthBytes = 8;
constexpr const char* kMetadataKey = "__metadata__";
/// Limits of the JSON header: the size that the format allows, and its nesting.
constexpr JsonLimits kHeaderLimits = {.bytes = 100'000'000, .depth = 3};

constexpr ElementType kElementTypes[] = {
    {"F32", DType::kF32, 4}, {"F64", DType::kF64, 8}, {"BF16", DType::kBF16, 2},
    {"I32", DType::kI32, 4}, {"I8", DType::kI8, 1},   {"U8", DType::kU8, 1},
    {"F16", DType::kF32, 2}, {"I64", DType::kI32, 8},
};

std::string_view DTypeName(DType dtype) {
  return std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                      [&](const ElementType& type) {
                        return type.dtype == dtype && type.as_stored();
                      })
      ->name;
}

std::string MakeHeader(std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  Json::object_t header;
  std::unordered_set<std::string_view> names = {kMetadataKey};
  if (!metadata.empty()) header.emplace_back(kMetadataKey, metadata);
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
    header.emplace_back(name, Json{{"dtype", DTypeName(value.dtype())},
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
  write({reinterpret_cast<const char*>(&length), kLengthBytes});
  write(header);
  for (const auto& [name, value] : tensors) {
    const Tensor dense = value.Contiguous();
    write({static_cast<const char*>(dense.raw()),
           static_cast<size_t>(dense.bytes())});
  }
}

// Header entry of a tensor, checked for consistency.
struct Entry {
  std::string name;
  ElementType type = {};
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class HeaderReader {
 public:
  HeaderReader(const std::string& path, std::string_view header)
      : path_(path),
        json_(ParseJson(header, path + " is not a safetensors file: its header",
                        kHeaderLimits)) {
    if (!json_.is_object()) Fail("the header is not a JSON object");
  }

  Metadata ReadMetadata() const {
    Metadata metadata;
    if (!json_.contains(kMetadataKey)) return metadata;
    const Json& object = json_[kMetadataKey];
    if (!object.is_object()) Fail("__metadata__ is not an object");
    for (const auto& [key, value] : object.items()) {
      if (!value.is_string()) Fail("__metadata__ holds more than texts");
      metadata[key] = value.get<std::string>();
    }
    return metadata;
  }

  // Entries in the order of their elements, which fill `data_bytes` without
  // gaps.
  std::vector<Entry> ReadEntries(uint64_t data_bytes) const {
    std::vector<Entry> entries;
    for (const auto& [name, value] : json_.items()) {
      if (name != kMetadataKey) entries.push_back(ReadEntry(name, value));
    }
    std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    uint64_t expected = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != expected || entry.end > data_bytes) {
        FailOn(entry.name,
               fmt::format("data_offsets {} to {} overlap, leave a gap or pass "
                           "the end of the file (cut short?)",
                           entry.begin, entry.end));
      }
      expected = entry.end;
    }
    if (expected != data_bytes) Fail("there are bytes after the last tensor");
    return entries;
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{} is not a safetensors file: {}", path_, problem);
  }
  [[noreturn]] void FailOn(const std::string& tensor,
                           std::string_view problem) const {
    constexpr size_t kShownBytes = 200;
    Fail(
        fmt::format("tensor '{}': {}", tensor.substr(0, kShownBytes), problem));
  }

  Entry ReadEntry(const std::string& name, const Json& value) const {
    if (!value.is_object()) FailOn(name, "not an object");
    Entry entry;
    entry.name = name;
    entry.type = ReadType(name, value);
    entry.shape = ReadShape(name, value);
    const Json offsets = value.value("data_offsets", Json());
    if (!offsets.is_array() || offsets.size() != 2 ||
        !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
      FailOn(name, "data_offsets are not two numbers");
    }
    entry.begin = offsets[0].get<uint64_t>();
    entry.end = offsets[1].get<uint64_t>();
    const auto bytes = StoredBytes(entry.type, entry.shape);
    if (!bytes) {
      FailOn(name,
             fmt::format("shape {} is impossible", entry.shape.ToString()));
    }
    if (entry.begin > entry.end || entry.end - entry.begin != *bytes) {
      FailOn(name, fmt::format("{} {} needs {} bytes, but data_offsets are {} "
                               "to {}",
                               entry.type.name, entry.shape.ToString(), *bytes,
                               entry.begin, entry.end));
    }
    return entry;
  }

  ElementType ReadType(const std::string& name, const Json& value) const {
    const Json dtype = value.value("dtype", Json());
    for (const ElementType& known : kElementTypes) {
      if (dtype == known.name) return known;
    }
    FailOn(name, fmt::format("dtype {} is none of F32, F64, F16, BF16, I32, "
                             "I64, I8, U8",
                             Abridged(dtype)));
  }

  Shape ReadShape(const std::string& name, const Json& value) const {
    const Json dims = value.value("shape", Json());
    if (!dims.is_array() || dims.size() > Shape::kMaxRank) {
      FailOn(name, fmt::format("shape is not a list of up to {} numbers",
                               Shape::kMaxRank));
    }
    Shape shape;
    for (const Json& dim : dims) {
      if (!dim.is_number_unsigned() || dim.get<uint64_t>() > INT64_MAX) {
        FailOn(name, "shape has an invalid dimension");
      }
      shape.Append(dim.get<int64_t>());
    }
    return shape;
  }

  const std::string& path_;
  Json json_;
};

/// The bytes of a file, read sequentially.
class Source {
 public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  /// Reads the next bytes; fewer than `size` only at the end.
  virtual size_t Read(void* data, size_t size) = 0;
};

class FileSource final : public Source {
 public:
  explicit FileSource(const std::string& path) : file_(path) {}
  uint64_t size() const override { return file_.size(); }
  size_t Read(void* data, size_t size) override {
    return file_.Read(data, size);
  }

 private:
  InputFile file_;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::string_view bytes)
      : rest_(bytes), size_(bytes.size()) {}
  uint64_t size() const override { return size_; }
  size_t Read(void* data, size_t size) override {
    const std::string_view part = rest_.substr(0, size);
    if (!part.empty()) std::memcpy(data, part.data(), part.size());
    rest_.remove_prefix(part.size());
    return part.size();
  }

 private:
  std::string_view rest_;
  uint64_t size_;
};

// Reads each tensor's elements directly into the tensor, without a second copy.
// Elements are read only after the header is validated.
class Reader {
 public:
  Reader(Source& source, const std::string& path)
      : source_(source), path_(path) {}

  SafetensorsFile Read() {
    uint64_t length = 0;
    const uint64_t size = source_.size();
    if (size >= kLengthBytes) ReadBytes(&length, kLengthBytes);
    if (size < kLengthBytes || length > size - kLengthBytes) {
      Fail(fmt::format("its header does not fit into its {} bytes (cut short?)",
                       size));
    }
    if (length > kHeaderLimits.bytes) {
      Fail(fmt::format("its header of {} bytes is too long", length));
    }
    const HeaderReader header(path_, ReadText(length));
    SafetensorsFile file;
    file.metadata = header.ReadMetadata();
    for (Entry& entry : header.ReadEntries(size - kLengthBytes - length)) {
      Tensor value = ReadElements(
          entry.type, entry.shape,
          fmt::format("{}: tensor '{}'", path_, entry.name),
          [this](void* to, size_t bytes) { ReadBytes(to, bytes); });
      file.tensors.push_back({std::move(entry.name), std::move(value)});
    }
    return file;
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{} is not a safetensors file: {}", path_, problem);
  }

  void ReadBytes(void* data, size_t size) {
    if (source_.Read(data, size) != size) Fail("cut short while it was read");
  }
  std::string ReadText(size_t size) {
    std::string text(size, '\0');
    ReadBytes(text.data(), size);
    return text;
  }

  Source& source_;
  const std::string& path_;
};

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
  FileSource file(path);
  return Reader(file, path).Read();
}

SafetensorsFile ParseSafetensors(std::string_view bytes,
                                 const std::string& path) {
  MemorySource memory(bytes);
  return Reader(memory, path).Read();
}

}  // namespace heed
