// Tagged sentences in tables and in files of SNIPS.
#ifndef HEED_DATA_TAGGED_TABLES_H_
#define HEED_DATA_TAGGED_TABLES_H_

#include <string>
#include <vector>

#include "heed/data/conll.h"

namespace heed {

/// Reads a table (see TableFormOf) with a sentence per row: its words, as many
/// tags, and with three columns its label. Words are separated by spaces, or
/// form a list. If there is no column "words", "tokens" is used; for "tags",
/// "ner_tags" or "labels". Throws: ConfigError for missing columns; FormatError
/// with file and line; as ForEachRow.
std::vector<TaggedSentence> ReadTaggedTable(
    const std::string& path, const std::vector<std::string>& columns);

/// Reads prefix.seq.in (words), prefix.seq.out (a tag per word) and
/// prefix.label (one per sentence), line by line. Throws: IoError; FormatError
/// with the line, for different numbers of lines, or of words and tags; as
/// ReadLines.
std::vector<TaggedSentence> ReadSnips(const std::string& prefix);

}  // namespace heed

#endif  // HEED_DATA_TAGGED_TABLES_H_
