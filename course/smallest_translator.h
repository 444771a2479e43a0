// The smallest translator with attention: "let's go" to "vamos", with every
// intermediate value.
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

/// A training pair of two source words and one target word.
struct SmallestPair {
  std::array<const char*, 2> source;
  const char* target;
};
inline constexpr std::array<SmallestPair, 2> kSmallestPairs = {
    {{{"let's", "go"}, "vamos"}, {{"to", "go"}, "ir"}}};

/// One quantity at each step; empty at steps that do not have it.
struct TracedNumbers {
  std::string name;
  std::string formula;
  std::vector<std::vector<double>> of_steps;
  /// Names of the numbers, if they are not features.
  std::vector<std::string> labels = {};
};

/// All values of a translation, in the order of computation.
struct TracedTranslation {
  std::vector<std::string> read;  ///< input of each step of encoder and decoder
  std::vector<std::string> written;  ///< output of each step of the decoder
  std::vector<TracedNumbers> lines;

  int64_t encoded() const { return std::ssize(read) - std::ssize(written); }
  /// Throws: std::out_of_range for an unknown name.
  const TracedNumbers& Line(const std::string& name) const;
};

/// Embeddings of two features, an LSTM encoder of two units, an LSTM decoder
/// that starts from its last state, dot-product attention h · h_s, and
///   p = softmax([context, h] W + b).
/// Computed in f64. Paper: Luong et al. 2015, arXiv:1508.04025 (dot). The
/// example is from StatQuest, "Attention for Neural Networks", 2023.
class SmallestTranslator {
 public:
  explicit SmallestTranslator(uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Returns the scores of both pairs with teacher forcing. Shapes: result [2
  /// steps, 2 pairs, 3 target words].
  Var Scores(const Context& ctx) const;
  /// Returns the mean −log p of the correct words. Result [].
  Var Loss(const Context& ctx) const;
  /// Translates the source of a pair greedily until <EOS>. If `attends` is
  /// false, the context is zero.
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

/// Trains with Adam for `steps` updates on both pairs. `after` receives each
/// step and its loss.
void TrainSmallest(SmallestTranslator& model, int steps,
                   const std::function<void(int64_t step, double loss)>& after);

}  // namespace heed

#endif  // HEED_COURSE_SMALLEST_TRANSLATOR_H_
