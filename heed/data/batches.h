// Batches of sentence pairs of similar length.
#ifndef HEED_DATA_BATCHES_H_
#define HEED_DATA_BATCHES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/data/epoch_plan.h"
#include "heed/tensor/tensor.h"
#include "heed/text/word_vectors.h"

namespace heed {

/// Target of padding, which losses ignore.
inline constexpr int32_t kIgnored = -1;

/// B sentence pairs, time-major. Padding at the end has the id 0, or kIgnored
/// in target_out.
struct Batch {
  int B = 0;                    ///< pairs
  int S = 0;                    ///< longest source, </s> included
  int T = 0;                    ///< longest target_out; 0 without targets
  std::vector<int32_t> source;  ///< [S, B], each ends with the end token
  std::vector<int32_t> source_lengths;  ///< [B]
  std::vector<int32_t> target_in;       ///< [T, B], begins with Corpus::start
  std::vector<int32_t> target_out;      ///< [T, B], target_in one step ahead
  std::vector<int32_t> target_lengths;  ///< [B]
  std::vector<int64_t> indices;         ///< [B], places in the corpus
  int64_t target_tokens = 0;            ///< in target_out, without padding
};

/// B texts with segment ids, batch-first, padded at the end.
struct SegmentBatch {
  Tensor ids;       ///< i32 [B, S]
  Tensor segments;  ///< i32 [B, S]: 1 in the second text of a pair, else 0
  Tensor lengths;   ///< i32 [B]
};

/// Padded rows of ids. Shapes: ids [B, S] with S at least 1; lengths [B].
struct IdRows {
  Tensor ids;
  Tensor lengths;
};

/// Pads rows 0 to `count` − 1 with `fill`.
IdRows MakeIdRows(int64_t count,
                  const std::function<std::span<const int32_t>(int64_t)>& row,
                  int32_t fill);

/// Pads the rows of `all` at `indices` with `fill`.
IdRows MakeIdRows(std::span<const std::vector<int32_t>> all,
                  std::span<const int64_t> indices, int32_t fill);

/// Pretrained word vectors, whose row numbers are the rows of `all` at
/// `indices`. Shapes: result [B, S, D].
Tensor VectorsOfRows(const WordVectors& vectors,
                     std::span<const std::vector<int32_t>> all,
                     std::span<const int64_t> indices);

/// Texts at `indices`. `second[i]`: position of the second text in text i.
SegmentBatch MakeSegmentBatch(std::span<const std::vector<int32_t>> texts,
                              std::span<const int32_t> second,
                              std::span<const int64_t> indices, int32_t pad);

/// Batches of an epoch over all pairs (see PlanPairs).
BatchList PlanBatches(const Corpus& corpus, const BatchOptions& options,
                      uint64_t seed, int epoch);
/// Lengths of a corpus's pairs for PlanPairs. The corpus must outlive the plan.
PlannedPairs PairsOf(const Corpus& corpus);

/// Pairs at `indices`, in this order.
Batch MakeBatch(const Corpus& corpus, std::span<const int64_t> indices);

/// Sentences of `source` at `indices`, without a target.
Batch MakeSourceBatch(std::span<const std::vector<int32_t>> source,
                      std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_DATA_BATCHES_H_
