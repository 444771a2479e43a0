// Questions that say the same in other words: a retrieval task that shared
// words do not solve.
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

/// Of three things that a question says (what to do, with which thing, of which
/// kind), each has one word in the texts and another one in the queries; the
/// words around them are chance. To each query, one text says the same. Queries
/// are different in what they say, a tenth of them for validation and a tenth
/// for tests; the words of these stand in training, their combination does not.
/// Candidates are the answer, 9 texts that differ from it in one of the three
/// things, and 10 others. The same on every platform.
/// With remarks, a text has so many further sentences around the question,
/// which name things of other kinds in the words of the texts, but nothing to
/// do. Throws: ConfigError for fewer than 10 queries and for more than there
/// are things to say (1728), and for remarks below 0 or above 100.
ParaphraseTask MakeParaphrases(int queries, uint64_t seed, int remarks = 0);

/// Queries with their candidates as ReadAnswers reads them: a line for each
/// candidate of each query.
std::string AnswerLines(const ParaphraseTask& task,
                        const std::vector<RetrievalQuery>& queries);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PARAPHRASES_H_
