// Repair of WAV headers with unknown sizes.
#ifndef HEED_DATA_WAV_H_
#define HEED_DATA_WAV_H_

#include <string>
#include <string_view>

namespace heed {

/// True if the bytes begin like a WAV file: RIFF, or RF64 or BW64 with 64-bit
/// sizes.
bool IsWav(std::string_view bytes);

/// WAV file with a valid size of its samples: `bytes`, or a copy with another
/// header in `*copy`. Samples extend to the end of the file if their size is a
/// placeholder of programs that cannot seek back: 0, or at least 0x7F000000
/// (FFmpeg 0xFFFFFFFF, SoX 0x7FFFF000). They also do, with a warning, if their
/// size exceeds the file for another reason. An odd chunk may lack its pad
/// byte. Throws: FormatError that begins with `place` for a file that ends
/// before its samples, or without a format.
std::string_view WavWithSize(std::string_view bytes, const std::string& place,
                             std::string* copy);

}  // namespace heed

#endif  // HEED_DATA_WAV_H_
