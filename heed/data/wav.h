// WAV files whose headers were written before their samples were known.
#ifndef HEED_DATA_WAV_H_
#define HEED_DATA_WAV_H_

#include <string>
#include <string_view>

namespace heed {

/// Whether the bytes begin as a WAV file does: RIFF, or RF64 or BW64, which
/// have sizes of 64 bits.
bool IsWav(std::string_view bytes);

/// A WAV file whose header states the size of the samples: `bytes`, or a copy
/// with another header in `*copy`. The samples run to the end of the file if
/// their size is a placeholder, as programs write it that cannot seek back: 0,
/// or 0x7F000000 and more (FFmpeg 0xFFFFFFFF, SoX 0x7FFFF000). The samples also
/// run to the end if their size is larger than the file for another reason,
/// with a warning. An odd chunk may lack its pad byte. Throws: FormatError that
/// begins with `place` for a file that ends before its samples, or has no
/// format.
std::string_view WavWithSize(std::string_view bytes, const std::string& place,
                             std::string* copy);

}  // namespace heed

#endif  // HEED_DATA_WAV_H_
