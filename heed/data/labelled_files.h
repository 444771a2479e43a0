// Reading of labelled texts from files.
#ifndef HEED_DATA_LABELLED_FILES_H_
#define HEED_DATA_LABELLED_FILES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/fields.h"

namespace heed {

/// Labelled texts. Example i is text i, or the pair of text i and second i.
struct LabelledText {
  std::vector<std::string> text;
  std::vector<std::string> second;  ///< empty: no pairs
  /// Labels of each text: one, or any number in multi-label tasks.
  std::vector<std::vector<std::string>> labels;
  /// Byte offsets of the sentences in each text, if the file contains them
  /// (format docs); otherwise empty.
  std::vector<std::vector<size_t>> sentences = {};
  /// Files with the index of their first text, and the line of each text (from
  /// 1). Empty for texts that are not from files.
  std::vector<std::pair<std::string, size_t>> files = {};
  std::vector<int64_t> lines = {};

  bool pairs() const { return !second.empty(); }
  /// File of text i.
  const std::string& FileOf(size_t i) const;
  /// Place of text i: "file:12".
  std::string PlaceOf(size_t i) const;
};

/// Formats of labelled texts:
///   tsv    a line is label, tab, text (and tab, second text, for pairs), in
///          the columns of the options; a header is skipped
///   lines  one text per line, and one label per line in a second file
///   docs   a line "#doc NAME LABEL [FOLD]" begins a document; its sentences
///          follow, one per line, and are kept; empty lines are skipped
///   csv    a header and rows, with the columns of the options
///   jsonl  objects, with the columns of the options as members
///   imdb   a line is a name, a rating from 1 to 10 and a text; the labels are
///          neg (up to 4) and pos (from 7); <br /> becomes a space
/// Files named .csv or .jsonl are read as csv or jsonl in any format.
/// Formats of files of labelled texts.
enum class LabelledForm : uint8_t { kTsv, kCsv, kJsonl, kLines, kDocs, kImdb };
constexpr auto WordsOf(LabelledForm) {
  return std::array{"tsv", "csv", "jsonl", "lines", "docs", "imdb"};
}

struct LabelledFormat {
  Named<LabelledForm> format = LabelledForm::kTsv;
  int label_column = 1;
  int text_column = 2;
  int second_column = 0;
  /// csv and jsonl: columns of label and text, optionally of the second text.
  std::vector<std::string> columns = {"label", "text"};
  /// Delimiter of tsv and csv files; open: detected.
  Auto<Delimiter> delimiter = {};
  /// Presence of a header in formats without a declared one. Open: detected by
  /// a label that differs in kind from those of other lines.
  Auto<HeaderLine> header = {};
  bool multi_label = false;

  /// True if texts are pairs.
  bool pairs() const { return second_column > 0 || columns.size() > 2; }

  void Visit(FieldList& v);
  /// Options without multi_label, if the model determines it.
  void VisitForm(FieldList& v);
  /// Options for tables of single texts.
  void VisitTable(FieldList& v);

 private:
  void VisitLines(FieldList& v);
};

/// Files of one split, plain or gzip, in order.
struct LabelledFiles {
  std::vector<std::string> texts = {};
  std::vector<std::string> labels =
      {};                  ///< format lines: one for each file of texts
  std::string folds = {};  ///< format docs: "0-7,9"; empty: all
};

/// Reads labelled texts. Throws: ConfigError for inconsistent options;
/// FormatError with file and line; as ReadLines.
LabelledText ReadLabelled(const LabelledFiles& files,
                          const LabelledFormat& format);

/// Warns if nearly all labels are unique, as texts and identifiers are.
void WarnOfLoneLabels(const LabelledText& text, const LabelledFormat& format);

}  // namespace heed

#endif  // HEED_DATA_LABELLED_FILES_H_
