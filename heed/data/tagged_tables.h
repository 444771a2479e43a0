// Sentences with a tag for each word from tables and from files of SNIPS.
#ifndef HEED_DATA_TAGGED_TABLES_H_
#define HEED_DATA_TAGGED_TABLES_H_

#include <string>
#include <vector>

#include "heed/data/conll.h"

namespace heed {

/// Reads a table (see TableFormOf) with a sentence in each row: its words, as
/// many tags, and with three columns its label; words stand between spaces, or
/// are a list. Where no column "words" is named, "tokens" is read; instead of
/// "tags", "ner_tags" or "labels". Throws: ConfigError for columns that are
/// missing; FormatError that names file and line; as ForEachRow.
std::vector<TaggedSentence> ReadTaggedTable(
    const std::string& path, const std::vector<std::string>& columns);

/// Reads prefix.seq.in (words), prefix.seq.out (a tag for each) and
/// prefix.label (one for each sentence), line by line.
/// Throws: IoError; FormatError that names the line, for different numbers of
/// lines, or of words and tags; and as ReadLines.
std::vector<TaggedSentence> ReadSnips(const std::string& prefix);

}  // namespace heed

#endif  // HEED_DATA_TAGGED_TABLES_H_
