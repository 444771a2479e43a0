// The smallest translator with attention: "let's go" to "vamos", and every
// number on the way.
#ifndef HEED_COURSE_SMALLEST_TRANSLATOR_H_
#define HEED_COURSE_SMALLEST_TRANSLATOR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// What it learns: two words to one.
struct SmallestPair {
  std::array<const char*, 2> source;
  const char* target;
};
inline constexpr std::array<SmallestPair, 2> kSmallestPairs = {
    {{{"let's", "go"}, "vamos"}, {{"to", "go"}, "ir"}}};

/// One line of numbers: of each step, none where the step has no such numbers.
struct TracedNumbers {
  std::string name;
  std::string formula;
  std::vector<std::vector<double>> of_steps;
  /// What each number belongs to, where that is not a feature.
  std::vector<std::string> labels = {};
};

/// All numbers of a translation, in the order in which they are computed.
struct TracedTranslation {
  std::vector<std::string> read;     ///< of each step, of encoder and decoder
  std::vector<std::string> written;  ///< of each step of the decoder
  std::vector<TracedNumbers> lines;

  int64_t encoded() const { return std::ssize(read) - std::ssize(written); }
  /// Throws: std::out_of_range for a name that is not there.
  const TracedNumbers& Line(const std::string& name) const;
};

/// Embeddings of two features, an LSTM of two units that reads, one that writes
/// and starts from the last state, scores h · h_s, and
///   p = softmax([context, h] W + b).
/// In 64-bit numbers. Paper: Luong et al. 2015, arXiv:1508.04025 (dot); the
/// example is that of StatQuest, "Attention for Neural Networks", 2023.
class SmallestTranslator {
 public:
  explicit SmallestTranslator(uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Of both pairs, the decoder led along the right words. Shapes: result [2
  /// steps, 2 pairs, 3 target words].
  Var Scores(const Context& ctx) const;
  /// Mean −log p of the right words. Result [].
  Var Loss(const Context& ctx) const;
  /// Translates the source of a pair, word by word until <EOS>. With
  /// `attends` false the context is zero.
  TracedTranslation Translate(const SmallestPair& pair,
                              bool attends = true) const;

 private:
  Var ScoresOf(const Context& ctx, const Var& states, const Var& context) const;

  ParameterSet parameters_;
  Embedding source_, target_;
  Recurrent encoder_, decoder_;
  Attention attention_;
  Linear output_;
};

/// Adam, for so many updates of both pairs; `after` gets each step and its
/// loss.
void TrainSmallest(SmallestTranslator& model, int steps,
                   const std::function<void(int64_t step, double loss)>& after);

}  // namespace heed

#endif  // HEED_COURSE_SMALLEST_TRANSLATOR_H_
