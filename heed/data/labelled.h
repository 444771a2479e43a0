// Texts with labels: what classification learns from.
#ifndef HEED_DATA_LABELLED_H_
#define HEED_DATA_LABELLED_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/at.h"
#include "heed/data/batches.h"
#include "heed/data/labelled_files.h"
#include "heed/tensor/tensor.h"
#include "heed/text/vocabulary.h"
#include "heed/text/word_vectors.h"

namespace heed {

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
  const std::string& Name(int32_t id) const { return At(names_, id); }
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
