// Synthetic sentences and their compressions to subject, verb and object.
#ifndef HEED_COURSE_DATA_COMPRESSIONS_H_
#define HEED_COURSE_DATA_COMPRESSIONS_H_

#include <cstdint>

#include "heed/data/corpus.h"

namespace heed {

/// Long sentences are the source, their compressions the target: "yesterday the
/// old baker , who had met the pilot , slowly painted the red door in the yard
/// while the nurse washed the car" and "baker painted door". Other clauses use
/// the same kinds of words. In a passive sentence the subject of the
/// compression comes last.
struct CompressionTask {
  ParallelText train, valid, test;
};

/// Maximum number of sentences of a part; each part has far more possible ones.
inline constexpr int kCompressionLimit = 1'000'000;

/// Makes a task, equal on every platform. Sentences are distinct, and no
/// compression occurs in two parts. With `names`, people have made-up names
/// instead of professions, other ones in each part: "Karemo slowly painted the
/// red door". Throws: ConfigError for negative counts and for more than
/// kCompressionLimit.
CompressionTask MakeCompressionTask(int train, int valid, int test,
                                    uint64_t seed, bool names = false);

}  // namespace heed

#endif  // HEED_COURSE_DATA_COMPRESSIONS_H_
