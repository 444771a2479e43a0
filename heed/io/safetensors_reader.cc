#include "heed/io/safetensors_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/elements.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "elements are read as they stand in the file");

/// Limits of the JSON header: the size that the format allows, and its nesting.
constexpr JsonLimits kHeaderLimits = {.bytes = 100'000'000, .depth = 3};

/// Types that Heed reads.
constexpr ElementType kElementTypes[] = {
    {"F32", DType::kF32, 4}, {"F64", DType::kF64, 8}, {"BF16", DType::kBF16, 2},
    {"I32", DType::kI32, 4}, {"I8", DType::kI8, 1},   {"U8", DType::kU8, 1},
    {"F16", DType::kF32, 2}, {"I64", DType::kI32, 8},
};

/// Other types of the format, and bits of an element.
constexpr std::pair<std::string_view, int64_t> kOtherTypes[] = {
    {"BOOL", 8},        {"I16", 16},        {"U16", 16},    {"U32", 32},
    {"U64", 64},        {"C64", 64},        {"F8_E4M3", 8}, {"F8_E5M2", 8},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6},
    {"F6_E3M2", 6},     {"F4", 4},
};

const ElementType* FindType(std::string_view dtype) {
  const auto* found =
      std::ranges::find(kElementTypes, dtype, &ElementType::name);
  return found == std::end(kElementTypes) ? nullptr : found;
}

/// Bits of an element; nothing for a type that is not known.
std::optional<int64_t> BitsOf(std::string_view dtype) {
  constexpr int64_t kByte = 8;
  if (const ElementType* type = FindType(dtype)) {
    return static_cast<int64_t>(type->size) * kByte;
  }
  for (const auto& [name, bits] : kOtherTypes) {
    if (dtype == name) return bits;
  }
  return {};
}

/// Bytes of a tensor, rounded up; nothing for an invalid shape.
std::optional<uint64_t> BytesOf(int64_t bits, const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (__builtin_mul_overflow(bits, shape[axis], &bits)) return {};
  }
  const auto all = static_cast<uint64_t>(bits);
  return all / 8 + (all % 8 == 0 ? 0 : 1);
}

/// Start of a name that is short enough for a message.
std::string_view StartOf(std::string_view name) {
  constexpr size_t kShownBytes = 200;
  return name.substr(0, kShownBytes);
}

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
    if (!json_.contains(kSafetensorsMetadata)) return metadata;
    const Json& object = json_[kSafetensorsMetadata];
    if (!object.is_object()) Fail("__metadata__ is not an object");
    for (const auto& [key, value] : object.items()) {
      if (!value.is_string()) Fail("__metadata__ holds more than texts");
      metadata[key] = value.get<std::string>();
    }
    return metadata;
  }

  // Entries in the order of their elements, which fill `data_bytes` without
  // gaps.
  std::vector<SafetensorsEntry> ReadEntries(uint64_t data_bytes) const {
    std::vector<SafetensorsEntry> entries;
    for (const auto& [name, value] : json_.items()) {
      if (name != kSafetensorsMetadata)
        entries.push_back(ReadEntry(name, value));
    }
    std::ranges::stable_sort(entries, {}, [](const SafetensorsEntry& entry) {
      return std::pair(entry.begin, entry.end);
    });
    uint64_t expected = 0;
    for (const SafetensorsEntry& entry : entries) {
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
  [[noreturn]] void FailOn(std::string_view tensor,
                           std::string_view problem) const {
    Fail(fmt::format("tensor '{}': {}", StartOf(tensor), problem));
  }

  SafetensorsEntry ReadEntry(const std::string& name, const Json& value) const {
    if (!value.is_object()) FailOn(name, "not an object");
    SafetensorsEntry entry;
    entry.name = name;
    entry.dtype = ReadType(name, value);
    entry.shape = ReadShape(name, value);
    const Json offsets = value.value("data_offsets", Json());
    if (!offsets.is_array() || offsets.size() != 2 ||
        !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
      FailOn(name, "data_offsets are not two numbers");
    }
    entry.begin = offsets[0].get<uint64_t>();
    entry.end = offsets[1].get<uint64_t>();
    CheckBytes(entry);
    return entry;
  }

  // The size of an unknown type is unknown: its elements need a bit or more.
  void CheckBytes(const SafetensorsEntry& entry) const {
    const std::optional<int64_t> bits = BitsOf(entry.dtype);
    const auto bytes = BytesOf(bits.value_or(1), entry.shape);
    if (!bytes) {
      FailOn(entry.name,
             fmt::format("shape {} is impossible", entry.shape.ToString()));
    }
    const uint64_t stored = entry.end - entry.begin;
    const bool fits = bits ? stored == *bytes : stored >= *bytes;
    if (entry.begin <= entry.end && fits) return;
    FailOn(entry.name,
           fmt::format("{} {} needs {} bytes, but data_offsets are {} to {}",
                       StartOf(entry.dtype), entry.shape.ToString(), *bytes,
                       entry.begin, entry.end));
  }

  std::string ReadType(const std::string& name, const Json& value) const {
    const Json dtype = value.value("dtype", Json());
    if (!dtype.is_string()) {
      FailOn(name, fmt::format("dtype {} is not a text", Abridged(dtype)));
    }
    return dtype.get<std::string>();
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

}  // namespace

SafetensorsReader::SafetensorsReader(const std::string& path) : path_(path) {
  const auto file = std::make_shared<InputFile>(path);
  source_ = [file](uint64_t offset, void* to, size_t size) {
    return file->ReadAt(offset, to, size);
  };
  ReadHeader(file->size());
}

SafetensorsReader::SafetensorsReader(std::string_view bytes, std::string path)
    : path_(std::move(path)) {
  source_ = [bytes](uint64_t offset, void* to, size_t size) {
    const std::string_view part = bytes.substr(offset, size);
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    return part.size();
  };
  ReadHeader(bytes.size());
}

void SafetensorsReader::ReadHeader(uint64_t size) {
  uint64_t length = 0;
  if (size >= kSafetensorsLength) ReadBytes(0, &length, kSafetensorsLength);
  if (size < kSafetensorsLength || length > size - kSafetensorsLength) {
    Fail(fmt::format("its header does not fit into its {} bytes (cut short?)",
                     size));
  }
  if (length > kHeaderLimits.bytes) {
    Fail(fmt::format("its header of {} bytes is too long", length));
  }
  std::string text(length, '\0');
  ReadBytes(kSafetensorsLength, text.data(), length);
  const HeaderReader header(path_, text);
  metadata_ = header.ReadMetadata();
  data_begin_ = kSafetensorsLength + length;
  entries_ = header.ReadEntries(size - data_begin_);
}

Tensor SafetensorsReader::Read(const SafetensorsEntry& entry) const {
  const std::string name =
      fmt::format("{}: tensor '{}'", path_, StartOf(entry.name));
  const ElementType* type = FindType(entry.dtype);
  if (type == nullptr) {
    throw FormatError(
        "{}: dtype {} is none of those that Heed reads (F32, F64, F16, BF16, "
        "I32, I64, I8, U8); save the model in one of them",
        name, Abridged(entry.dtype));
  }
  return ReadElements(*type, entry.shape, name, [&](void* to, size_t size) {
    ReadBytes(data_begin_ + entry.begin, to, size);
  });
}

void SafetensorsReader::ReadBytes(uint64_t offset, void* to,
                                  size_t size) const {
  if (source_(offset, to, size) != size) Fail("cut short while it was read");
}

void SafetensorsReader::Fail(std::string_view problem) const {
  throw FormatError("{} is not a safetensors file: {}", path_, problem);
}

std::string_view SafetensorsName(DType dtype) {
  return std::ranges::find_if(kElementTypes,
                              [&](const ElementType& type) {
                                return type.dtype == dtype && type.as_stored();
                              })
      ->name;
}

}  // namespace heed
