// Labelled texts for classification.
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

/// The labels of a task. Ids are in the byte order of the names. Immutable.
class LabelSet {
 public:
  /// Throws: ConfigError if there are fewer than two.
  explicit LabelSet(const LabelledText& text);
  /// Parses the result of Serialize(). Throws: FormatError with `name`.
  static LabelSet Parse(std::string_view bytes, const std::string& name);
  /// One label per line.
  std::string Serialize() const;

  int64_t size() const { return std::ssize(names_); }
  const std::string& Name(int32_t id) const { return At(names_, id); }
  /// Id of a label. Throws: FormatError for an unknown label.
  int32_t Id(std::string_view label) const;

 private:
  LabelSet() = default;
  std::vector<std::string> names_;
};

struct TextOptions {
  /// Maximum length; longer texts lose their end, in a pair the longer text
  /// first. Units: tokens, including <s> and </s>; 0: no limit.
  int max_length = 512;
  bool lowercase = false;
  /// Encode texts as documents (see MarkDocument), without <s> and </s>.
  bool documents = false;
  /// Pretrained vectors of tokens; may be null. Must outlive the corpus.
  const WordVectors* vectors = nullptr;
};

/// A text encoded for a classifier: <s> text </s>, or <s> text </s> second </s>
/// for a pair, with the vocabulary's special tokens ([CLS] and [SEP] for
/// WordPiece) and separators (</s></s> for RoBERTa).
struct MarkedText {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;  ///< one per id
  int32_t first = 0;  ///< number of ids of the first text, with special tokens
  bool cut = false;   ///< true if truncated to max_length
};

/// Encodes a text. `second`: second text of a pair, or null.
MarkedText MarkText(const Vocabulary& vocabulary, std::string_view text,
                    const std::string* second, const TextOptions& options);

/// Encoded labelled texts. `corpus.source` holds the texts and `corpus.target`
/// their labels, as PlanBatches expects.
struct LabelledCorpus {
  Corpus corpus;
  std::vector<int32_t> first;  ///< as MarkedText::first
  int64_t cut = 0;             ///< number of truncated texts
  /// Documents: number of tokens in each sentence. With vectors: vector row of
  /// each token. Otherwise empty.
  std::vector<std::vector<int32_t>> sentences = {};
  std::vector<std::vector<int32_t>> vector_rows = {};
  const WordVectors* vectors = nullptr;
};

/// Byte offsets of the sentences in text i: those of the file if known,
/// otherwise from FindSentences.
std::vector<size_t> SentencesOf(const LabelledText& text, size_t i);

/// Encodes all texts on all threads, without labels if `labels` is null.
/// Throws: FormatError with a label that is not in `labels`.
LabelledCorpus EncodeLabelled(const LabelledText& text,
                              const Vocabulary& vocabulary,
                              const LabelSet* labels,
                              const TextOptions& options);

/// Prints on standard error how many texts exceed `max_length` tokens, if any.
void WarnOfCut(const LabelledCorpus& corpus, int max_length);

/// A batch of labelled texts, padded with kPad.
struct LabelledBatch : SegmentBatch {
  std::vector<std::vector<int32_t>> labels;  ///< labels of each text
  Tensor sentences = {};  ///< i32 [B, R]: tokens per sentence, 0-padded
  Tensor vectors = {};    ///< f32 [B, S, D], 0 for tokens without a vector
};

/// Texts at `indices`, in this order.
LabelledBatch MakeLabelledBatch(const LabelledCorpus& corpus,
                                std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_DATA_LABELLED_H_
