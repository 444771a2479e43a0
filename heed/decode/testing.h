// Models without parameters, whose probabilities a test can work out itself.
// For tests only.
#ifndef HEED_DECODE_TESTING_H_
#define HEED_DECODE_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "heed/base/rng.h"
#include "heed/data/batches.h"
#include "heed/models/sequence_model.h"
#include "heed/text/vocabulary.h"

namespace heed {

using Ids = std::vector<int32_t>;

/// What a test model knows of a row: its source, and what it wrote so far.
struct FakeRow {
  Ids source;
  Ids written;  // starts with <s> once there was a step
};

class FakeState : public DecodingState {
 public:
  explicit FakeState(std::vector<FakeRow> rows)
      : rows(std::move(rows)), sources(std::ssize(this->rows)) {}

  void Reorder(const Tensor& from, const Tensor& kept) override {
    const int64_t n = std::ssize(rows) / sources;
    std::vector<int32_t> left(static_cast<size_t>(sources));
    std::iota(left.begin(), left.end(), 0);
    if (kept.defined()) left = kept.ToVector<int32_t>();
    ASSERT_TRUE(std::ranges::is_sorted(left));
    sources = std::ssize(left);
    ASSERT_EQ(from.numel() % sources, 0);
    const int64_t next_n = from.numel() / sources;
    std::vector<FakeRow> next;
    for (const int32_t row : from.ToVector<int32_t>()) {
      const int64_t source = std::ssize(next) / next_n;
      ASSERT_EQ(row / n, left.at(static_cast<size_t>(source)));
      next.push_back(rows.at(static_cast<size_t>(row)));
    }
    ++(kept.defined() ? moves_of_sources : moves_of_rows);
    rows = std::move(next);
  }
  void SetWeights(Tensor weights) { weights_ = std::move(weights); }

  int64_t longest_source() const {
    size_t longest = 0;
    for (const FakeRow& row : rows) {
      longest = std::max(longest, row.source.size());
    }
    return static_cast<int64_t>(longest);
  }

  std::vector<FakeRow> rows;
  int64_t sources;
  int moves_of_rows = 0;
  int moves_of_sources = 0;
};

/// A model given by the scores and the attention of a row.
class FakeModel : public SequenceModel {
 public:
  explicit FakeModel(int V)
      : SequenceModel(1, DType::kF32, kernels::Precision::kNative), V_(V) {}

  /// Scores of all V tokens after row.written.
  virtual std::vector<float> Scores(const FakeRow& row) const = 0;
  /// Attention over row.source; empty if the model has none.
  virtual std::vector<float> Attention(const FakeRow&) const { return {}; }

  Var Logits(const Context&, const Tensor&, const Tensor&,
             const Tensor&) const override {
    return {};
  }
  std::unique_ptr<DecodingState> Start(const Context&, const Tensor& source,
                                       const Tensor& lengths) const override {
    std::vector<FakeRow> rows(static_cast<size_t>(source.dim(1)));
    for (size_t b = 0; b < rows.size(); ++b) {
      for (int32_t s = 0; s < lengths.data<int32_t>()[b]; ++s) {
        rows[b].source.push_back(source.row<int32_t>(s)[b]);
      }
    }
    const std::lock_guard lock(mutex_);
    batches.push_back(source.dim(1));
    rows_of_steps.clear();
    source_steps = source.dim(0);
    return std::make_unique<FakeState>(std::move(rows));
  }
  Var Step(const Context&, const Tensor& tokens,
           DecodingState& decoding_state) const override {
    auto& state = static_cast<FakeState&>(decoding_state);
    EXPECT_EQ(tokens.numel(), std::ssize(state.rows));
    const std::lock_guard lock(mutex_);
    rows_of_steps.push_back(tokens.numel());
    moves_of_rows = state.moves_of_rows;
    moves_of_sources = state.moves_of_sources;
    const Tensor& outputs = state.options().outputs;
    Tensor scores(
        {tokens.numel(), outputs.defined() ? outputs.numel() : int64_t{V_}});
    Tensor weights = Tensor::Zeros({tokens.numel(), state.longest_source()});
    bool attends = false;
    for (int64_t r = 0; r < tokens.numel(); ++r) {
      FakeRow& row = state.rows[static_cast<size_t>(r)];
      row.written.push_back(tokens.data<int32_t>()[r]);
      const std::vector<float> all = Scores(row);
      for (int64_t o = 0; o < scores.cols(); ++o) {
        const int64_t id = outputs.defined() ? outputs.data<int32_t>()[o] : o;
        scores.row<float>(r)[o] = all.at(static_cast<size_t>(id));
      }
      const std::vector<float> attention = Attention(row);
      std::ranges::copy(attention, weights.row<float>(r));
      attends = attends || !attention.empty();
    }
    if (attends && state.options().weights) state.SetWeights(weights);
    return scores;
  }

  int V() const { return V_; }

  mutable std::vector<int64_t> batches;  // sentences of each search
  // Of the last search.
  mutable std::vector<int64_t> rows_of_steps;
  mutable int64_t source_steps = 0;
  mutable int moves_of_rows = 0;
  mutable int moves_of_sources = 0;

 private:
  int V_;
  mutable std::mutex mutex_;  // Step of one search at a time
};

/// Each source and each prefix has its own random distribution, so that every
/// mistake in moving rows shows. Padding and <s> score highest.
class RandomModel : public FakeModel {
 public:
  explicit RandomModel(int V, float end_score = 0)
      : FakeModel(V), end_score_(end_score) {}

  std::vector<float> Scores(const FakeRow& row) const override {
    Rng rng(Hash(row));
    std::vector<float> scores;
    for (int v = 0; v < V(); ++v) {
      scores.push_back(static_cast<float>(rng.Uniform(-2, 2)));
    }
    scores[kPad] = scores[kBos] = 2.5F;
    scores[kEos] += end_score_;
    return scores;
  }
  std::vector<float> Attention(const FakeRow& row) const override {
    Rng rng(Hash(row) + 1);
    std::vector<float> weights;
    float sum = 0;
    for (size_t s = 0; s < row.source.size(); ++s) {
      weights.push_back(static_cast<float>(rng.Uniform(0.001, 1)));
      weights.back() *= weights.back() * weights.back();
      sum += weights.back();
    }
    for (float& weight : weights) weight /= sum;
    return weights;
  }

 private:
  static uint64_t Hash(const FakeRow& row) {
    uint64_t hash = 1;
    for (const Ids& ids : {row.source, row.written}) {
      for (const int32_t id : ids) {
        hash = Rng(hash, static_cast<uint64_t>(id)).Next();
      }
    }
    return hash;
  }

  float end_score_;
};

/// Writes its source again, attending to what it copies.
class CopyModel : public FakeModel {
 public:
  explicit CopyModel(int V) : FakeModel(V) {}

  std::vector<float> Scores(const FakeRow& row) const override {
    std::vector<float> scores(static_cast<size_t>(V()), 0);
    scores[static_cast<size_t>(row.source[Place(row)])] = 12;
    return scores;
  }
  std::vector<float> Attention(const FakeRow& row) const override {
    std::vector<float> weights(row.source.size(), 0);
    weights[Place(row)] = 1;
    return weights;
  }

 private:
  static size_t Place(const FakeRow& row) {
    return std::min(row.written.size(), row.source.size()) - 1;
  }
};

/// The same distribution always; without attention.
class ConstantModel : public FakeModel {
 public:
  explicit ConstantModel(std::vector<float> scores)
      : FakeModel(static_cast<int>(scores.size())),
        scores_(std::move(scores)) {}

  std::vector<float> Scores(const FakeRow&) const override { return scores_; }

 private:
  std::vector<float> scores_;
};

/// Cancelled once a model has taken so many steps of a search.
class AfterSteps : public Cancellation {
 public:
  AfterSteps(const FakeModel& model, size_t steps)
      : model_(model), steps_(steps) {}
  bool cancelled() const override {
    return model_.rows_of_steps.size() >= steps_;
  }

 private:
  const FakeModel& model_;
  size_t steps_;
};

struct SourceTensors {
  Tensor source;   // i32 [S, B]
  Tensor lengths;  // i32 [B]
};

/// A batch of these sentences; each must end with kEos.
inline SourceTensors SourceOf(const std::vector<Ids>& sentences) {
  std::vector<int64_t> indices;
  for (const Ids& ids : sentences) {
    EXPECT_EQ(ids.back(), kEos);
    indices.push_back(std::ssize(indices));
  }
  const Batch batch = MakeSourceBatch(sentences, indices);
  return {Tensor::Of(batch.source, {batch.S, batch.B}),
          Tensor::Of(batch.source_lengths, {batch.B})};
}

}  // namespace heed

#endif  // HEED_DECODE_TESTING_H_
