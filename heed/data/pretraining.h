// What BERT is pre-trained on: masked words and pairs of sentences.
#ifndef HEED_DATA_PRETRAINING_H_
#define HEED_DATA_PRETRAINING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/batches.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// The sentences of a text, in order, as tokens.
using Document = std::vector<std::vector<int32_t>>;

/// Documents with one sentence a line and a blank line between them. Sentences
/// and documents without tokens are left out. Throws: ConfigError if fewer than
/// two documents are left.
std::vector<Document> EncodeDocuments(std::span<const std::string> lines,
                                      const Vocabulary& vocabulary);

struct PretrainingOptions {
  int max_length = 128;      // tokens of an instance, special ones included
  double short_rate = 0.1;   // documents whose instances are shorter
  double mask_rate = 0.15;   // tokens to predict
  int max_predictions = 20;  // at most so many in an instance
  int duplicates = 10;       // times that the text is cut and masked anew
  uint64_t seed = 1;
};

/// Instances [CLS] A [SEP] B [SEP] with some tokens hidden: in corpus.source
/// their ids, in corpus.target what stood where tokens are to be predicted, so
/// that PlanBatches takes them.
struct PretrainingCorpus {
  Corpus corpus;
  std::vector<std::vector<int32_t>> positions;  ///< to predict, ascending
  std::vector<int32_t> second;                  ///< where B begins
  std::vector<bool> random_next;                ///< B does not follow A
};

/// The instances of a text by the rules of google-research/bert
/// (create_pretraining_data):
///  - sentences are gathered until they have max_length − 3 tokens (of a
///    short_rate of the documents: a random number from 2 to that); A is the
///    first one or more of them, at random;
///  - B is the others, or in half of the cases, and always where there are no
///    others, as many tokens from a random place in another document (ten
///    tries to find another); the sentences that B would have had are then used
///    again;
///  - the longer of A and B loses a token, its first or last, until they fit;
///  - mask_rate of the tokens, special ones included in the count but never
///    chosen, are to be predicted: 80 % become [MASK], 10 % any token of the
///    vocabulary, 10 % stay.
/// Their order is random. Depends on the arguments alone. Throws: ConfigError
/// for options out of range or a vocabulary without a mask. Paper: Devlin et
/// al. 2018, arXiv:1810.04805, section 3.1 and appendix A.
PretrainingCorpus MakePretrainingCorpus(std::span<const Document> documents,
                                        const Vocabulary& vocabulary,
                                        const PretrainingOptions& options);

/// B instances. Shapes: rows and labels i32 [N] for the N tokens to predict, of
/// which row b·S + s is token s of instance b; next i32 [B], 1 where B is
/// random.
struct PretrainingBatch : SegmentBatch {
  Tensor rows;
  Tensor labels;
  Tensor next;
};

/// The instances at `indices`, in that order.
PretrainingBatch MakePretrainingBatch(const PretrainingCorpus& corpus,
                                      std::span<const int64_t> indices,
                                      const Vocabulary& vocabulary);

}  // namespace heed

#endif  // HEED_DATA_PRETRAINING_H_
