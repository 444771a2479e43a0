// Texts with labels: what classification learns from.
#ifndef HEED_DATA_LABELLED_H_
#define HEED_DATA_LABELLED_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/batches.h"
#include "heed/tensor/tensor.h"
#include "heed/text/vocabulary.h"
#include "heed/text/word_vectors.h"

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

  bool pairs() const { return !second.empty(); }
};

/// How files of labelled texts are written:
///   tsv    a line is label, tab, text (and tab, second text, for pairs), in
///          the columns that the options name
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
  bool multi_label = false;

  /// Whether a text is a pair.
  bool pairs() const { return second_column > 0 || columns.size() > 2; }

  void Visit(FieldList& v);
  /// Without multi_label, which a model decides.
  void VisitForm(FieldList& v);
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

/// The labels that a task knows; ids in the order of their bytes. Immutable.
class LabelSet {
 public:
  /// Throws: ConfigError if there are fewer than two.
  explicit LabelSet(const LabelledText& text);
  /// Reads what Serialize() gave. Throws: FormatError that names `name`.
  static LabelSet Parse(std::string_view bytes, const std::string& name);
  /// One label per line.
  std::string Serialize() const;

  int64_t size() const { return std::ssize(names_); }
  const std::string& Name(int32_t id) const {
    return names_[static_cast<size_t>(id)];
  }
  /// Throws: FormatError for a label that is not among them.
  int32_t Id(std::string_view label) const;

 private:
  LabelSet() = default;
  std::vector<std::string> names_;
};

struct TextOptions {
  /// What is longer loses its end, of a pair the longer text.
  /// Units: tokens, <s> and </s> included; 0: no limit.
  int max_length = 512;
  bool lowercase = false;
  /// Texts are documents (see MarkDocument), not sequences between marks.
  bool documents = false;
  /// Pretrained vectors of their tokens; null: none. Outlives the corpus.
  const WordVectors* vectors = nullptr;
};

/// A text as a classifier reads it: <s> text </s>, and a pair as
/// <s> text </s> second </s>, with the marks of the vocabulary ([CLS] and [SEP]
/// of WordPiece).
struct MarkedText {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;  ///< of each id
  int32_t first = 0;  ///< how many ids are of the first text and its marks
  bool cut = false;   ///< longer than max_length: its end is left out
};

/// `second` is null where there is no pair.
MarkedText MarkText(const Vocabulary& vocabulary, std::string_view text,
                    const std::string* second, const TextOptions& options);

/// Labelled texts as ids: `corpus.source` the texts, `corpus.target` the labels
/// of each, so that PlanBatches takes it.
struct LabelledCorpus {
  Corpus corpus;
  std::vector<int32_t> first;  ///< as MarkedText::first
  int64_t cut = 0;             ///< texts whose end is left out
  /// Of documents, tokens of each sentence; with vectors, the row of each
  /// token. Else empty.
  std::vector<std::vector<int32_t>> sentences = {};
  std::vector<std::vector<int32_t>> vector_rows = {};
  const WordVectors* vectors = nullptr;
};

/// The sentences of text i: those that are known, else those of FindSentences.
std::vector<size_t> SentencesOf(const LabelledText& text, size_t i);

/// All texts, none dropped, on all threads; without labels if `labels` is null.
/// Throws: FormatError that names a label that is not in `labels`.
LabelledCorpus EncodeLabelled(const LabelledText& text,
                              const Vocabulary& vocabulary,
                              const LabelSet* labels,
                              const TextOptions& options);

/// Says on standard error how many texts were longer than `max_length` tokens,
/// if any was.
void WarnOfCut(const LabelledCorpus& corpus, int max_length);

/// Padded with kPad.
struct LabelledBatch : SegmentBatch {
  std::vector<std::vector<int32_t>> labels;  ///< of each text
  Tensor sentences = {};  ///< of documents i32 [B, R]: tokens of each, then 0
  Tensor vectors = {};    ///< f32 [B, S, D], 0 where there is none
};

/// The texts at `indices`, in that order.
LabelledBatch MakeLabelledBatch(const LabelledCorpus& corpus,
                                std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_DATA_LABELLED_H_
