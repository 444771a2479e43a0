// Sounds: reading WAV, FLAC and Ogg at any rate, writing WAV.
#ifndef HEED_DATA_SOUND_H_
#define HEED_DATA_SOUND_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What a sound file may claim to have: more is refused before any memory is
/// taken for it.
inline constexpr int kMostSoundSeconds = 600;
inline constexpr int kMostSoundChannels = 8;
inline constexpr int kLeastSoundRate = 1000;
inline constexpr int kMostSoundRate = 192000;
/// Magnitude of a sample: files of floats exist with the range of 32-bit
/// integers.
inline constexpr double kLargestSoundSample = 2147483648.0;
/// Of a file: those seconds of two channels of 16 bits at 48 kHz, and some.
inline constexpr int64_t kMostSoundBytes = int64_t{128} << 20;

/// One channel. Units: samples −1 to 1 as a rule, rate in Hz.
struct Sound {
  int rate = 0;
  std::vector<float> samples;

  double seconds() const { return static_cast<double>(samples.size()) / rate; }
};

/// The media types that DecodeSound reads.
inline const std::vector<std::string> kSoundTypes = {
    "audio/wav", "audio/flac", "audio/ogg", "audio/x-wav"};

/// A WAV, FLAC or Ogg (Vorbis, Opus) file, the mean of its channels. The
/// samples of a WAV may run to the end of the file (see WavWithSize). Throws:
/// FormatError that begins with `place` for other bytes, a truncated or damaged
/// file, one without samples, with samples that are not finite or larger than
/// kLargestSoundSample, or whose header claims a rate, channels or a length
/// outside of what is above.
Sound DecodeSound(std::string_view bytes, const std::string& place);

/// The same sound at another rate, low-pass filtered (libsamplerate's sinc of
/// medium quality). Throws: std::bad_alloc.
Sound Resampled(Sound sound, int rate);

/// The bytes of a WAV file of 16 bits; samples outside of −1 to 1 are clipped.
std::string EncodeWav(std::span<const float> samples, int rate);

}  // namespace heed

#endif  // HEED_DATA_SOUND_H_
