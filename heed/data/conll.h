// Sentences with a tag for each word: CoNLL columns and CoNLL-U.
#ifndef HEED_DATA_CONLL_H_
#define HEED_DATA_CONLL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"

namespace heed {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<std::string> tags;  // one per word; none if the text has none
  std::string label;              // of the whole sentence (SNIPS: intent)
  std::string place = {};         // of its first word: "train.conll:7"
};

/// Where tags stand in a text.
struct TagColumns {
  /// "conll": one word a line with its columns, a blank line between sentences;
  /// "conllu": the same in ten columns, see universaldependencies.org, or in
  /// those that "# global.columns" of CoNLL-U Plus names; "auto": "conllu" for
  /// names that end in .conllu, .conllup or these with .gz, and for CoNLL-U
  /// Plus.
  std::string format = "auto";
  /// Columns from 1; 0: the last. Not for conllu; of CoNLL-U Plus, a tag column
  /// above 0 counts before `conllu_column`.
  int word_column = 1;
  int tag_column = 0;
  /// conllu: form, lemma, upos, xpos, feats, head, deprel, deps or misc.
  std::string conllu_column = "upos";
  /// If false, a text of one column, words without tags, is fine.
  bool need_tags = true;

  void Visit(FieldList& v);
};

/// A text and where in it the words stand, so that it can be written back.
struct TaggedText {
  std::vector<TaggedSentence> sentences;
  std::vector<std::string> lines;
  /// [sentence][word]: its line, from 0.
  std::vector<std::vector<int64_t>> places;
  /// Column of the tag, from 0; -1: a new one behind the last.
  int tag_column = -1;
  bool tabs = true;  // between columns; else spaces
  size_t columns = 0;
};

/// Reads a plain or gzip file. Columns stand between tabs, or, if the first
/// word's line has none, between spaces. White space around columns, doubled
/// separators and separators behind the last column are ignored, no-break
/// spaces included. Between sentences, lines that begin with "# ", or begin
/// with # and have another number of columns, are comments. A first word "#"
/// between spaces is told from a comment by a tag that other lines have, too.
/// Lines of -DOCSTART- only end a sentence. conllu: ranges (3-4) and empty
/// nodes (8.1) are left out. Throws: IoError; ConfigError for an unknown format
/// or column; FormatError that names the line, for a line with another number
/// of columns than the first or too few, an empty tag, a word number out of
/// order, a column of words that counts them or never changes within a
/// sentence, and a file without words; and as ReadLines. Between tabs a word
/// may be empty, as some of the Broad Twitter Corpus are.
TaggedText ReadTagged(const std::string& path, const TagColumns& columns);
/// The same of lines that were read; `name` stands for the path.
TaggedText ParseTagged(std::vector<std::string> lines, const std::string& name,
                       const TagColumns& columns);

/// The text with other tags (as many as words) in the place of its own.
/// Throws: ShapeError if numbers differ.
std::string WithTags(const TaggedText& text,
                     std::span<const std::vector<std::string>> tags);

}  // namespace heed

#endif  // HEED_DATA_CONLL_H_
