// Sounds: decoding of WAV, FLAC and Ogg, resampling, and encoding of WAV.
#ifndef HEED_DATA_SOUND_H_
#define HEED_DATA_SOUND_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Limits of a sound file's header. Larger sounds are refused before memory is
/// allocated.
inline constexpr int kMaxSoundSeconds = 600;
inline constexpr int kMaxSoundChannels = 8;
inline constexpr int kMinSoundRate = 1000;
inline constexpr int kMaxSoundRate = 192000;
/// Maximum magnitude of a sample. Some files of floats use the range of 32-bit
/// integers.
inline constexpr double kLargestSoundSample = 2147483648.0;
/// Maximum size of a file; fits kMaxSoundSeconds of two 16-bit channels at 48
/// kHz.
inline constexpr int64_t kMaxSoundBytes = int64_t{128} << 20;

/// A mono sound. Units: samples usually −1 to 1, rate in Hz.
struct Sound {
  int rate = 0;
  std::vector<float> samples;

  double seconds() const { return static_cast<double>(samples.size()) / rate; }
};

/// Media types that DecodeSound accepts.
inline const std::vector<std::string> kSoundTypes = {
    "audio/wav", "audio/flac", "audio/ogg", "audio/x-wav"};

/// Decodes a WAV, FLAC or Ogg (Vorbis, Opus) file to the mean of its channels.
/// The samples of a WAV may extend to the end of the file (see WavWithSize).
/// Throws: FormatError that begins with `place` for other formats, a truncated
/// or damaged file, no samples, samples that are not finite or above
/// kLargestSoundSample, or a header outside the limits.
Sound DecodeSound(std::string_view bytes, const std::string& place);

/// Resamples a sound to `rate` with a low-pass filter (libsamplerate's
/// medium-quality sinc). Throws: std::bad_alloc.
Sound Resampled(Sound sound, int rate);

/// Encodes a 16-bit WAV file. Samples outside −1 to 1 are clipped.
std::string EncodeWav(std::span<const float> samples, int rate);

}  // namespace heed

#endif  // HEED_DATA_SOUND_H_
