#include "heed/data/sound.h"

#include <fmt/format.h>
#include <samplerate.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "heed/base/errors.h"
#include "heed/base/file_errors.h"
#include "heed/base/memory.h"
#include "heed/base/shared_library.h"
#include "heed/data/sound_reader.h"
#include "heed/data/wav.h"

namespace heed {
namespace {

/// Maximum memory of a decoder library for its own buffers.
constexpr size_t kDecoderBytes = size_t{8} << 20;

[[noreturn]] void ThrowCut(const std::string& place, const char* type) {
  throw FormatError("{}: a truncated {} file", place, type);
}

/// Follows the pages of an Ogg file to its last page. Throws: FormatError for a
/// truncated file, which the library would accept.
void CheckOgg(std::string_view bytes, const std::string& place) {
  constexpr size_t kHeader = 27;
  constexpr int kFirstPage = 2, kLastPage = 4;
  size_t at = 0;
  int flags = 0;
  while (at < bytes.size()) {
    if (at + kHeader > bytes.size()) ThrowCut(place, "Ogg");
    if (bytes.substr(at, 4) != "OggS") {
      throw FormatError("{}: a damaged Ogg file", place);
    }
    flags = static_cast<uint8_t>(bytes[at + 5]);
    if (at > 0 && (flags & kFirstPage) != 0) {
      throw FormatError(
          "{}: several sounds in an Ogg file; one is read, cut it into parts",
          place);
    }
    const auto segments = static_cast<size_t>(bytes[at + 26] & 0xff);
    at += kHeader;
    if (at + segments > bytes.size()) ThrowCut(place, "Ogg");
    size_t length = 0;
    for (size_t i = 0; i < segments; ++i) {
      length += static_cast<uint8_t>(bytes[at + i]);
    }
    at += segments;
    if (length > bytes.size() - at) ThrowCut(place, "Ogg");
    at += length;
  }
  if ((flags & kLastPage) == 0) ThrowCut(place, "Ogg");
}

/// Type of a supported file. Throws: FormatError.
const char* CheckedType(std::string_view bytes, const std::string& place) {
  if (IsWav(bytes)) return "WAV";
  if (bytes.starts_with("fLaC")) return "FLAC";
  if (bytes.starts_with("OggS")) {
    CheckOgg(bytes, place);
    return "Ogg";
  }
  throw UnsupportedError("{}: neither a WAV nor a FLAC nor an Ogg file", place);
}

[[noreturn]] void ThrowLong(const std::string& place, double seconds) {
  throw TooLargeError(
      "{}: a sound of {:.0f} s; at most {} s are read, cut it into parts",
      place, seconds, kMaxSoundSeconds);
}

/// Throws: FormatError for a header outside the limits.
void CheckHeader(const SoundReader& reader, const std::string& place) {
  if (reader.rate() < kMinSoundRate || reader.rate() > kMaxSoundRate) {
    throw FormatError("{}: a rate of {} Hz; {} to {} Hz are read", place,
                      reader.rate(), kMinSoundRate, kMaxSoundRate);
  }
  if (reader.channels() < 1 || reader.channels() > kMaxSoundChannels) {
    throw FormatError("{}: {} channels; 1 to {} are read", place,
                      reader.channels(), kMaxSoundChannels);
  }
  const int64_t frames = reader.frames().value_or(1);
  if (frames == 0) throw FormatError("{}: the sound has no samples", place);
  if (frames > int64_t{reader.rate()} * kMaxSoundSeconds) {
    ThrowLong(place, static_cast<double>(frames) / reader.rate());
  }
}

/// Throws: FormatError for a sample whose power would overflow.
void CheckSample(float value, size_t number, const std::string& place) {
  if (!std::isfinite(value)) {
    throw FormatError("{}: sample {} is not a finite number", place, number);
  }
  if (std::abs(value) > kLargestSoundSample) {
    throw FormatError(
        "{}: sample {} is {:.3g}; samples are -1 to 1 as a rule, and at most "
        "{:.3g} are read",
        place, number, value, kLargestSoundSample);
  }
}

}  // namespace

Sound DecodeSound(std::string_view bytes, const std::string& place) {
  const char* type = CheckedType(bytes, place);
  RequireMemory(kDecoderBytes);
  std::string repaired;
  if (IsWav(bytes)) bytes = WavWithSize(bytes, place, &repaired);
  const std::unique_ptr<SoundReader> reader =
      MakeSoundReader(bytes, type, place);
  CheckHeader(*reader, place);
  const auto channels = static_cast<size_t>(reader->channels());
  const auto max = static_cast<size_t>(reader->rate()) * kMaxSoundSeconds;
  Sound sound;
  sound.rate = reader->rate();
  for (;;) {
    const std::span<const float> part = reader->Next();
    if (part.empty()) break;
    for (size_t i = 0; i < part.size(); i += channels) {
      float sum = 0;
      for (size_t c = 0; c < channels; ++c) {
        CheckSample(part[i + c], sound.samples.size() + 1, place);
        sum += part[i + c];
      }
      sound.samples.push_back(sum / static_cast<float>(channels));
    }
    if (sound.samples.size() > max) ThrowLong(place, sound.seconds());
  }
  if (sound.samples.empty()) {
    throw FormatError("{}: the sound has no samples", place);
  }
  if (std::ssize(sound.samples) < reader->frames().value_or(0)) {
    ThrowCut(place, type);
  }
  return sound;
}

Sound Resampled(Sound sound, int rate) {
  if (sound.rate == rate) return sound;
  SRC_DATA call = {};
  call.src_ratio = static_cast<double>(rate) / sound.rate;
  Sound result;
  result.rate = rate;
  result.samples.resize(static_cast<size_t>(
      std::ceil(static_cast<double>(sound.samples.size()) * call.src_ratio)));
  call.data_in = sound.samples.data();
  call.input_frames = std::ssize(sound.samples);
  call.data_out = result.samples.data();
  call.output_frames = std::ssize(result.samples);
  static const SharedLibrary library("libsamplerate.so.0", "libsamplerate0");
  static const decltype(&src_simple) resample = library["src_simple"];
  if (resample(&call, SRC_SINC_MEDIUM_QUALITY, 1) != 0) throw std::bad_alloc();
  // A non-empty sound keeps at least one sample.
  result.samples.resize(
      static_cast<size_t>(std::max<int64_t>(1, call.output_frames_gen)));
  return result;
}

std::string EncodeWav(std::span<const float> samples, int rate) {
  constexpr int kHeader = 44;
  constexpr int kBytes = 2;
  const int64_t length = std::ssize(samples) * kBytes;
  std::string wav;
  wav.reserve(static_cast<size_t>(kHeader + length));
  const auto number = [&wav](int64_t value, int count) {
    for (int i = 0; i < count; ++i) {
      wav.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    }
  };
  wav += "RIFF";
  number(kHeader - 8 + length, 4);
  wav += "WAVEfmt ";
  number(16, 4);
  number(1, 2);  // PCM
  number(1, 2);  // number of channels
  number(rate, 4);
  number(int64_t{rate} * kBytes, 4);
  number(kBytes, 2);
  number(8 * kBytes, 2);
  wav += "data";
  number(length, 4);
  for (const float sample : samples) {
    number(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767.0f), kBytes);
  }
  return wav;
}

}  // namespace heed
