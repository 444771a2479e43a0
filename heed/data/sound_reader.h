// Common interface of the sound decoders.
#ifndef HEED_DATA_SOUND_READER_H_
#define HEED_DATA_SOUND_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// A sound file during decoding.
class SoundReader {
 public:
  virtual ~SoundReader() = default;

  /// Sample rate. Units: Hz
  virtual int rate() const = 0;
  virtual int channels() const = 0;
  /// Number of frames in the header, if known.
  virtual std::optional<int64_t> frames() const = 0;

  /// Next frames with interleaved channels; empty at the end. Valid until the
  /// next call. Throws: FormatError.
  virtual std::span<const float> Next() = 0;
};

/// Reader of a WAV, FLAC or Ogg file. The bytes must outlive the reader.
/// `type`: name for error messages. Throws: FormatError that begins with
/// `place`.
std::unique_ptr<SoundReader> MakeSoundReader(std::string_view bytes,
                                             const char* type,
                                             const std::string& place);

}  // namespace heed

#endif  // HEED_DATA_SOUND_READER_H_
