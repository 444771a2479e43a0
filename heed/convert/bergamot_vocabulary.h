// Vocabularies and shortlists as Firefox's engine reads them.
#ifndef HEED_CONVERT_BERGAMOT_VOCABULARY_H_
#define HEED_CONVERT_BERGAMOT_VOCABULARY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/shortlist.h"
#include "heed/io/marian_shortlist.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// A SentencePiece model with </s>, <unk>, then all other pieces but <pad> and
/// <s>. Unused pieces fill it to a multiple of 8.
struct BergamotVocabulary {
  std::string bytes;
  std::vector<int32_t> ids;  // in Heed, of each piece; -1: an unused piece
};

/// The vocabulary, which is of SentencePiece, with the tokens `first` before
/// others, and at least `unused` unused pieces.
BergamotVocabulary ExportVocabulary(const Vocabulary& vocabulary,
                                    std::span<const int32_t> first, int unused);

/// The shortlist with the ids of exported vocabularies. The frequent tokens
/// must be the first ones of `target`. `joint`: both sides share their
/// vocabulary, so that the engine itself allows the tokens of the source.
MarianShortlist ExportShortlist(const Shortlist& list,
                                const BergamotVocabulary& source,
                                const BergamotVocabulary& target, bool joint);

}  // namespace heed

#endif  // HEED_CONVERT_BERGAMOT_VOCABULARY_H_
