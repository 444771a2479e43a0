// Linear probes: which words of a sentence are decodable from its encoding.
#ifndef HEED_COURSE_WORD_PROBE_H_
#define HEED_COURSE_WORD_PROBE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tasks/translate/translation_model.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Encodings of N sentences of S words.
struct ProbedSentences {
  Tensor annotations;  // [N, S, M], one per word
  Tensor last;         // [N, K]: last states of all layers, concatenated
  Tensor words;        // i32 [N, S]: tokens
  int64_t vocabulary = 0;
};

/// Encodes lines. Throws: ShapeError unless all lines have as many words.
ProbedSentences ReadForProbe(const translate::Model& model,
                             const std::vector<std::string>& lines);

struct ProbeTraining {
  int passes = 30;
  double learning_rate = 5e-3;
  uint64_t seed = 1;
};

/// ProbeAnnotations and ProbeLast train a linear softmax classifier on `train`
/// with cross entropy. They return its accuracy at each position of `test`.
/// Annotations: one classifier predicts word t from annotation t at all
/// positions. Last states: one classifier per position. Units: percent.
/// Paper: Alain and Bengio 2016, arXiv:1610.01644.
std::vector<double> ProbeAnnotations(const ProbedSentences& train,
                                     const ProbedSentences& test,
                                     const ProbeTraining& training);
std::vector<double> ProbeLast(const ProbedSentences& train,
                              const ProbedSentences& test,
                              const ProbeTraining& training);

/// Trains and evaluates a probe on vectors x [N, ..., F]. The rows of x
/// correspond to `words` [N, S], or to the N sentences if one vector encodes a
/// whole sentence.
std::vector<double> ProbeWords(const Tensor& train_x, const Tensor& train_words,
                               const Tensor& test_x, const Tensor& test_words,
                               int64_t vocabulary,
                               const ProbeTraining& training);

}  // namespace heed

#endif  // HEED_COURSE_WORD_PROBE_H_
