// Binary lexical shortlists of Marian, bergamot and Firefox: lex.s2t.bin.
#ifndef HEED_IO_MARIAN_SHORTLIST_H_
#define HEED_IO_MARIAN_SHORTLIST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// Target ids that may be generated for each source id.
struct MarianShortlist {
  /// Ids from 0 to first − 1 are allowed for every source.
  int32_t first = 0;
  /// Start of the run of each source id in `targets`; and the end.
  std::vector<int32_t> offsets;
  std::vector<int32_t> targets;
};

/// Reads a shortlist, plain or gzip: six 64-bit numbers (magic, checksum, first
/// ids, best ids, offsets, entries), offsets of 64 bits, entries of 32 bits.
/// Throws: IoError; FormatError that names the file and the field.
MarianShortlist ReadMarianShortlist(const std::string& path);

/// Content of a file with this shortlist.
std::string MarianShortlistBytes(const MarianShortlist& list);

}  // namespace heed

#endif  // HEED_IO_MARIAN_SHORTLIST_H_
