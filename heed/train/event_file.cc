#include "heed/train/event_file.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kHeadBytes = 12;  // length and its checksum
constexpr size_t kTailBytes = 4;

constexpr auto kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    }
    table[i] = crc;
  }
  return table;
}();

// Masked checksum: a checksum over data that contains checksums is weak.
uint32_t MaskedCrc(std::string_view bytes) {
  return std::rotr(Crc32c(bytes), 15) + 0xA282EAD8u;
}

template <typename T>
std::string Raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <typename T>
T ReadRaw(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string Key(uint32_t field, WireType type) {
  return Varint(field << 3 | type);
}

std::string BytesField(uint32_t field, std::string_view bytes) {
  return Key(field, kBytes) + Varint(bytes.size()) + std::string(bytes);
}

std::string Record(const std::string& data) {
  const std::string length = Raw<uint64_t>(data.size());
  return length + Raw(MaskedCrc(length)) + data + Raw(MaskedCrc(data));
}

// Data of the first record of `file`, if it is complete.
std::optional<std::string_view> FirstRecord(std::string_view file) {
  if (file.size() < kHeadBytes + kTailBytes) return std::nullopt;
  const auto size = ReadRaw<uint64_t>(file);
  if (ReadRaw<uint32_t>(file.substr(8)) != MaskedCrc(file.substr(0, 8)) ||
      size > file.size() - kHeadBytes - kTailBytes) {
    return std::nullopt;
  }
  const std::string_view data = file.substr(kHeadBytes, size);
  const auto crc = ReadRaw<uint32_t>(file.substr(kHeadBytes + size));
  if (crc != MaskedCrc(data)) return std::nullopt;
  return data;
}

// Step of an event written by this file: after the nine bytes of the time, or
// absent if 0.
int64_t StepOf(std::string_view event) {
  constexpr size_t kTimeBytes = 9;
  const std::string key = Key(2, kVarint);
  if (event.size() <= kTimeBytes || event[kTimeBytes] != key[0]) return 0;
  uint64_t step = 0;
  int shift = 0;
  for (const char c : event.substr(kTimeBytes + 1, 10)) {
    step |= uint64_t{static_cast<unsigned char>(c) & 0x7Fu} << shift;
    shift += 7;
    if (!(c & 0x80)) break;
  }
  return static_cast<int64_t>(step);
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  }
  return ~crc;
}

std::string EventFileHeader(double wall_time) {
  return Record(Key(1, kFixed64) + Raw(wall_time) +
                BytesField(3, "brain.Event:2"));
}

std::string EventRecord(double wall_time, int64_t step,
                        const Metrics& metrics) {
  std::string summary;
  for (const auto& [tag, value] : metrics) {
    summary += BytesField(1, BytesField(1, tag) + Key(2, kFixed32) +
                                 Raw(static_cast<float>(value)));
  }
  return Record(Key(1, kFixed64) + Raw(wall_time) + Key(2, kVarint) +
                Varint(static_cast<uint64_t>(step)) + BytesField(5, summary));
}

std::string_view EventsUpTo(std::string_view file, int64_t last_step) {
  size_t end = 0;
  while (const auto data = FirstRecord(file.substr(end))) {
    if (StepOf(*data) > last_step) break;
    end += kHeadBytes + data->size() + kTailBytes;
  }
  return file.substr(0, end);
}

}  // namespace heed
