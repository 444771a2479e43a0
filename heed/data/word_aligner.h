// Which word translates which, learnt by counting: IBM models 1 and 2.
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
  /// IBM model 2 with the prior of the diagonal; else model 1, in which all
  /// words of the source are as probable, wherever they stand.
  bool diagonal = true;
  bool null_word = true;  ///< a target word may come from no source word
  int iterations = 5;
  double tension = 4;              ///< λ at the start, see DiagonalPrior
  bool learn_tension = true;       ///< from the second iteration on
  double null_probability = 0.08;  ///< with the diagonal
  /// Of the symmetric Dirichlet prior of each t(· | s), by variational Bayes;
  /// 0: none, maximum likelihood.
  double alpha = 0.01;
};

/// p(a_j = i | e, f) of the words of one pair.
struct AlignerPosterior {
  size_t columns = 1;          ///< source words and, first, the empty word
  std::vector<double> values;  ///< [target words, columns]

  /// −1 is the empty word.
  double probability(size_t target, int64_t source) const {
    return values[target * columns + static_cast<size_t>(source + 1)];
  }
  /// The most probable source word, from 0, the first of equals; −1 if none is
  /// more probable than the empty word.
  int64_t Best(size_t target) const;
};

/// With t(f | e) the probability that the source word e is translated by f, e₀
/// the empty word and S source words,
///   p(f_j, a_j = i | e) = p(a_j = i) t(f_j | e_i),
///   model 1:  p(a_j = i) = 1 / (S + 1),
///   model 2:  p(a_j = 0) = p₀,  p(a_j = i) = (1 − p₀) DiagonalPrior,
/// learnt by expectation maximisation from pairs of sentences alone. The
/// tension takes eight steps along its gradient in each iteration. Sums are f64
/// and do not depend on the number of threads. Immutable once it is learnt;
/// used from many threads. Papers: Brown et al. 1993, "The Mathematics of
/// Statistical Machine Translation", sections 4.1 and 4.2; Dyer, Chahuneau and
/// Smith 2013, "A Simple, Fast, and Effective Reparameterization of IBM Model
/// 2".
class WordAligner {
 public:
  /// Called after each iteration, with their number and the log-likelihood of
  /// the target sentences before it.
  using OnIteration = std::function<void(int done, double log_likelihood)>;

  /// Learns from all pairs with words on both sides. Memory: 20 bytes for each
  /// pair of words that occur together, and up to about 100 MB.
  /// Throws: ConfigError for options that are out of range; as LexicalTable.
  WordAligner(const IdPairs& pairs, int32_t source_size, int32_t target_size,
              const AlignerOptions& options,
              const OnIteration& on_iteration = {});

  double tension() const { return options_.tension; }
  /// The row of the empty word is the last.
  const LexicalTable& table() const { return table_; }

  /// Of a pair, also of words that were not learnt from: any other id. A source
  /// word of which nothing is known may be translated by all.
  AlignerPosterior Posterior(std::span<const int32_t> source,
                             std::span<const int32_t> target) const;
  /// AlignerPosterior::Best of each target word.
  std::vector<int64_t> Align(std::span<const int32_t> source,
                             std::span<const int32_t> target) const;

 private:
  double ProbabilityOf(int32_t source, int32_t target) const;

  AlignerOptions options_;
  int32_t source_size_;
  int32_t target_size_;
  LexicalTable table_;
};

/// The derivative of log Γ(x). x > 0.
double Digamma(double x);

}  // namespace heed

#endif  // HEED_DATA_WORD_ALIGNER_H_
