// Linear probes: which words of a sentence can be read from a vector of it.
#ifndef HEED_COURSE_WORD_PROBE_H_
#define HEED_COURSE_WORD_PROBE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tasks/translate/translation_model.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// What an encoder knows of N sentences of S words.
struct ProbedSentences {
  Tensor annotations;  // [N, S, M]: of each word
  Tensor last;         // [N, K]: the last states of all layers, side by side
  Tensor words;        // i32 [N, S]: tokens
  int64_t vocabulary = 0;
};

/// Throws: ShapeError unless all lines have as many words.
ProbedSentences ReadForProbe(const translate::Model& model,
                             const std::vector<std::string>& lines);

struct ProbeTraining {
  int passes = 30;
  double learning_rate = 5e-3;
  uint64_t seed = 1;
};

/// Share of the words at each position that a linear layer with softmax finds,
/// which has learned it from `train` by cross entropy. From annotations, one
/// layer for all positions reads word t from annotation t; from the last
/// states, a layer for each position. Units: percent.
/// Paper: Alain and Bengio 2016, arXiv:1610.01644.
std::vector<double> ProbeAnnotations(const ProbedSentences& train,
                                     const ProbedSentences& test,
                                     const ProbeTraining& training);
std::vector<double> ProbeLast(const ProbedSentences& train,
                              const ProbedSentences& test,
                              const ProbeTraining& training);

/// The same of vectors x [N, ..., F], whose rows in all are those of `words`
/// [N, S] or, with F features for a whole sentence, N.
std::vector<double> ProbeWords(const Tensor& train_x, const Tensor& train_words,
                               const Tensor& test_x, const Tensor& test_words,
                               int64_t vocabulary,
                               const ProbeTraining& training);

}  // namespace heed

#endif  // HEED_COURSE_WORD_PROBE_H_
