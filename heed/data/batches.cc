#include "heed/data/batches.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"

namespace heed {
namespace {

struct Lengths {
  std::vector<int32_t> of_each;
  int longest = 0;
};

Lengths Measure(std::span<const std::vector<int32_t>> sentences,
                std::span<const int64_t> indices) {
  Lengths lengths;
  for (const int64_t index : indices) {
    const int length = static_cast<int>(At(sentences, index).size());
    lengths.of_each.push_back(length);
    lengths.longest = std::max(lengths.longest, length);
  }
  return lengths;
}

}  // namespace

PlannedPairs PairsOf(const Corpus& corpus) {
  const auto length = [&corpus](int64_t pair) {
    const auto i = static_cast<size_t>(pair);
    return PairLength{static_cast<int32_t>(corpus.source[i].size()),
                      static_cast<int32_t>(corpus.target[i].size())};
  };
  return {.length = length, .ends = {corpus.size()}};
}

BatchList PlanBatches(const Corpus& corpus, const BatchOptions& options,
                      uint64_t seed, int epoch) {
  return PlanPairs(PairsOf(corpus), options, seed, epoch).All();
}

Batch MakeSourceBatch(std::span<const std::vector<int32_t>> source,
                      std::span<const int64_t> indices) {
  Lengths lengths = Measure(source, indices);
  Batch batch;
  batch.B = static_cast<int>(indices.size());
  batch.S = lengths.longest;
  batch.source_lengths = std::move(lengths.of_each);
  batch.indices.assign(indices.begin(), indices.end());
  const size_t B = indices.size();
  batch.source.assign(B * static_cast<size_t>(batch.S), 0);
  for (size_t b = 0; b < B; ++b) {
    const auto& sentence = At(source, indices[b]);
    for (size_t s = 0; s < sentence.size(); ++s) {
      batch.source[s * B + b] = sentence[s];
    }
  }
  return batch;
}

Batch MakeBatch(const Corpus& corpus, std::span<const int64_t> indices) {
  Batch batch = MakeSourceBatch(corpus.source, indices);
  Lengths lengths = Measure(corpus.target, indices);
  batch.T = lengths.longest;
  batch.target_lengths = std::move(lengths.of_each);
  const size_t read_only = corpus.start < 0 ? 1 : 0;
  if (read_only == 1) {
    --batch.T;
    for (int32_t& length : batch.target_lengths) --length;
  }
  const size_t B = indices.size();
  batch.target_in.assign(B * static_cast<size_t>(batch.T), 0);
  batch.target_out.assign(batch.target_in.size(), kIgnored);
  for (size_t b = 0; b < B; ++b) {
    const auto& sentence = At(corpus.target, indices[b]);
    int32_t previous = read_only == 1 ? sentence.front() : corpus.start;
    const size_t size = sentence.size() - read_only;
    for (size_t t = 0; t < size; ++t) {
      const int32_t next = sentence[t + read_only];
      batch.target_in[t * B + b] = std::exchange(previous, next);
      batch.target_out[t * B + b] = next;
    }
    batch.target_tokens += static_cast<int64_t>(size);
  }
  return batch;
}

IdRows MakeIdRows(int64_t count,
                  const std::function<std::span<const int32_t>(int64_t)>& row,
                  int32_t fill) {
  int64_t longest = 1;
  for (int64_t b = 0; b < count; ++b) {
    longest = std::max(longest, std::ssize(row(b)));
  }
  IdRows rows = {Tensor::Full({count, longest}, fill, DType::kI32),
                 Tensor({count}, DType::kI32)};
  for (int64_t b = 0; b < count; ++b) {
    const std::span<const int32_t> ids = row(b);
    std::ranges::copy(ids, rows.ids.row<int32_t>(b));
    rows.lengths.data<int32_t>()[b] = static_cast<int32_t>(ids.size());
  }
  return rows;
}

IdRows MakeIdRows(std::span<const std::vector<int32_t>> all,
                  std::span<const int64_t> indices, int32_t fill) {
  const auto row = [&](int64_t b) -> std::span<const int32_t> {
    return At(all, At(indices, b));
  };
  return MakeIdRows(std::ssize(indices), row, fill);
}

Tensor VectorsOfRows(const WordVectors& vectors,
                     std::span<const std::vector<int32_t>> all,
                     std::span<const int64_t> indices) {
  const Tensor rows = MakeIdRows(all, indices, kNoVector).ids;
  return vectors
      .Gather({rows.data<int32_t>(), static_cast<size_t>(rows.numel())})
      .Reshape({rows.dim(0), rows.dim(1), vectors.features()});
}

SegmentBatch MakeSegmentBatch(std::span<const std::vector<int32_t>> texts,
                              std::span<const int32_t> second,
                              std::span<const int64_t> indices, int32_t pad) {
  const IdRows rows = MakeIdRows(texts, indices, pad);
  SegmentBatch batch = {rows.ids, Tensor::Zeros(rows.ids.shape(), DType::kI32),
                        rows.lengths};
  for (int64_t b = 0; b < std::ssize(indices); ++b) {
    const auto i = static_cast<size_t>(At(indices, b));
    int32_t* segments = batch.segments.row<int32_t>(b);
    std::fill(segments + second[i], segments + texts[i].size(), 1);
  }
  return batch;
}

}  // namespace heed
