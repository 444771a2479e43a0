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

/// B pairs, time-major, padded at the end with kPad.
struct Batch {
  int B = 0;  ///< pairs
  int S = 0;  ///< longest source, </s> included
  int T = 0;  ///< longest target, </s> included; 0 without targets
  std::vector<int32_t> source;          ///< [S, B], each ends with kEos
  std::vector<int32_t> source_lengths;  ///< [B]
  std::vector<int32_t> target_in;       ///< [T, B], starts with kBos
  std::vector<int32_t> target_out;      ///< [T, B], target_in one step later
  std::vector<int32_t> target_lengths;  ///< [B]
  std::vector<int64_t> indices;         ///< [B], places in the corpus
  int64_t target_tokens = 0;            ///< of target_out, without padding
};

/// B texts with their marks, batch-first, padded at the end.
struct SegmentBatch {
  Tensor ids;       ///< i32 [B, S]
  Tensor segments;  ///< i32 [B, S]: 1 in the second text of a pair, else 0
  Tensor lengths;   ///< i32 [B]
};

/// Ids below each other. Shapes: ids [B, S], S at least 1; lengths [B].
struct IdRows {
  Tensor ids;
  Tensor lengths;
};

/// Rows 0 to `count` − 1, `fill` behind each.
IdRows MakeIdRows(int64_t count,
                  const std::function<std::span<const int32_t>(int64_t)>& row,
                  int32_t fill);

/// Those of `all` at `indices`.
IdRows MakeIdRows(std::span<const std::vector<int32_t>> all,
                  std::span<const int64_t> indices, int32_t fill);

/// The pretrained vectors of words, whose rows are those of `all` at `indices`.
/// Shapes: result [B, S, D].
Tensor VectorsOfRows(const WordVectors& vectors,
                     std::span<const std::vector<int32_t>> all,
                     std::span<const int64_t> indices);

/// The texts at `indices`; `second[i]`: where the second one of text i begins.
SegmentBatch MakeSegmentBatch(std::span<const std::vector<int32_t>> texts,
                              std::span<const int32_t> second,
                              std::span<const int64_t> indices, int32_t pad);

/// The batches of an epoch of all pairs (see PlanPairs).
BatchList PlanBatches(const Corpus& corpus, const BatchOptions& options,
                      uint64_t seed, int epoch);
/// The pairs of a corpus, as PlanPairs takes them; it outlives the plan.
PlannedPairs PairsOf(const Corpus& corpus);

/// The pairs at `indices`, in that order.
Batch MakeBatch(const Corpus& corpus, std::span<const int64_t> indices);

/// The sentences at `indices` of `source`, without a target.
Batch MakeSourceBatch(std::span<const std::vector<int32_t>> source,
                      std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_DATA_BATCHES_H_
