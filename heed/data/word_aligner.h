// Word alignment by IBM models 1 and 2.
#ifndef HEED_DATA_WORD_ALIGNER_H_
#define HEED_DATA_WORD_ALIGNER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/data/lexical_table.h"

namespace heed {

struct AlignerOptions {
  /// Use IBM model 2 with the diagonal prior; otherwise model 1, with a uniform
  /// prior over source positions.
  bool diagonal = true;
  bool null_word = true;  ///< allow the empty word as source of a target word
  int iterations = 5;
  double tension = 4;              ///< initial λ, see DiagonalPrior
  bool learn_tension = true;       ///< from the second iteration on
  double null_probability = 0.08;  ///< p₀ of model 2
  /// Symmetric Dirichlet prior of each t(· | s), for variational Bayes; 0:
  /// maximum likelihood.
  double alpha = 0.01;
};

/// Posterior p(a_j = i | e, f) for the words of a pair.
struct AlignerPosterior {
  size_t columns = 1;  ///< number of source words plus one for the empty word
  std::vector<double> values;  ///< [target words, columns]

  /// Probability of a source word; −1 is the empty word.
  double probability(size_t target, int64_t source) const {
    return values[target * columns + static_cast<size_t>(source + 1)];
  }
  /// Most probable source word, from 0 (the first one of a tie); −1 if none is
  /// more probable than the empty word.
  int64_t Best(size_t target) const;
};

/// IBM models 1 and 2. With t(f | e) the probability that the source word e
/// translates to f, e₀ the empty word and S source words,
///   p(f_j, a_j = i | e) = p(a_j = i) t(f_j | e_i),
///   model 1:  p(a_j = i) = 1 / (S + 1),
///   model 2:  p(a_j = 0) = p₀,  p(a_j = i) = (1 − p₀) DiagonalPrior,
/// learned by expectation maximisation from sentence pairs. In each iteration
/// the tension takes eight gradient steps. Sums are f64 and independent of the
/// number of threads. Immutable and thread-safe after training. Papers: Brown
/// et al. 1993, "The Mathematics of Statistical Machine Translation", sections
/// 4.1 and 4.2; Dyer, Chahuneau and Smith 2013, "A Simple, Fast, and Effective
/// Reparameterization of IBM Model 2".
class WordAligner {
 public:
  /// Called after each iteration with the number of iterations and the
  /// log-likelihood of the target sentences before the iteration.
  using OnIteration = std::function<void(int done, double log_likelihood)>;

  /// Trains on all pairs with words on both sides. Memory: 20 bytes per pair of
  /// co-occurring words, plus up to about 100 MB. Throws: ConfigError for
  /// options out of range; as LexicalTable.
  WordAligner(const IdPairs& pairs, int32_t source_size, int32_t target_size,
              const AlignerOptions& options,
              const OnIteration& on_iteration = {});

  double tension() const { return options_.tension; }
  /// Translation probabilities. The last row is the empty word.
  const LexicalTable& table() const { return table_; }

  /// Posterior of a pair, which may have unknown words (any other id). An
  /// unknown source word translates to all target words equally.
  AlignerPosterior Posterior(std::span<const int32_t> source,
                             std::span<const int32_t> target) const;
  /// AlignerPosterior::Best for each target word.
  std::vector<int64_t> Align(std::span<const int32_t> source,
                             std::span<const int32_t> target) const;

 private:
  double ProbabilityOf(int32_t source, int32_t target) const;

  AlignerOptions options_;
  int32_t source_size_;
  int32_t target_size_;
  LexicalTable table_;
};

/// Derivative of log Γ(x). Range: x > 0
double Digamma(double x);

}  // namespace heed

#endif  // HEED_DATA_WORD_ALIGNER_H_
