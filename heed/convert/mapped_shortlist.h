// Mapping of Marian's binary shortlists to Heed's token ids.
#ifndef HEED_CONVERT_MAPPED_SHORTLIST_H_
#define HEED_CONVERT_MAPPED_SHORTLIST_H_

#include <cstdint>
#include <string>

#include "heed/convert/mapped_vocabulary.h"
#include "heed/data/shortlist.h"
#include "heed/io/marian_shortlist.h"

namespace heed {

/// The shortlist in Heed's ids. If both sides have the same tokens, each source
/// token is also a target token. `file`: name for error messages. Throws:
/// FormatError if the shortlist was made for tables with other numbers of rows.
Shortlist MapShortlist(const MarianShortlist& list, const std::string& file,
                       const MappedPair& vocabularies, int64_t source_rows,
                       int64_t target_rows);

/// Numbers of a text shortlist in Marian's options: [FILE, first, best].
struct TextShortlistOptions {
  int first = 100;  // ids from 0 that are allowed for every source
  int best = 100;   // most probable targets of each source token
};

/// Reads a text shortlist (see ForEachTranslationOfTokens), such as lex.s2t.gz,
/// in Marian's ids. Lines with tokens that a vocabulary lacks, such as NULL,
/// are skipped. Throws: as ForEachTranslationOfTokens; FormatError if all lines
/// are skipped.
MarianShortlist ReadTextShortlist(const std::string& path,
                                  const MappedPair& vocabularies,
                                  int64_t source_rows, int64_t target_rows,
                                  const TextShortlistOptions& options);

}  // namespace heed

#endif  // HEED_CONVERT_MAPPED_SHORTLIST_H_
