// Models without parameters whose probabilities a test can compute itself. For
// tests only.
#ifndef HEED_DECODE_TESTING_H_
#define HEED_DECODE_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/data/batches.h"
#include "heed/kernels/elementwise.h"
#include "heed/models/decoder.h"
#include "heed/text/vocabulary.h"

namespace heed {

using Ids = std::vector<int32_t>;

/// State of one row of a test model: its source, and the tokens written so far.
struct FakeRow {
  Ids source;
  Ids written;  // starts with <s>
};

/// Output layer whose input features are the scores.
class FakeOutput : public OutputLayer {
 public:
  explicit FakeOutput(int64_t V) : V_(V) {}
  int64_t features() const override { return V_; }
  Var Scores(const Context&, const Var& x) const override { return x; }
  std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const override {
    class Some : public FakeOutput {
     public:
      Some(int64_t V, const Tensor& ids) : FakeOutput(V), ids_(ids) {}
      Var Scores(const Context&, const Var& x) const override {
        Tensor scores({x.dim(0), ids_.numel()});
        for (int64_t r = 0; r < scores.rows(); ++r) {
          for (int64_t o = 0; o < scores.cols(); ++o) {
            scores.row<float>(r)[o] =
                x.value().row<float>(r)[ids_.data<int32_t>()[o]];
          }
        }
        return scores;
      }

     private:
      Tensor ids_;
    };
    return std::make_unique<Some>(V_, ids);
  }

 private:
  int64_t V_;
};

/// A model defined by the scores and the attention of a row. Its state holds
/// the source of each row and the tokens written.
class FakeModel : public Decoder {
 public:
  explicit FakeModel(int V)
      : Decoder(1, DType::kF32, kernels::Precision::kNative),
        V_(V),
        output_(V) {}

  /// Scores of all V tokens after row.written.
  virtual std::vector<float> Scores(const FakeRow& row) const = 0;
  /// Attention over row.source; empty if the model has none.
  virtual std::vector<float> Attention(const FakeRow&) const { return {}; }

  Encoding Encode(const Context&, const Inputs& inputs) const override {
    Encoding encoding;
    encoding.sources = inputs.size();
    encoding.prompt = kernels::TransposeLeading(inputs.ids);
    encoding.lengths = inputs.lengths;
    return encoding;
  }
  DecoderState Start(const Context&, const Encoding& encoding) const override {
    DecoderState state(encoding.sources);
    state.At("source", StateRole::kRepeated) = encoding.prompt;
    state.At("length", StateRole::kSource) = encoding.lengths;
    const std::lock_guard lock(mutex_);
    batches.push_back(encoding.sources);
    rows_of_steps.clear();
    source_steps = encoding.prompt.dim(1);
    moves_of_rows = moves_of_sources = 0;
    return state;
  }
  Var Features(const Context&, const Tensor& tokens,
               DecoderState& state) const override {
    const int64_t R = tokens.numel();
    const std::lock_guard lock(mutex_);
    rows_of_steps.push_back(R);
    CountMoves(state);
    const std::vector<FakeRow> rows = Append(tokens, state);
    written_ = state.Find("written")->value();
    sources_ = state.sources();
    Tensor scores({1, R, V_});
    Tensor weights = Tensor::Zeros({R, state.Find("source")->dim(1)});
    bool attends = false;
    for (int64_t r = 0; r < R; ++r) {
      const FakeRow& row = At(rows, r);
      std::ranges::copy(Scores(row), scores[0].row<float>(r));
      const std::vector<float> attention = Attention(row);
      std::ranges::copy(attention, weights.row<float>(r));
      attends = attends || !attention.empty();
    }
    if (attends && state.wants_weights) state.weights = weights;
    ++state.position;
    return scores;
  }
  const OutputLayer& output() const override { return output_; }
  int64_t positions() const override { return position_limit; }

  int64_t position_limit = 0;

  int V() const { return V_; }

  mutable std::vector<int64_t> batches;  // sentences per search
  // Counters of the last search.
  mutable std::vector<int64_t> rows_of_steps;
  mutable int64_t source_steps = 0;
  mutable int moves_of_rows = 0;
  mutable int moves_of_sources = 0;

 private:
  /// Appends one token to each row, also in the state.
  static std::vector<FakeRow> Append(const Tensor& tokens,
                                     DecoderState& state) {
    const Tensor source = state.Find("source")->value();
    const Tensor lengths = state.Find("length")->value();
    const int64_t R = tokens.numel();
    Tensor written({R, state.position + 1}, DType::kI32);
    Var& before = state.At("written", StateRole::kRow);
    std::vector<FakeRow> rows;
    for (int64_t r = 0; r < R; ++r) {
      int32_t* own = written.row<int32_t>(r);
      if (before.defined()) {
        std::copy_n(before.value().row<int32_t>(r), state.position, own);
      }
      own[state.position] = tokens.data<int32_t>()[r];
      const int32_t* read = source.row<int32_t>(r);
      const int32_t length = lengths.data<int32_t>()[r / (R / state.sources())];
      rows.push_back(
          {Ids(read, read + length), Ids(own, own + state.position + 1)});
    }
    before = written;
    return rows;
  }
  /// Counts the steps before which the search reordered the state.
  void CountMoves(const DecoderState& state) const {
    const Var* written = state.Find("written");
    if (written != nullptr) {
      const bool left = state.sources() != sources_;
      const bool moved = written->value().raw() != written_.raw();
      if (left) ++moves_of_sources;
      if (moved && !left) ++moves_of_rows;
    }
  }
  int V_;
  FakeOutput output_;
  mutable Tensor written_;  // as the last step stored it
  mutable int64_t sources_ = 0;
  mutable std::mutex mutex_;  // one search at a time
};

/// A model with a random distribution for each source and prefix, so that every
/// mistake in reordering rows shows. Padding and <s> score highest.
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

/// A model that copies its source and attends to the copied token.
class CopyModel : public FakeModel {
 public:
  explicit CopyModel(int V) : FakeModel(V) {}

  std::vector<float> Scores(const FakeRow& row) const override {
    std::vector<float> scores(static_cast<size_t>(V()), 0);
    At(scores, row.source[Place(row)]) = 12;
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

/// A model with a fixed distribution and no attention.
class ConstantModel : public FakeModel {
 public:
  explicit ConstantModel(std::vector<float> scores)
      : FakeModel(static_cast<int>(scores.size())),
        scores_(std::move(scores)) {}

  std::vector<float> Scores(const FakeRow&) const override { return scores_; }

 private:
  std::vector<float> scores_;
};

/// Cancelled after the model has run this number of steps of a search.
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

/// Batch of sentences; each must end with kEos.
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
