// Helpers of model tests: batches, training, and properties of every
// encoder-decoder.
#ifndef HEED_MODELS_MODEL_TESTING_H_
#define HEED_MODELS_MODEL_TESTING_H_

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/io/safetensors.h"
#include "heed/kernels/optimizer.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/ops/loss.h"

namespace heed {

struct NamedVariant {
  std::string model;
  std::string variant;
};

inline void PrintTo(const NamedVariant& info, std::ostream* out) {
  *out << info.model << " " << info.variant;
}

/// Variants of every recurrent encoder-decoder.
inline std::vector<NamedVariant> RecurrentVariants() {
  std::vector<NamedVariant> all;
  for (const ModelRow& row : RecurrentModels()) {
    for (const ModelVariant& variant : row.variants) {
      all.push_back({row.name, variant.name});
    }
  }
  return all;
}

inline Tensor RandomIds(const Shape& shape, int words, uint64_t seed) {
  Rng rng(seed);
  std::vector<int32_t> ids(static_cast<size_t>(shape.numel()));
  for (int32_t& id : ids)
    id = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(words)));
  return Tensor::Of(ids, shape);
}

// Parameters.

/// Randomises biases and norms, whose initial values hide mistakes.
inline void Shake(const ParameterSet& set) {
  uint64_t seed = 40;
  for (const auto& parameter : set.all()) {
    const Tensor& value = parameter->value();
    if (value.rank() != 1) continue;
    parameter->mutable_value() =
        RandomTensor(value.shape(), seed++, value.dtype());
    parameter->Changed();
  }
}

/// Checks that every trainable parameter received a gradient.
inline void ExpectAllHaveGradients(const ParameterSet& set) {
  for (const auto& parameter : set.all()) {
    EXPECT_NE(parameter->gradient().defined(), parameter->frozen())
        << parameter->name();
  }
}

/// Checks that loss(tape) uses all parameters and that gradients match finite
/// differences, at up to `samples` elements of each.
template <typename Loss>
void ExpectParameterGradients(const ParameterSet& set, const Loss& loss,
                              int samples = 16) {
  std::vector<Parameter*> parameters;
  for (const auto& parameter : set.all()) {
    if (!parameter->frozen()) parameters.push_back(parameter.get());
  }
  const GradientCheckResult result =
      CheckParameterGradient(loss, parameters, samples);
  EXPECT_LT(result.worst, 1e-6) << result.where;
  EXPECT_FALSE(result.where.empty()) << "nothing was compared";
  ExpectAllHaveGradients(set);
}

/// Adam over all parameters; only matrices have weight decay.
class Adam {
 public:
  explicit Adam(const ParameterSet& parameters,
                const kernels::AdamOptions& options = {})
      : parameters_(parameters), options_(options) {
    for (const auto& parameter : parameters_.all()) {
      const Tensor& value = parameter->value();
      m_.push_back(Tensor::Zeros(value.shape(), value.dtype()));
      v_.push_back(Tensor::Zeros(value.shape(), value.dtype()));
    }
  }

  void Step(double learning_rate) {
    ++step_;
    for (size_t i = 0; i < m_.size(); ++i) {
      Parameter& parameter = *parameters_.all()[i];
      if (parameter.frozen()) continue;
      kernels::AdamOptions options = options_;
      options.learning_rate = learning_rate;
      options.step = step_;
      if (parameter.value().rank() < 2) options.weight_decay = 0;
      kernels::AdamStep({parameter.mutable_value()}, parameter.gradient(),
                        m_[i], v_[i], options);
      parameter.Changed();
      parameter.ClearGradient();
    }
  }

 private:
  const ParameterSet& parameters_;
  kernels::AdamOptions options_;
  std::vector<Tensor> m_;
  std::vector<Tensor> v_;
  int64_t step_ = 0;
};

/// Results of an independent implementation: named tensors of a file of
/// tests/golden.
class GoldenTensors {
 public:
  explicit GoldenTensors(const std::string& name) {
    const SafetensorsFile file = ReadSafetensors(std::string(HEED_GOLDEN_DIR) +
                                                 "/" + name + ".safetensors");
    for (const NamedTensor& tensor : file.tensors)
      tensors_[tensor.name] = tensor.value;
  }

  const Tensor& at(const std::string& name) const { return tensors_.at(name); }

  /// Sets the parameters; fails if a shape differs.
  void SetParameters(const ParameterSet& set) const {
    for (const auto& parameter : set.all()) {
      parameter->mutable_value().CopyFrom(at("parameter." + parameter->name()));
      parameter->Changed();
    }
  }

  /// Checks that the file has exactly the parameters of the set.
  void ExpectSameParameters(const ParameterSet& set) const {
    constexpr std::string_view kPrefix = "parameter.";
    size_t count = 0;
    for (const auto& [name, tensor] : tensors_) {
      if (!name.starts_with(kPrefix)) continue;
      ++count;
      const Parameter* parameter = set.Find(name.substr(kPrefix.size()));
      ASSERT_NE(parameter, nullptr) << name;
      EXPECT_EQ(parameter->value().shape(), tensor.shape()) << name;
    }
    EXPECT_EQ(count, set.all().size());
  }

  void ExpectGradients(const ParameterSet& set, double tolerance,
                       const std::string& prefix = "gradient.") const {
    for (const auto& parameter : set.all()) {
      EXPECT_LT(
          MaxDifference(parameter->gradient(), at(prefix + parameter->name())),
          tolerance)
          << parameter->name();
    }
  }

  void ExpectTrained(const ParameterSet& set, double tolerance) const {
    for (const auto& parameter : set.all()) {
      EXPECT_LT(
          MaxDifference(parameter->value(), at("trained." + parameter->name())),
          tolerance)
          << parameter->name();
    }
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

// Helpers for models with a source and a target.

/// First `length` ids of column b of ids [N, B]: [length, 1].
inline Tensor Column(const Tensor& ids, int64_t b, int64_t length) {
  Tensor column({length, 1}, DType::kI32);
  for (int64_t i = 0; i < length; ++i)
    column.data<int32_t>()[i] = ids.data<int32_t>()[i * ids.dim(1) + b];
  return column;
}

/// Padded sources, and targets.
struct SequenceBatch {
  int source_words = 9;
  int target_words = 9;
  Tensor source = RandomIds({5, 3}, source_words, 1);     // [S, B]
  Tensor lengths = Lengths({5, 2, 4});                    // [B]
  Tensor target_in = RandomIds({4, 3}, target_words, 2);  // [T, B]
  Tensor target = RandomIds(target_in.shape(), target_words, 5);

  /// Vectors [B, S, F] that replace `source` if defined.
  Tensor frames = {};

  Inputs inputs() const {
    return frames.defined() ? Inputs::Frames(frames, lengths)
                            : Inputs(source, lengths);
  }
  int64_t size() const { return target_in.dim(1); }
  int64_t steps() const { return target_in.dim(0); }
  int64_t LengthOf(int64_t b) const { return lengths.data<int32_t>()[b]; }

  /// Row b without padding.
  SequenceBatch Row(int64_t b) const {
    SequenceBatch row = *this;
    row.source = Column(source, b, LengthOf(b));
    if (frames.defined()) {
      row.frames = Tensor({1, LengthOf(b), frames.dim(2)}, frames.dtype());
      Tensor own = row.frames[0];
      own.CopyFrom(frames[b].Slice(0, LengthOf(b)));
    }
    row.lengths = Lengths({lengths.data<int32_t>()[b]});
    row.target_in = Column(target_in, b, steps());
    row.target = Column(target, b, steps());
    return row;
  }
  /// Batch without source tokens.
  SequenceBatch WithoutSource() const {
    SequenceBatch batch = *this;
    batch.source = Tensor({0, size()}, DType::kI32);
    batch.lengths = Tensor::Zeros({size()}, DType::kI32);
    return batch;
  }
};

inline DecoderState StartOf(const Decoder& model, const Inputs& inputs) {
  return model.Start({}, model.Encode({}, inputs));
}

inline Tensor LogitsOf(const Decoder& model, const SequenceBatch& batch,
                       const Context& ctx = {}) {
  return model.Logits(ctx, batch.inputs(), batch.target_in).value();
}

/// Mean cross-entropy.
inline Var LossOf(const Decoder& model, const SequenceBatch& batch,
                  const Context& ctx) {
  CrossEntropyOptions options;
  options.scale = 1.0 / static_cast<double>(batch.target.numel());
  return model.Loss(ctx, batch.inputs(), batch.target_in, batch.target, options)
      .loss;
}

/// Loss and its gradients with respect to all parameters.
inline std::vector<Tensor> LossAndGradients(const Decoder& model,
                                            const SequenceBatch& batch) {
  for (const auto& parameter : model.parameters().all())
    parameter->ClearGradient();
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var loss = LossOf(model, batch, ctx);
  std::vector<Tensor> results = {loss.value()};
  tape.Backward(loss);
  for (const auto& parameter : model.parameters().all())
    results.push_back(parameter->gradient());
  return results;
}

/// Checks gradients, see ExpectParameterGradients; with dropout if `training`.
inline void ExpectGradients(const Decoder& model, const SequenceBatch& batch,
                            int samples, bool training = false) {
  const auto loss = [&](Tape* tape) {
    Rng rng(8);
    Context ctx;
    ctx.tape = tape;
    ctx.rng = &rng;
    ctx.training = training;
    return LossOf(model, batch, ctx);
  };
  ExpectParameterGradients(model.parameters(), loss, samples);
}

/// Maximum difference of logits between Step and Logits.
inline double StepDifference(const Decoder& model, const SequenceBatch& batch) {
  const Tensor all = LogitsOf(model, batch);
  DecoderState state = StartOf(model, batch.inputs());
  double worst = 0;
  for (int64_t t = 0; t < batch.steps(); ++t) {
    const Tensor step = model.Step({}, batch.target_in[t], state).value();
    worst = std::max(worst, MaxDifference(step, all[t]));
  }
  return worst;
}

/// Checks that a batch equals its rows, each run without padding.
inline void ExpectBatchEqualsItsRows(const Decoder& model,
                                     const SequenceBatch& batch) {
  const Tensor all = LogitsOf(model, batch);
  for (int64_t b = 0; b < batch.size(); ++b) {
    const Tensor alone = LogitsOf(model, batch.Row(b));
    for (int64_t t = 0; t < batch.steps(); ++t) {
      EXPECT_LT(MaxDifference(alone[t][0], all[t][b]), 1e-13)
          << "row " << b << ", position " << t;
    }
  }
}

/// Checks that source padding affects neither loss nor gradients.
inline void ExpectPaddingChangesNothing(const Decoder& model,
                                        SequenceBatch batch, double tolerance) {
  const std::vector<Tensor> before = LossAndGradients(model, batch);
  batch.source = batch.source.Clone();
  for (int64_t b = 0; b < batch.size(); ++b) {
    for (int64_t s = batch.LengthOf(b); s < batch.source.dim(0); ++s) {
      int32_t& id = batch.source.row<int32_t>(s)[b];
      id = (id + 1) % batch.source_words;
    }
  }
  const std::vector<Tensor> after = LossAndGradients(model, batch);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_LE(MaxDifference(before[i], after[i]), tolerance)
        << "loss or gradient " << i;
  }
}

/// Checks that a target word affects scores from its position on, not before.
inline void ExpectWhatComesLaterChangesNothing(const Decoder& model,
                                               SequenceBatch batch) {
  const Tensor before = LogitsOf(model, batch);
  const int64_t changed = batch.steps() - 2;
  batch.target_in = batch.target_in.Clone();
  for (int64_t b = 0; b < batch.size(); ++b) {
    int32_t& id = batch.target_in.row<int32_t>(changed)[b];
    id = (id + 1) % batch.target_words;
  }
  const Tensor after = LogitsOf(model, batch);
  for (int64_t t = 0; t < changed; ++t) {
    EXPECT_EQ(MaxDifference(before[t], after[t]), 0) << "position " << t;
  }
  EXPECT_GT(MaxDifference(before[changed], after[changed]), 1e-6);
}

inline void ExpectFiniteResultsForAnEmptySource(const Decoder& model,
                                                SequenceBatch batch) {
  batch.lengths = Lengths({5, 0, 4});
  for (const Tensor& result : LossAndGradients(model, batch)) {
    ASSERT_TRUE(result.defined());
    for (const double x : result.ToVector<double>())
      ASSERT_TRUE(std::isfinite(x));
  }
}

/// Checks that invalid lengths, shapes and words are ShapeErrors.
inline void ExpectRefusesWhatIsNotASource(const Decoder& model,
                                          const SequenceBatch& good) {
  const auto refuses = [&](const Tensor& source, const Tensor& lengths) {
    EXPECT_THROW(model.Logits({}, {source, lengths}, good.target_in),
                 ShapeError);
  };
  refuses(good.source, Lengths({6, 2, 2}));
  refuses(good.source, Lengths({-1, 2, 2}));
  refuses(good.source, Lengths({2, 2}));
  refuses(good.source, {});
  refuses(good.source[0], good.lengths);
  Tensor unknown = good.source.Clone();
  unknown.data<int32_t>()[0] = good.source_words;
  refuses(unknown, good.lengths);
}

/// Checks that each row of weights [B, S] is a distribution over the words of
/// its source; returns the minimum weight of such a word.
inline double ExpectWeightsOfSources(const Tensor& weights,
                                     const SequenceBatch& batch) {
  const int64_t S = batch.source.dim(0);
  EXPECT_EQ(weights.shape(), (Shape{batch.size(), S}));
  double min = 1;
  for (int64_t b = 0; b < weights.dim(0); ++b) {
    double sum = 0;
    for (int64_t s = 0; s < weights.dim(1); ++s) {
      const double weight = kernels::At(weights, b, s);
      sum += weight;
      if (s < batch.LengthOf(b)) {
        min = std::min(min, weight);
      } else {
        EXPECT_EQ(weight, 0) << "in the order of the text";
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  return min;
}

inline void ExpectDropoutOnlyWhileTraining(const Decoder& model,
                                           const SequenceBatch& batch) {
  const auto logits = [&](uint64_t seed, bool training) {
    Rng rng(seed);
    Context ctx;
    ctx.rng = &rng;
    ctx.training = training;
    return LogitsOf(model, batch, ctx);
  };
  EXPECT_EQ(MaxDifference(logits(1, true), logits(1, true)), 0);
  EXPECT_GT(MaxDifference(logits(1, true), logits(2, true)), 0.01);
  EXPECT_EQ(MaxDifference(logits(1, false), logits(2, false)), 0);
}

/// Checks that the first step reads the prompt as if its tokens were stepped
/// through.
inline void ExpectPromptIsReadWithTheFirstStep(const Decoder& model,
                                               const SequenceBatch& batch) {
  const Tensor all = LogitsOf(model, batch);
  const int64_t last = batch.steps() - 1;
  const Tensor prompt = batch.target_in.Slice(1, last);
  const Tensor lengths =
      Tensor::Full({batch.size()}, static_cast<double>(last - 1), DType::kI32);
  DecoderState state = StartOf(model, {prompt, lengths});
  const auto step = [&](int64_t t) {
    return model.Step({}, batch.target_in[t], state).value();
  };
  EXPECT_LT(MaxDifference(step(0), all[last - 1]), 1e-13);
  EXPECT_LT(MaxDifference(step(last), all[last]), 1e-13);
  EXPECT_FALSE(state.weights.defined());
}

/// Checks that restricted scores of `words` equal those among all words, with
/// and without attention weights.
inline void ExpectScoresOfSomeWords(const Decoder& model,
                                    const SequenceBatch& batch,
                                    const std::vector<int32_t>& words,
                                    double tolerance) {
  const auto restricted = model.output().Restricted(Lengths(words));
  for (const bool weights : {true, false}) {
    DecoderState all = StartOf(model, batch.inputs());
    DecoderState some = StartOf(model, batch.inputs());
    some.wants_weights = weights;
    for (int64_t t = 0; t < batch.steps(); ++t) {
      const Tensor& next = batch.target_in[t];
      const Tensor wide = model.Step({}, next, all).value();
      const Tensor narrow =
          restricted->Scores({}, model.Next({}, next, some)).value();
      ASSERT_EQ(narrow.shape(), (Shape{batch.size(), std::ssize(words)}));
      EXPECT_EQ(some.weights.defined(), weights && all.weights.defined());
      for (int64_t b = 0; b < batch.size(); ++b) {
        for (int64_t i = 0; i < narrow.dim(1); ++i) {
          EXPECT_NEAR(kernels::At(narrow, b, i),
                      kernels::At(wide, b, words[static_cast<size_t>(i)]),
                      tolerance);
        }
      }
    }
  }
}

/// Checks the top-k scores of an output layer, for all words and for `words`,
/// which begin with four special ones.
inline void ExpectTopKScores(const Decoder& model, const SequenceBatch& batch,
                             const std::vector<int32_t>& words) {
  const auto restricted = model.output().Restricted(Lengths(words));
  const OutputLayer& some = *restricted;
  for (const OutputLayer* output : {&model.output(), &some}) {
    DecoderState state = StartOf(model, batch.inputs());
    for (int64_t t = 0; t < batch.steps(); ++t) {
      const Var y = model.Next({}, batch.target_in[t], state);
      const auto expected =
          kernels::FindTopK(output->Scores({}, y).value(), 3, 4);
      const auto found = output->TopK({}, y.value(), 3, 4, true);
      EXPECT_EQ(found.columns.ToVector<int32_t>(),
                expected.columns.ToVector<int32_t>());
      EXPECT_LT(MaxDifference(found.values, expected.values), 1e-6);
      EXPECT_LT(MaxDifference(found.first, expected.first), 1e-6);
      EXPECT_LT(MaxDifference(found.log_sums, expected.log_sums), 1e-6);
      const auto unsummed = output->TopK({}, y.value(), 3, 4, false);
      EXPECT_TRUE(unsummed.defined());
      EXPECT_FALSE(unsummed.log_sums.defined());
    }
  }
}

/// Beam search with given choices. Checks that each row gives the results of
/// running it alone.
class Search {
 public:
  Search(const Decoder& model, SequenceBatch batch, double tolerance)
      : model_(model),
        batch_(std::move(batch)),
        tolerance_(tolerance),
        state_(StartOf(model, batch_.inputs())),
        words_(static_cast<size_t>(batch_.size())) {
    for (int64_t b = 0; b < batch_.size(); ++b) sources_.push_back(b);
  }

  void Step(uint64_t seed) {
    const Tensor words =
        RandomIds({std::ssize(words_)}, batch_.target_words, seed);
    const Tensor logits = model_.Step({}, words, state_).value();
    ASSERT_EQ(logits.dim(0), std::ssize(words_));
    for (size_t i = 0; i < words_.size(); ++i) {
      SCOPED_TRACE("row " + std::to_string(i));
      words_[i].push_back(words.data<int32_t>()[i]);
      const auto row = static_cast<int64_t>(i);
      const auto [alone, weights] = Alone(sources_[i], words_[i]);
      EXPECT_LT(MaxDifference(logits[row], alone[0]), tolerance_);
      ASSERT_EQ(state_.weights.defined(), weights.defined());
      if (!weights.defined()) continue;
      const Tensor found = state_.weights[row].Slice(0, weights.dim(1));
      EXPECT_LT(MaxDifference(found, weights[0]), tolerance_);
    }
  }

  void Reorder(const std::vector<int32_t>& rows,
               const std::vector<int32_t>& sources = {}) {
    state_.Reorder(Lengths(rows),
                   sources.empty() ? Tensor() : Lengths(sources));
    const auto before = std::pair(sources_, words_);
    sources_.clear();
    words_.clear();
    for (const int32_t row : rows) {
      sources_.push_back(before.first[static_cast<size_t>(row)]);
      words_.push_back(before.second[static_cast<size_t>(row)]);
    }
  }

 private:
  /// Last logits and weights of one row run alone.
  std::pair<Tensor, Tensor> Alone(int64_t source,
                                  const std::vector<int32_t>& words) const {
    const SequenceBatch row = batch_.Row(source);
    DecoderState state = StartOf(model_, row.inputs());
    Tensor logits;
    for (const int32_t word : words)
      logits = model_.Step({}, Ids({word}, {1}), state).value();
    return {logits, state.weights};
  }

  const Decoder& model_;
  SequenceBatch batch_;
  double tolerance_;
  DecoderState state_;
  std::vector<int64_t> sources_;  // source of each row
  std::vector<std::vector<int32_t>> words_;
};

inline void ExpectReorderedRowsGoOnAlone(const Decoder& model,
                                         const SequenceBatch& batch,
                                         double tolerance) {
  Search search(model, batch, tolerance);
  search.Step(21);
  search.Reorder({0, 0, 1, 1, 2, 2});  // to two rows for each source
  search.Step(22);
  search.Step(23);
  search.Reorder({1, 0, 2, 2, 5, 4});
  search.Step(24);
  search.Reorder({1, 0, 3, 3, 4, 5});
  search.Step(25);
  search.Reorder({1, 1, 0, 5, 4, 4}, {0, 2});  // three rows; one source ends
  search.Step(26);
  search.Reorder({2, 5});
  search.Step(27);
  search.Reorder({1}, {1});
  search.Step(28);
}

}  // namespace heed

#endif  // HEED_MODELS_MODEL_TESTING_H_
