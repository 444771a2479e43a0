// Retrieval of paraphrased questions, which word overlap cannot solve.
#ifndef HEED_COURSE_DATA_PARAPHRASES_H_
#define HEED_COURSE_DATA_PARAPHRASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/retrieval.h"

namespace heed {

struct ParaphraseTask {
  TextCollection corpus;   ///< "where can i repair a large car"
  TextCollection queries;  ///< "how do i fix a big automobile"
  std::vector<RetrievalQuery> train, valid, test;
};

/// Makes a retrieval task. A question has three parts (what to do, with which
/// thing, of which kind); each part has one word in the texts and a synonym in
/// the queries, in random frames. Exactly one text answers a query. Queries are
/// distinct; a tenth is for validation and a tenth for tests. Their words occur
/// in training, but not their combinations. Candidates are the answer, 9 texts
/// that differ in one part, and 10 others. The result is equal on every
/// platform. `remarks`: number of further sentences around each text's
/// question, which name other things and kinds, but no action. Throws:
/// ConfigError for fewer than 10 queries, more than 1728 (the number of
/// combinations), or remarks outside 0 to 100.
ParaphraseTask MakeParaphrases(int queries, uint64_t seed, int remarks = 0);

/// Queries with candidates in the format of ReadAnswers: a line per candidate
/// of each query.
std::string AnswerLines(const ParaphraseTask& task,
                        const std::vector<RetrievalQuery>& queries);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PARAPHRASES_H_
