// Training data of BERT: masked tokens and sentence pairs.
#ifndef HEED_DATA_PRETRAINING_H_
#define HEED_DATA_PRETRAINING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/batches.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Sentences of a text, in order, as token ids.
using Document = std::vector<std::vector<int32_t>>;

/// Encodes documents with one sentence per line, separated by blank lines.
/// Drops sentences and documents without tokens. Throws: ConfigError if fewer
/// than two documents remain.
std::vector<Document> EncodeDocuments(std::span<const std::string> lines,
                                      const Vocabulary& vocabulary);

struct PretrainingOptions {
  int max_length = 128;       // tokens of an instance, including special ones
  double short_rate = 0.1;    // share of documents with shorter instances
  double mask_rate = 0.15;    // share of tokens to predict
  int max_predictions = 20;   // maximum predictions per instance
  int duplicates = 10;        // passes over the text with new random choices
  bool next_sentence = true;  // pairs of texts; otherwise one text
  uint64_t seed = 1;
};

/// Instances [CLS] A [SEP] B [SEP], or [CLS] A [SEP], with masked tokens.
/// corpus.source holds their ids and corpus.target the original tokens at the
/// positions to predict, as PlanBatches expects.
struct PretrainingCorpus {
  Corpus corpus;
  std::vector<std::vector<int32_t>> positions;  ///< to predict, ascending
  std::vector<int32_t> second;                  ///< start of B, or the end
  std::vector<bool> random_next;                ///< true if B does not follow A
};

/// Makes the instances of a text by the rules of google-research/bert
/// (create_pretraining_data):
///  - Sentences are gathered until they have max_length − 3 tokens (for a
///    share short_rate of the documents: a random number from 2 to that). A is
///    a random number of the first sentences, at least one.
///  - B is the rest. In half of the cases, and always if there is no rest, B is
///    a random passage from another document (ten tries to find another one);
///    the unused sentences are then used again.
///  - The longer of A and B loses its first or last token until both fit.
///  - A share mask_rate of the tokens, counted with special tokens, is to be
///    predicted. Special tokens are never chosen. 80 % become [MASK], 10 % any
///    token of the vocabulary, and 10 % stay.
/// Without next_sentence, A is all gathered sentences (Liu et al. 2019,
/// arXiv:1907.11692: DOC-SENTENCES), and there is no B.
/// The order is random. The result depends on the arguments only. Throws:
/// ConfigError for options out of range or a vocabulary without a mask. Paper:
/// Devlin et al. 2018, arXiv:1810.04805, section 3.1 and appendix A.
PretrainingCorpus MakePretrainingCorpus(std::span<const Document> documents,
                                        const Vocabulary& vocabulary,
                                        const PretrainingOptions& options);

/// A batch of B instances. Shapes: rows and labels i32 [N] for N tokens to
/// predict, where row b·S + s is token s of instance b; next i32 [B], 1 if B is
/// random.
struct PretrainingBatch : SegmentBatch {
  Tensor rows;
  Tensor labels;
  Tensor next;
};

/// Instances at `indices`, in this order.
PretrainingBatch MakePretrainingBatch(const PretrainingCorpus& corpus,
                                      std::span<const int64_t> indices,
                                      const Vocabulary& vocabulary);

}  // namespace heed

#endif  // HEED_DATA_PRETRAINING_H_
