// Files of texts with labels.
#ifndef HEED_DATA_LABELLED_FILES_H_
#define HEED_DATA_LABELLED_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/fields.h"

namespace heed {

/// Text i, or the pair of text i and second i, has the labels i.
struct LabelledText {
  std::vector<std::string> text;
  std::vector<std::string> second;  ///< empty: no pairs
  /// One each, or any number if a text may have several.
  std::vector<std::vector<std::string>> labels;
  /// The bytes at which the sentences of text i begin, where the file has them
  /// (format docs); none: they are not known.
  std::vector<std::vector<size_t>> sentences = {};
  /// The files that were read, each with the number of its first text, and the
  /// line of each text, from 1. Empty for texts that were not read.
  std::vector<std::pair<std::string, size_t>> files = {};
  std::vector<int64_t> lines = {};

  bool pairs() const { return !second.empty(); }
  /// The file that text i was read from.
  const std::string& FileOf(size_t i) const;
  /// "file:12", where text i was read.
  std::string PlaceOf(size_t i) const;
};

/// How files of labelled texts are written:
///   tsv    a line is label, tab, text (and tab, second text, for pairs), in
///          the columns that the options name; a header is left out
///   lines  one text per line, and one label per line of a second file
///   docs   a line "#doc NAME LABEL [FOLD]" begins a document, whose sentences
///          follow, one per line, and are kept; empty lines are left out
///   csv    a header and rows, with the columns that the options name; also
///   jsonl  objects, and their members. Both also for files that are called so
///          where the format is tsv.
///   imdb   a line is a name, a rating from 1 to 10 and a text; the labels are
///          neg (up to 4) and pos (from 7), <br /> becomes a space
struct LabelledFormat {
  std::string format = "tsv";
  int label_column = 1;
  int text_column = 2;
  int second_column = 0;
  /// csv and jsonl: of label, text, and perhaps the second text of a pair.
  std::vector<std::string> columns = {"label", "text"};
  /// Delimiter of tsv and csv files; open: detected.
  Auto<Delimiter> delimiter = {};
  /// Whether files of a format without a header begin with one; open: a header
  /// is detected by a label that contradicts the other lines.
  Auto<HeaderLine> header = {};
  bool multi_label = false;

  /// Whether a text is a pair.
  bool pairs() const { return second_column > 0 || columns.size() > 2; }

  void Visit(FieldList& v);
  /// Without multi_label, which a model decides.
  void VisitForm(FieldList& v);
  /// Tables of single texts alone.
  void VisitTable(FieldList& v);

 private:
  void VisitLines(FieldList& v);
};

/// The files of one split, plain or gzip, read one after the other.
struct LabelledFiles {
  std::vector<std::string> texts = {};
  std::vector<std::string> labels =
      {};                  ///< format lines: one for each of texts
  std::string folds = {};  ///< format docs: "0-7,9"; empty: all
};

/// Throws: ConfigError for options that do not fit; FormatError that names file
/// and line; and as ReadLines.
LabelledText ReadLabelled(const LabelledFiles& files,
                          const LabelledFormat& format);

/// Warns if nearly all labels occur only once, as texts and identifiers do.
void WarnOfLoneLabels(const LabelledText& text, const LabelledFormat& format);

}  // namespace heed

#endif  // HEED_DATA_LABELLED_FILES_H_
