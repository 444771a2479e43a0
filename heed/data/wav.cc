#include "heed/data/wav.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/data/input_lines.h"

namespace heed {
namespace {

constexpr size_t kRiffHeader = 12;
constexpr size_t kChunkHeader = 8;
constexpr uint64_t kSizeIn64Bits = 0xFFFFFFFF;
constexpr uint64_t kMinPlaceholder = 0x7F000000;

/// Known chunks before or after the samples.
constexpr std::array<std::string_view, 24> kKnownChunks = {
    "data", "fmt ", "fact", "LIST", "JUNK", "junk", "bext", "cue ",
    "smpl", "inst", "PEAK", "id3 ", "ID3 ", "iXML", "ds64", "PAD ",
    "FLLR", "acid", "cart", "DISP", "_PMX", "axml", "chna", "levl"};

uint64_t NumberAt(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

std::string FourBytes(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

bool IsKnownChunk(std::string_view bytes, size_t at) {
  return at + kChunkHeader <= bytes.size() &&
         std::ranges::find(kKnownChunks, bytes.substr(at, 4)) !=
             kKnownChunks.end();
}

/// Start of the chunk after one that ends at `end`.
size_t NextChunk(std::string_view bytes, size_t end, bool odd) {
  if (!odd) return end;
  const bool padded = IsKnownChunk(bytes, end + 1) || !IsKnownChunk(bytes, end);
  return padded ? end + 1 : end;
}

/// True if only complete chunks follow.
bool EndsInChunks(std::string_view bytes, size_t at) {
  while (at + kChunkHeader <= bytes.size()) {
    const std::string_view name = bytes.substr(at, 4);
    const bool printable =
        std::ranges::all_of(name, [](char c) { return c >= 0x20 && c < 0x7F; });
    const uint64_t size = NumberAt(bytes, at + 4, 4);
    at += kChunkHeader;
    if (!printable || size > bytes.size() - at) return false;
    at = NextChunk(bytes, at + size, size % 2 == 1);
  }
  return at >= bytes.size();
}

[[noreturn]] void ThrowCutWav(const std::string& place) {
  throw FormatError("{}: a truncated WAV file", place);
}

/// Chunks of a file up to its samples.
struct WavParts {
  std::string_view format;  // content of the format chunk
  bool known_size = false;
  bool in_order = true;  // the header needs no other repair
  std::string_view samples;
};

void FindSamples(std::string_view bytes, size_t at, uint64_t size,
                 const std::string& place, WavParts& parts) {
  const uint64_t rest = bytes.size() - at;
  parts.known_size =
      size <= rest && (size > 0 || rest == 0 || EndsInChunks(bytes, at));
  parts.samples = bytes.substr(at, parts.known_size ? size : rest);
  if (parts.known_size || size == 0 || size >= kMinPlaceholder) return;
  Warn(
      fmt::format("{}: a truncated WAV file: its header states {} bytes of "
                  "samples, but {} follow; those are read",
                  place, size, rest));
}

WavParts PartsOfWav(std::string_view bytes, const std::string& place) {
  WavParts parts;
  parts.in_order = bytes.starts_with("RIFF") && NumberAt(bytes, 4, 4) > 0 &&
                   NumberAt(bytes, 4, 4) <= bytes.size() - kChunkHeader;
  uint64_t size_of_samples = 0;
  size_t at = kRiffHeader;
  for (;;) {
    if (at + kChunkHeader > bytes.size()) ThrowCutWav(place);
    const std::string_view name = bytes.substr(at, 4);
    const uint64_t size = NumberAt(bytes, at + 4, 4);
    at += kChunkHeader;
    if (name == "data") {
      if (parts.format.empty()) {
        throw FormatError("{}: a damaged WAV file: samples without a format",
                          place);
      }
      const bool in_64_bits = size == kSizeIn64Bits && size_of_samples > 0;
      FindSamples(bytes, at, in_64_bits ? size_of_samples : size, place, parts);
      return parts;
    }
    if (size > bytes.size() - at) ThrowCutWav(place);
    if (name == "fmt ") parts.format = bytes.substr(at, size);
    constexpr size_t kMinDs64 = 16;
    if (name == "ds64" && size >= kMinDs64) {
      size_of_samples = NumberAt(bytes, at + 8, 8);
    }
    // libsndfile loses track after odd chunks.
    parts.in_order = parts.in_order && size % 2 == 0;
    at = NextChunk(bytes, at + size, size % 2 == 1);
  }
}

}  // namespace

bool IsWav(std::string_view bytes) {
  return bytes.size() >= kRiffHeader && bytes.substr(8, 4) == "WAVE" &&
         (bytes.starts_with("RIFF") || bytes.starts_with("RF64") ||
          bytes.starts_with("BW64"));
}

std::string_view WavWithSize(std::string_view bytes, const std::string& place,
                             std::string* copy) {
  const WavParts parts = PartsOfWav(bytes, place);
  if (parts.known_size && parts.in_order) return bytes;
  const std::string pad(parts.format.size() % 2, '\0');
  const size_t size = 4 + kChunkHeader + parts.format.size() + pad.size() +
                      kChunkHeader + parts.samples.size();
  *copy = fmt::format("RIFF{}WAVEfmt {}{}{}data{}{}", FourBytes(size),
                      FourBytes(parts.format.size()), parts.format, pad,
                      FourBytes(parts.samples.size()), parts.samples);
  return *copy;
}

}  // namespace heed
