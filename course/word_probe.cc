#include "course/word_probe.h"

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/corpus.h"
#include "heed/nn/linear.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"

namespace heed {
namespace {

constexpr int64_t kProbedAtOnce = 100;  // sentences

/// Concatenates the columns of `parts`. Shapes: parts [N, F_i].
Tensor SideBySide(const std::vector<Var>& parts) {
  return ConcatColumns(parts).value();
}

}  // namespace

ProbedSentences ReadForProbe(const translate::Model& model,
                             const std::vector<std::string>& lines) {
  const Vocabulary& vocabulary = model.vocabularies.source;
  const std::vector<std::vector<int32_t>> ids =
      EncodeLines(lines, vocabulary, model.data.lowercase);
  const auto N = static_cast<int64_t>(ids.size());
  const auto tokens = static_cast<int64_t>(ids.empty() ? 0 : ids[0].size());
  const int64_t S = tokens - 1;  // without </s>
  if (S < 1) throw ShapeError("probe: no words");
  ProbedSentences read;
  read.vocabulary = vocabulary.size();
  read.words = Tensor({N, S}, DType::kI32);
  for (int64_t begin = 0; begin < N; begin += kProbedAtOnce) {
    const int64_t end = std::min(N, begin + kProbedAtOnce), B = end - begin;
    Tensor batch({tokens, B}, DType::kI32);
    for (int64_t b = 0; b < B; ++b) {
      const std::vector<int32_t>& own = At(ids, begin + b);
      if (static_cast<int64_t>(own.size()) != tokens) {
        throw ShapeError("probe: sentences of {} and of {} words", S,
                         own.size() - 1);
      }
      for (int64_t t = 0; t < tokens; ++t) {
        batch.row<int32_t>(t)[b] = At(own, t);
      }
      std::copy_n(own.begin(), S, read.words.row<int32_t>(begin + b));
    }
    const Tensor lengths =
        Tensor::Full({B}, static_cast<double>(tokens), DType::kI32);
    const Encoding encoding = model.model->Encode({}, {batch, lengths});
    // The annotation of </s> is left out.
    const Tensor words =
        TransposeLeading(Slice(TransposeLeading(encoding.vectors), 0, S))
            .value();
    std::vector<Var> states;
    for (const Var& layer : encoding.states) {
      if (layer.value().rank() == 2) {
        states.push_back(layer);
        continue;
      }
      for (int64_t i = 0; i < layer.dim(0); ++i) {
        states.push_back(Select(layer, i));
      }
    }
    const Tensor last = SideBySide(states);
    if (begin == 0) {
      read.annotations = Tensor({N, S, words.dim(2)}, DType::kF32);
      read.last = Tensor({N, last.dim(1)}, DType::kF32);
    }
    read.annotations.Slice(begin, end).CopyFrom(words);
    read.last.Slice(begin, end).CopyFrom(last);
  }
  return read;
}

std::vector<double> ProbeWords(const Tensor& train_x, const Tensor& train_words,
                               const Tensor& test_x, const Tensor& test_words,
                               int64_t vocabulary,
                               const ProbeTraining& training) {
  const int64_t N = train_x.dim(0), S = train_words.dim(1);
  const int64_t features = train_x.cols();
  // A vector of a whole sentence predicts all positions.
  const int64_t outputs = train_x.rank() == 3 ? vocabulary : S * vocabulary;
  ParameterSet parameters(training.seed, DType::kF32,
                          kernels::Precision::kNative);
  const Linear probe(Scope(parameters, "probe"), features, outputs, Init());
  const auto logits = [&](const Context& ctx, const Tensor& x) {
    return Reshape(probe(ctx, Var(x)), {x.dim(0) * S, vocabulary});
  };
  OptimizerConfig config;
  config.learning_rate = training.learning_rate;
  config.schedule = Schedule::kCosine;
  Optimizer optimizer(parameters, config);
  const int64_t batches = (N + kProbedAtOnce - 1) / kProbedAtOnce;
  int64_t step = 0;
  for (int pass = 0; pass < training.passes; ++pass) {
    for (int64_t begin = 0; begin < N; begin += kProbedAtOnce) {
      const int64_t end = std::min(N, begin + kProbedAtOnce);
      Tape tape;
      Context ctx;
      ctx.tape = &tape;
      tape.Backward(
          CrossEntropy(
              logits(ctx, train_x.Slice(begin, end)),
              train_words.Slice(begin, end).Reshape({(end - begin) * S}),
              {.scale = 1 / static_cast<double>((end - begin) * S)})
              .loss);
      tape.Clear();
      ++step;
      optimizer.Step(step,
                     LearningRate(config, step, batches * training.passes));
    }
  }
  const Tensor scores = logits({}, test_x).value();
  std::vector<double> right(static_cast<size_t>(S));
  const int64_t tests = test_words.dim(0);
  for (int64_t i = 0; i < tests * S; ++i) {
    const float* row = scores.row<float>(i);
    const bool found = std::max_element(row, row + vocabulary) - row ==
                       test_words.data<int32_t>()[i];
    At(right, i % S) += found ? 100 / static_cast<double>(tests) : 0;
  }
  return right;
}

std::vector<double> ProbeAnnotations(const ProbedSentences& train,
                                     const ProbedSentences& test,
                                     const ProbeTraining& training) {
  return ProbeWords(train.annotations, train.words, test.annotations,
                    test.words, train.vocabulary, training);
}

std::vector<double> ProbeLast(const ProbedSentences& train,
                              const ProbedSentences& test,
                              const ProbeTraining& training) {
  return ProbeWords(train.last, train.words, test.last, test.words,
                    train.vocabulary, training);
}

}  // namespace heed
