// Sentences with a tag for each word: CoNLL columns and CoNLL-U.
#ifndef HEED_DATA_CONLL_H_
#define HEED_DATA_CONLL_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"

namespace heed {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<std::string> tags;  // one per word; empty if the text has none
  std::string label;              // label of the sentence (SNIPS: intent)
  std::string place = {};         // place of its first word: "train.conll:7"
};

/// Formats of files of tagged texts.
enum class TaggedForm : uint8_t { kConll, kConllu };
constexpr auto WordsOf(TaggedForm) { return std::array{"conll", "conllu"}; }

/// Positions of words and tags in the lines of a text.
struct TagColumns {
  /// "conll": one word per line in columns, a blank line between sentences.
  /// "conllu": ten columns (see universaldependencies.org), or those that "#
  /// global.columns" of CoNLL-U Plus names. "auto": "conllu" for names that end
  /// in .conllu, .conllup or these with .gz, and for CoNLL-U Plus; otherwise
  /// "conll".
  Auto<TaggedForm> format = {};
  /// Columns from 1; 0: the last. Ignored for conllu; in CoNLL-U Plus a tag
  /// column above 0 takes precedence over `conllu_column`.
  int word_column = 1;
  int tag_column = 0;
  /// Column of the tags: form, lemma, upos, xpos, feats, head, deprel, deps or
  /// misc.
  std::string conllu_column = "upos";
  /// If false, a text may have only words, without tags.
  bool need_tags = true;

  void Visit(FieldList& v);
};

/// A tagged text with the positions of its words, so that it can be written
/// with other tags.
struct TaggedText {
  std::vector<TaggedSentence> sentences;
  std::vector<std::string> lines;
  /// [sentence][word]: index of the line, from 0.
  std::vector<std::vector<int64_t>> places;
  /// Column of the tags, from 0; −1: a new last column.
  int tag_column = -1;
  bool tabs = true;  // columns are separated by tabs, else by spaces
  size_t columns = 0;
};

/// Reads a plain or gzip file. Columns are separated by tabs, or by spaces if
/// the first word's line has no tab. White space around columns, doubled
/// separators and separators after the last column are ignored, including
/// no-break spaces. Comments between sentences begin with "# ", or begin with #
/// and have another number of columns. A first word "#" in a file with spaces
/// differs from a comment by a tag that other lines have, too. Lines of
/// -DOCSTART- only end a sentence. In files with tabs a word may be empty, as
/// in the Broad Twitter Corpus. conllu: ranges (3-4) and empty nodes (8.1) are
/// ignored. Throws: IoError; ConfigError for an unknown format or column; as
/// ReadLines; FormatError with the line, for a wrong number of columns, an
/// empty tag, a word number out of order, a word column that counts words or is
/// constant within sentences, and a file without words.
TaggedText ReadTagged(const std::string& path, const TagColumns& columns);
/// Parses lines. `name`: name for error messages. Throws: as ReadTagged.
TaggedText ParseTagged(std::vector<std::string> lines, const std::string& name,
                       const TagColumns& columns);

/// The text with its tags replaced by `tags`. Throws: ShapeError if the numbers
/// of words and tags differ.
std::string WithTags(const TaggedText& text,
                     std::span<const std::vector<std::string>> tags);

}  // namespace heed

#endif  // HEED_DATA_CONLL_H_
