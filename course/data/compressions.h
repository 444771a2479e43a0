// Sentences that are made up, and what is left of them: who did what.
#ifndef HEED_COURSE_DATA_COMPRESSIONS_H_
#define HEED_COURSE_DATA_COMPRESSIONS_H_

#include <cstdint>

#include "heed/data/corpus.h"

namespace heed {

/// Long sentences are the source, their compressions the target: "yesterday the
/// old baker , who had met the pilot , slowly painted the red door in the yard
/// while the nurse washed the car" and "baker painted door". Other clauses have
/// words of the same kinds; in a passive sentence who did it comes last.
struct CompressionTask {
  ParallelText train, valid, test;
};

/// Most sentences of a part: each of them has far more.
inline constexpr int kCompressionLimit = 1'000'000;

/// The same on every platform. No sentence comes twice, and what a compression
/// says in one part is said in no other. Throws: ConfigError for negative
/// counts and for more than kCompressionLimit.
CompressionTask MakeCompressionTask(int train, int valid, int test,
                                    uint64_t seed);

}  // namespace heed

#endif  // HEED_COURSE_DATA_COMPRESSIONS_H_
