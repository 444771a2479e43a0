// The decoders of sound files, behind one interface.
#ifndef HEED_DATA_SOUND_READER_H_
#define HEED_DATA_SOUND_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// A sound file while it is read.
class SoundReader {
 public:
  virtual ~SoundReader() = default;

  /// Hz.
  virtual int rate() const = 0;
  virtual int channels() const = 0;
  /// What the header claims, if it claims anything.
  virtual std::optional<int64_t> frames() const = 0;

  /// The next frames, the samples of their channels one after the other; none
  /// at the end. Valid until the next call. Throws: FormatError.
  virtual std::span<const float> Next() = 0;
};

/// The reader of a WAV, FLAC or Ogg file, which is kept alive by the caller.
/// `type` names it in errors. Throws: FormatError that begins with `place`.
std::unique_ptr<SoundReader> MakeSoundReader(std::string_view bytes,
                                             const char* type,
                                             const std::string& place);

}  // namespace heed

#endif  // HEED_DATA_SOUND_READER_H_
